/// The outcome of a pass, and what is remembered before and after it is carried out.
#pragma once

#include <optional>

#include "engine/decision.hpp"
#include "engine/memory.hpp"
#include "engine/settings.hpp"

namespace capstan::engine::pass {

struct Outcome {
    Decision decision;
    Memory memory;
    /// When to run the next pass even if nothing changes: a back-off ends, a pod gets old enough.
    /// Absent: only when something changes. Once the decision is carried out, find_next_step
    /// (removal/results.hpp) says when the next step of a removal is due.
    std::optional<Time> wake_at;
    PassFigures figures{};
};

/// The memory to save before a decision is carried out, in case the host stops in the middle of it:
/// the memory from before the pass, with the pods for which nodes are about to be ordered, the
/// groups that are about to be made, the increases and removals of machines without a node as
/// possibly accepted, the new back-offs, and the nodes and machines that the pass has seen.
/// After a restart the clouds show, maybe late, what was carried out; only this record says for
/// which pods.
Memory remember_plan(Memory before, const Outcome& outcome, const Settings& settings, Time now);

/// Records the results of a decision's actions: upcoming groups, accepted requests, back-offs
/// after failed increases, steps of removals that are done or failed. `results` is in the
/// order of the decision, or empty for actions that were not carried out.
Memory remember_results(Memory memory, const Decision& decision, const Results& results,
                        const Settings& settings, Time now);

}  // namespace capstan::engine::pass
