#include "engine/removal/phases.hpp"

#include <algorithm>
#include <utility>

namespace capstan::engine {

std::string_view name_of(RemovalPhase phase) noexcept {
    switch (phase) {
        case RemovalPhase::tainting: return "tainting";
        case RemovalPhase::waiting: return "waiting";
        case RemovalPhase::draining: return "draining";
        case RemovalPhase::delayed: return "delayed";
        case RemovalPhase::deleting: return "deleting";
        case RemovalPhase::removed: return "removed";
        case RemovalPhase::undoing: return "undoing";
    }
    return "undoing";
}

void give_up(Memory& memory, NodeRemoval& removal, std::string because, Time now) {
    enter(removal, RemovalPhase::undoing, now);
    removal.because = std::move(because);
    memory.last.failed_removal = now;
    memory.last_of[removal.group].failed_removal = now;
}

bool is_revocable(RemovalPhase phase) noexcept {
    switch (phase) {
        case RemovalPhase::tainting:
        case RemovalPhase::waiting:
        case RemovalPhase::draining:
        case RemovalPhase::delayed: return true;
        case RemovalPhase::deleting:
        case RemovalPhase::removed:
        case RemovalPhase::undoing: return false;
    }
    return false;
}

const Group* find_group(const Snapshot& snapshot, const NodeGroupId& id) noexcept {
    const auto id_of = [](const Group& group) -> const NodeGroupId& { return group.group.id; };
    const auto at = std::ranges::lower_bound(*snapshot.groups, id, {}, id_of);
    return at != snapshot.groups->end() && id_of(*at) == id ? &*at : nullptr;
}

bool is_zero_or_max(const Group* group) noexcept {
    return group != nullptr && group->options.zero_or_max.value_or(false);
}

}  // namespace capstan::engine
