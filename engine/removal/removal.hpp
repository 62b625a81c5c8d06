/// The removal of nodes, step by step: taint, let the scheduler see the taint, evict, wait, taint
/// with BeingDeleted, have the cloud remove the machine, wait for the node to vanish; or undo all
/// of it. The state is in Memory, so a removal goes on after a restart. Removals wait for each
/// other only within a batch of machines.
///
///     chosen -> tainting -> waiting -> draining -> delayed -> deleting -> removed -> (vanished)
///     any of these phases -> undoing
#pragma once

#include <optional>
#include <vector>

#include "engine/actions.hpp"
#include "engine/decision.hpp"
#include "engine/drainability/candidates.hpp"
#include "engine/health/repairs.hpp"
#include "engine/node_marks.hpp"
#include "engine/pass_view.hpp"
#include "engine/scale_down/scale_down.hpp"

namespace capstan::engine::removal {

/// The next steps of all removals.
struct RemovalSteps {
    std::vector<NodeChange> node_changes{};  ///< by node; soft taints included
    std::vector<Eviction> evictions{};       ///< by node, then namespace and name
    std::vector<MachineRemoval> removals{};  ///< by group
    std::vector<std::string> notes{};
    /// When to run the next pass: a step gets due, a pod may be gone, or other removals may begin.
    /// For the results of the steps themselves see find_next_step.
    std::optional<Time> wake_at{};
};

/// To be called before candidates are found. Forgets a removal if its node has vanished, unless the
/// cloud still lists the machine that it agreed to remove, and in phases before `removed` also if
/// its machine has vanished. In the first pass that reads a group after a start, begins to undo
/// removals of an earlier run that are not remembered: their taints are taken off nodes of the
/// group, and cordons if they are ours. Later on such taints belong to another client.
Memory remember_removals(Memory memory, const Snapshot& snapshot,
                         const templates::Membership& membership, const Settings& settings,
                         Time now);

/// Begins the removal of the chosen nodes, and advances every removal as far as possible now.
/// `budgets`: evictions stay within what they allow now. `repairs`: of the same pass; the machines
/// that they remove do not count towards minima. `memory`: the one of `view`.
RemovalSteps step_removals(const PassView& view, const drainability::Candidates& candidates,
                           const scale_down::ScaleDown& plan, const health::Repairs& repairs,
                           pods::DisruptionBudgets budgets, Memory& memory);

/// The steps of a pass without a current view of the cluster: only removals that are being undone
/// go on.
RemovalSteps step_undoing_only(const Snapshot& snapshot, const Memory& memory);

}  // namespace capstan::engine::removal
