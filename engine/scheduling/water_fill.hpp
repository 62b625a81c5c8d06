/// Distributes pods over domains so that the domains end as even as possible.
///
/// Water that is poured into connected vessels finds one level: the lowest vessels take most of it,
/// and those above the level none. Likewise there is one number of pods up to which domains are
/// filled. The level is found by bisection, so the time does not depend on the number of pods.
#pragma once

#include <limits>
#include <span>
#include <vector>

namespace capstan::engine::scheduling {

/// A domain: the pods in it now, and the most that may be in it.
struct DomainLoad {
    int count = 0;
    int most = std::numeric_limits<int>::max();  ///< not above `count`: the domain takes no pod
    bool operator==(const DomainLoad&) const = default;
};

/// How many of `pods` each domain gets: the emptiest domains first, and none beyond its `most`. The
/// remainder of an uneven division goes to the first domains, one pod each. The result adds up to
/// less than `pods` only if all domains are full.
///     counts 0, 2, 5 and 5 pods  ->  +4, +1, +0: they end with 4, 3 and 5
std::vector<int> water_fill(std::span<const DomainLoad> domains, int pods);

}  // namespace capstan::engine::scheduling
