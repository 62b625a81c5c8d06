/// What a pass comes to, and what is remembered of it before and after it is carried out.
#pragma once

#include <optional>

#include "engine/decision.hpp"
#include "engine/memory.hpp"
#include "engine/settings.hpp"

namespace capstan::engine::pass {

struct Outcome {
    Decision decision;
    Memory memory;
    /// When to decide again even if nothing changes: a back-off ends, a pod grows old enough.
    /// Nothing: not before something changes. Once the decision is carried out, find_next_step
    /// (removal/results.hpp) says when what came of it is due.
    std::optional<Time> wake_at;
    PassFigures figures{};
};

/// What to save before a decision is carried out, for a host that dies in the middle of it: the
/// memory of before, what the nodes are for that are about to be ordered, which groups are about to
/// be made, and which are backed off for what the pass has found. The clouds will say that it was
/// done, though maybe not at once; only this record says for which pods.
Memory remember_plan(Memory before, const Outcome& outcome, const Settings& settings, Time now);

/// What became of a decision's actions: groups that are to come, requests that were taken, groups
/// that refused and are backed off for a while, steps of removals that are done or failed.
/// `results` is in the order of the decision, or empty for actions that were not carried out.
Memory remember_results(Memory memory, const Decision& decision, const Results& results,
                        const Settings& settings, Time now);

}  // namespace capstan::engine::pass
