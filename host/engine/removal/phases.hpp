/// From one phase of a removal to the next.
#pragma once

#include <string>

#include <capstan/assert.hpp>

#include "engine/memory.hpp"
#include "engine/settings.hpp"

namespace capstan::engine::removal {

/// A removal goes through its phases in order and may pass over some. A removal that ends, because
/// its machine is gone or it is undone, may do so in any phase, and never goes on.
inline void enter(NodeRemoval& removal, RemovalPhase phase, Time now) {
    const bool is_end = phase == RemovalPhase::removed || phase == RemovalPhase::undoing;
    CAPSTAN_ASSERT(is_end || removal.phase < phase, "a removal goes back to an earlier phase");
    removal.phase = phase;
    removal.phase_since = now;
}

/// The removal of the node failed: from now on it is undone, and removals rest for a while.
void give_up(Memory& memory, NodeRemoval& removal, std::string because, Time now);

/// The same, and the node is backed off for a while, twice as long after each such end in a row:
/// what failed may well fail again.
void give_up_and_back_off(Memory& memory, NodeRemoval& removal, std::string because,
                          const Settings& settings, Time now);

/// Ends the removal of a node without our taint, taken off by another hand: from now on the
/// removal is undone, and the node is backed off for ScaleDownSettings::delay_after_failure. Other
/// removals go on.
void release(Memory& memory, NodeRemoval& removal, const Settings& settings, Time now);

}  // namespace capstan::engine::removal
