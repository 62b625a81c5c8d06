#include "balance.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <tuple>

namespace capstan::balancer {
namespace {

/// A group that can grow. 64 bits, because a level may pass any maximum and room adds up.
struct Vessel {
    std::size_t group;
    std::string_view id;
    std::int64_t current, room;

    std::int64_t filled_at(std::int64_t level) const {
        return std::clamp<std::int64_t>(level - current, 0, room);
    }
    /// It stands exactly at the level and takes one more.
    bool is_open_at(std::int64_t level) const { return current <= level && level < current + room; }
};

/// Smallest first, ties by id, so that the remainder goes where it should.
std::vector<Vessel> vessels(const std::vector<GroupSize>& groups) {
    std::vector<Vessel> out;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const std::int64_t room = std::int64_t{groups[i].max} - groups[i].current;
        if (room > 0) out.push_back({i, groups[i].id, groups[i].current, room});
    }
    std::sort(out.begin(), out.end(), [](const Vessel& a, const Vessel& b) {
        return std::tie(a.current, a.id, a.group) < std::tie(b.current, b.id, b.group);
    });
    return out;
}

std::int64_t poured(const std::vector<Vessel>& all, std::int64_t level) {
    std::int64_t out = 0;
    for (const Vessel& v : all) out += v.filled_at(level);
    return out;
}

/// The highest level that takes no more than `nodes`, by halving: at most 33 looks at each group,
/// however many nodes.
std::int64_t water_level(const std::vector<Vessel>& all, std::int64_t nodes) {
    std::int64_t low = std::numeric_limits<int>::min();  // takes nothing
    std::int64_t high = std::int64_t{std::numeric_limits<int>::max()} + 1;
    while (high - low > 1) {
        const std::int64_t middle = low + (high - low) / 2;
        (poured(all, middle) <= nodes ? low : high) = middle;
    }
    return low;
}

}  // namespace

std::vector<Growth> balance(const std::vector<GroupSize>& groups, int nodes) {
    const std::vector<Vessel> all = vessels(groups);
    const std::int64_t level = water_level(all, nodes);
    std::int64_t left = nodes - poured(all, level);
    std::vector<Growth> out;
    for (const Vessel& v : all) {
        std::int64_t by = v.filled_at(level);
        if (left > 0 && v.is_open_at(level)) {
            ++by;
            --left;
        }
        if (by > 0) out.push_back({v.group, static_cast<int>(by)});
    }
    std::sort(out.begin(), out.end(),
              [](const Growth& a, const Growth& b) { return a.group < b.group; });
    return out;
}

}  // namespace capstan::balancer
