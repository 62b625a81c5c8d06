/// What became of the steps of removals.
#pragma once

#include "engine/actions.hpp"
#include "engine/decision.hpp"
#include "engine/memory.hpp"
#include "engine/settings.hpp"

namespace capstan::engine {

/// Takes each removal to its next phase, or begins to undo it, and notes when the last one was done
/// or failed. Looks at node changes, evictions, and removals of machines that have a node.
Memory remember_steps(Memory memory, const Decision& decision, const Results& results,
                      const Settings& settings, Time now);

}  // namespace capstan::engine
