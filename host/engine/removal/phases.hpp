/// From one phase of a removal to the next.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/memory.hpp"
#include "engine/snapshot.hpp"

namespace capstan::engine {

std::string_view name_of(RemovalPhase phase) noexcept;  ///< "draining"

inline void enter(NodeRemoval& removal, RemovalPhase phase, Time now) {
    removal.phase = phase;
    removal.phase_since = now;
}

/// The removal of the node failed: from now on it is undone, and removals rest for a while.
void give_up(Memory& memory, NodeRemoval& removal, std::string because, Time now);

/// Whether its machine has not been asked to go yet.
bool is_revocable(RemovalPhase phase) noexcept;

/// NULL: there is none. Borrows from the snapshot.
const Group* find_group(const Snapshot& snapshot, const NodeGroupId& id) noexcept;
bool is_zero_or_max(const Group* group) noexcept;

inline void wake_by(std::optional<Time>& wake_at, Time time) {
    if (!wake_at || time < *wake_at) wake_at = time;
}

}  // namespace capstan::engine
