/// The removal of nodes, step by step and pass by pass: taint, let the scheduler see it, evict,
/// wait, announce, have the cloud remove the machine, wait for the node to vanish; or undo it all.
/// All of it is in Memory, so a restart goes on where the removal was, and no removal waits for
/// another.
///
///     chosen -> tainting -> waiting -> draining -> delayed -> deleting -> removed -> (vanished)
///                  |           |          |                       |
///                  +-----------+----------+------> undoing <------+
#pragma once

#include <optional>
#include <vector>

#include "engine/actions.hpp"
#include "engine/decision.hpp"
#include "engine/drainability/candidates.hpp"
#include "engine/health/repairs.hpp"
#include "engine/node_marks.hpp"
#include "engine/scale_down/scale_down.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"

namespace capstan::engine::removal {

/// The next steps of all removals.
struct RemovalSteps {
    std::vector<NodeChange> node_changes{};  ///< by node; soft taints included
    std::vector<Eviction> evictions{};       ///< by node, then namespace and name
    std::vector<MachineRemoval> removals{};  ///< by group
    std::vector<std::string> notes{};
    /// When to look again: time makes the next step due, or a pod may have gone, or others may have
    /// their turn. What comes of the steps themselves find_next_step knows.
    std::optional<Time> wake_at{};
};

/// Before candidates are looked for: forgets removals whose node or machine has vanished, those
/// being undone only with their node; on the first pass after a start, has taints of a run that
/// could not remember them taken off the nodes of groups, and cordons only where they are ours.
/// Later on such taints belong to another client.
Memory remember_removals(Memory memory, const Snapshot& snapshot,
                         const templates::Membership& membership, const Settings& settings,
                         Time now);

/// Begins the removal of the chosen nodes, and takes every removal as far as it can go now.
/// `budgets`: evictions go no further than they allow now. `repairs`: of the same pass, whose
/// machines no minimum has any more.
RemovalSteps step_removals(const Snapshot& snapshot, const templates::Membership& membership,
                           const drainability::Candidates& candidates,
                           const scale_down::ScaleDown& plan, const health::Repairs& repairs,
                           pods::DisruptionBudgets budgets, Memory& memory,
                           const Settings& settings, const PassTime& time);

/// The steps that are taken where the cluster is not seen as it is: those that take marks off.
RemovalSteps step_back(const Snapshot& snapshot, const Memory& memory);

}  // namespace capstan::engine::removal
