/// The even split of new nodes among similar groups.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace capstan::balancer {

/// What a group has and what it may have.
struct GroupSize {
    std::string_view id;
    int current = 0;
    int max = 0;
};

/// The group at that index gets `by` more, at least one.
struct Growth {
    std::size_t group = 0;
    int by = 0;
    bool operator==(const Growth&) const = default;
};

/// Spreads `nodes` over the groups so that sizes end as even as possible, as water fills a vessel:
///     sizes 1, 3, 6 and 4 nodes  ->  +3, +1, +0
/// No group shrinks. A full group stays as it is, and so does one that is above its maximum. What
/// an even split leaves over goes one each to the groups that were smallest, of equal ones to the
/// lower id; so the order of the groups does not matter. The answer, ordered by index, adds up to
/// less than `nodes` only when every group is full.
std::vector<Growth> balance(const std::vector<GroupSize>& groups, int nodes);

}  // namespace capstan::balancer
