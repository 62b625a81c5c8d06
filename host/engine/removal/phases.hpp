/// From one phase of a removal to the next.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/memory.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"

namespace capstan::engine {

std::string_view name_of(RemovalPhase phase) noexcept;  ///< "draining"

inline void enter(NodeRemoval& removal, RemovalPhase phase, Time now) {
    removal.phase = phase;
    removal.phase_since = now;
}

/// The removal of the node failed: from now on it is undone, and removals rest for a while.
void give_up(Memory& memory, NodeRemoval& removal, std::string because, Time now);

/// The same, and the node is left alone for a while, twice as long after each such end in a row:
/// what failed may well fail again.
void give_up_and_back_off(Memory& memory, NodeRemoval& removal, std::string because,
                          const Settings& settings, Time now);

/// Ends the removal of a node without our taint, taken off by another hand: from now on the
/// removal is undone, and the node is left alone for ScaleDownSettings::delay_after_failure. Other
/// removals go on.
void release(Memory& memory, NodeRemoval& removal, const Settings& settings, Time now);

/// Whether the cloud has not been asked for the machine's removal yet.
bool is_revocable(RemovalPhase phase) noexcept;

bool is_zero_or_max(const Group* group) noexcept;
/// Whether removals from the group wait, since the cloud could not tell of the group.
bool is_unreadable(const Group* group) noexcept;

inline void wake_by(std::optional<Time>& wake_at, Time time) {
    if (!wake_at || time < *wake_at) wake_at = time;
}

}  // namespace capstan::engine
