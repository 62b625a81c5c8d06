#include "new_splitter.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <capstan/sentence.hpp>

namespace {

struct Room {
    std::uint32_t group;
    std::int64_t nodes;
};

/// The room of a group: 0 above its maximum, and unlimited without a maximum.
std::int64_t room_of(const capstan::GroupView& group) {
    if (!group.max()) return std::numeric_limits<std::int64_t>::max();
    return std::max<std::int64_t>(std::int64_t{*group.max()} - group.target().value_or(0), 0);
}

/// The groups with the most room first, and among equal ones the lower id: groups come ordered by
/// id.
std::vector<Room> rooms_of(const capstan::GroupList& groups) {
    std::vector<Room> rooms;
    for (std::uint32_t i = 0; i < groups.size(); ++i) rooms.push_back({i, room_of(groups[i])});
    std::ranges::sort(rooms, [](const Room& a, const Room& b) {
        return a.nodes != b.nodes ? a.nodes > b.nodes : a.group < b.group;
    });
    return rooms;
}

}  // namespace

void NewSplitter::split(const capstan::Call& call, int nodes, const capstan::GroupList& groups,
                        const capstan::GroupIncreases& grow) const {
    std::int64_t left = nodes;
    for (const Room& room : rooms_of(groups)) {
        const std::int64_t growth = std::min(left, room.nodes);
        if (growth <= 0) break;
        grow(room.group, static_cast<int>(growth));
        left -= growth;
    }
    if (left > 0) call.explain("the groups have no room for " + capstan::counted(left, "node"));
}
