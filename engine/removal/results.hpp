/// The results of the steps of removals.
#pragma once

#include <optional>

#include "engine/actions.hpp"
#include "engine/decision.hpp"
#include "engine/memory.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"

namespace capstan::engine::removal {

/// Moves each removal to its next phase, or begins to undo it, and records when the last removal
/// was done or failed. Takes the results of node changes, evictions, and removals of machines that
/// have a node.
Memory remember_steps(Memory memory, const Decision& decision, const Results& results,
                      const Settings& settings, Time now);

/// When the next step of any removal is due after remember_steps at `now`: now, if the results
/// began to undo a removal. An action that failed or has no result yet is requested again in the
/// next pass, which it does not bring forward: the API server or the cloud may fail for a long
/// time. A removal that waits for the cluster, and not for a time, does not count either. Of groups
/// that could not be read in `seen` (NULL: all could), and of all groups if the cluster cannot be
/// reached
/// (`is_in_touch` is false), only removals that are being undone count.
std::optional<Time> find_next_step(const Memory& memory, const Settings& settings, Time now,
                                   const Snapshot* seen = nullptr, bool is_in_touch = true);

}  // namespace capstan::engine::removal
