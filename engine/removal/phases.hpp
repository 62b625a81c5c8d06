/// From one phase of a removal to the next.
#pragma once

#include <string>

#include <capstan/assert.hpp>

#include "engine/memory.hpp"
#include "engine/settings.hpp"

namespace capstan::engine::removal {

/// Moves a removal to its next phase. Phases come in order, and some may be skipped. A removal may
/// enter `removed` or `undoing` from any phase, and no other phase after that.
inline void enter(NodeRemoval& removal, RemovalPhase phase, Time now) {
    const bool is_end = phase == RemovalPhase::removed || phase == RemovalPhase::undoing;
    CAPSTAN_ASSERT(is_end || removal.phase < phase, "a removal goes back to an earlier phase");
    removal.phase = phase;
    removal.phase_since = now;
}

/// The removal of the node failed: from now on it is undone, and a cooldown begins.
void give_up(Memory& memory, NodeRemoval& removal, std::string because, Time now);

/// Gives the removal up and backs the node off, twice as long after each such failure in a row.
void give_up_and_back_off(Memory& memory, NodeRemoval& removal, std::string because,
                          const Settings& settings, Time now);

/// Ends the removal of a node from which another client took our taint: from now on the removal is
/// undone, and the node is backed off for ScaleDownSettings::delay_after_failure. No cooldown
/// begins, so other removals go on.
void end_unmarked_removal(Memory& memory, NodeRemoval& removal, const Settings& settings, Time now);

}  // namespace capstan::engine::removal
