/// What became of the steps of removals.
#pragma once

#include <optional>

#include "engine/actions.hpp"
#include "engine/decision.hpp"
#include "engine/memory.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"

namespace capstan::engine::removal {

/// Takes each removal to its next phase, or begins to undo it, and notes when the last one was done
/// or failed. Looks at node changes, evictions, and removals of machines that have a node.
Memory remember_steps(Memory memory, const Decision& decision, const Results& results,
                      const Settings& settings, Time now);

/// When the next step of a removal is due after that: at once where one is to be asked for again.
/// What waits for the cluster and not for the time has none, nor has a removal from a group that
/// could not be read in what was `seen`, nor where the cluster is not in touch any, but that marks
/// are taken off.
std::optional<Time> find_next_step(const Memory& memory, const Settings& settings, Time now,
                                   const Snapshot* seen = nullptr, bool is_in_touch = true);

}  // namespace capstan::engine::removal
