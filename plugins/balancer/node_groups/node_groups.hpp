/// Shares new nodes out among similar groups so that their sizes end as even as possible.
#pragma once

#include <capstan/result.hpp>
#include <capstan/splitter.hpp>

namespace capstan::balancer {

/// Fails with invalid_argument when a group has no target size or no maximum, or `nodes` is below
/// zero. Minima are ignored.
class NodeGroups {
public:
    Result<void> split(const Call& call, int nodes, const GroupList& groups,
                       const GroupIncreases& grow) const;
};

}  // namespace capstan::balancer
