/// The even split of new nodes among similar groups, by water filling: there is a level to which
/// every smaller group can be filled with the nodes at hand, and that level is found by bisection.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace capstan::balancer {

/// The present size of a group, and its maximum.
struct GroupSize {
    std::string_view id;
    int current = 0;
    int max = 0;
};

/// The group with that index gets `by` more nodes, at least one.
struct Growth {
    std::size_t group = 0;
    int by = 0;
    bool operator==(const Growth&) const = default;
};

/// Spreads `nodes` over the groups so that sizes end as even as possible:
///     sizes 1, 3, 6 and 4 nodes  ->  +3, +1, +0
/// No group shrinks. A group at or above its maximum keeps its size. The remainder of an even split
/// goes one node each to the smallest groups, and among equal ones to the lower id; so the order of
/// the groups does not matter. The answer is ordered by index, and adds up to less than `nodes`
/// only when every group is full.
std::vector<Growth> balance(const std::vector<GroupSize>& groups, int nodes);

}  // namespace capstan::balancer
