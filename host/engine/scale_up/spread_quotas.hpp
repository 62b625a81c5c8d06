/// How many pods of a class go into each of the domains that it is spread over.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "engine/scheduling/placement.hpp"

namespace capstan::engine {

/// What may become of a domain.
struct DomainOutlook {
    bool can_grow = false;                       ///< new nodes there would take the class
    bool will_exist = false;                     ///< others open it, if the class does not
    int spare = 0;                               ///< pods that nodes which are there still take
    int most = std::numeric_limits<int>::max();  ///< counted there, at the end; never more
    bool operator==(const DomainOutlook&) const = default;
};

/// Shares `pods` out by water-filling so that, when all have come, no domain holds more than
/// max_skew above the least. Domains that cannot grow hold the others back. By domain of `spread`.
///     zones 0, 0, 0 and 7 pods            ->  3, 2, 2
///     zones 4, 0, 0 and 7 pods            ->  0, 4, 3
///     zone c cannot grow: 0, 0, 1, skew 1  ->  2, 2, 0
std::vector<int> spread_quotas(const SpreadDomains& spread, std::span<const DomainOutlook> outlook,
                               int pods);

}  // namespace capstan::engine
