#include "balance.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <tuple>

namespace capstan::balancer {
namespace {

/// A group that can grow. Numbers have 64 bits, because a level may pass any maximum, and the rooms
/// of groups are added up.
struct GrowableGroup {
    std::size_t group;
    std::string_view id;
    std::int64_t current, room;

    std::int64_t growth_at(std::int64_t level) const {
        return std::clamp<std::int64_t>(level - current, 0, room);
    }
    /// Whether the group, filled to the level, still takes one node more.
    bool is_open_at(std::int64_t level) const { return current <= level && level < current + room; }
};

/// The groups with room, smallest first and then by id: the order in which the remainder goes.
std::vector<GrowableGroup> growable_groups(const std::vector<GroupSize>& groups) {
    std::vector<GrowableGroup> out;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const std::int64_t room = std::int64_t{groups[i].max} - groups[i].current;
        if (room > 0) out.push_back({i, groups[i].id, groups[i].current, room});
    }
    std::sort(out.begin(), out.end(), [](const GrowableGroup& a, const GrowableGroup& b) {
        return std::tie(a.current, a.id, a.group) < std::tie(b.current, b.id, b.group);
    });
    return out;
}

std::int64_t total_growth_at(const std::vector<GrowableGroup>& all, std::int64_t level) {
    std::int64_t out = 0;
    for (const GrowableGroup& each : all) out += each.growth_at(level);
    return out;
}

/// The highest level that takes no more than `nodes`, by bisection: each group is visited at most
/// 33 times, however many nodes there are.
std::int64_t find_level(const std::vector<GrowableGroup>& all, std::int64_t nodes) {
    std::int64_t low = std::numeric_limits<int>::min();  // takes nothing
    std::int64_t high = std::int64_t{std::numeric_limits<int>::max()} + 1;
    while (high - low > 1) {
        const std::int64_t middle = low + (high - low) / 2;
        (total_growth_at(all, middle) <= nodes ? low : high) = middle;
    }
    return low;
}

}  // namespace

std::vector<Growth> balance(const std::vector<GroupSize>& groups, int nodes) {
    const std::vector<GrowableGroup> all = growable_groups(groups);
    const std::int64_t level = find_level(all, nodes);
    std::int64_t left = nodes - total_growth_at(all, level);
    std::vector<Growth> out;
    for (const GrowableGroup& each : all) {
        std::int64_t by = each.growth_at(level);
        if (left > 0 && each.is_open_at(level)) {
            ++by;
            --left;
        }
        if (by > 0) out.push_back({each.group, static_cast<int>(by)});
    }
    std::sort(out.begin(), out.end(),
              [](const Growth& a, const Growth& b) { return a.group < b.group; });
    return out;
}

}  // namespace capstan::balancer
