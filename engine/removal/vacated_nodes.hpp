/// The steps for nodes whose machines are about to leave (health/leaving_nodes.hpp): a taint, and
/// evictions with no more grace than there is time.
///
/// A pod is evicted at once if it has a place on another node. Otherwise it runs on until its grace
/// period just fits in the time that is left: meanwhile a new node may join. A pod that a drain
/// rule keeps on its node also runs until then. Evictions keep to disruption budgets. These steps
/// leave the machine to its cloud.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/actions.hpp"
#include "engine/health/leaving_nodes.hpp"
#include "engine/memory.hpp"
#include "engine/pods/disruption_budgets.hpp"
#include "engine/removal/removal.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"

namespace capstan::engine::removal {

/// By pod equivalence group: how many of its pods that have to move have a place on other nodes,
/// once all pending pods have theirs.
using FreePlaces = std::map<PodGroupId, int>;

/// Takes a place for the pod. Whether there was one.
bool take_place(FreePlaces& places, const snapshot::Cluster& cluster, PodIndex pod);

struct VacatingSteps {
    std::vector<NodeChange> node_changes{};  ///< by node
    std::vector<Eviction> evictions{};       ///< by node, then namespace and name
    std::optional<Time> wake_at{};
};

/// Evicts the pods of vacated nodes. Sets and takes off the taint of leaving machines: NoSchedule
/// on vacated nodes, PreferNoSchedule on avoided ones, none on others. The view alone decides, so
/// nothing is left after a restart. While its group cannot be read, a node keeps its taint. A ready
/// node whose machine no cloud lists keeps the taint until ScaleDownSettings::max_deletion_time
/// after the time in the notice. Takes evictions off `budgets`, places off `places`, and records in
/// `memory.leaving` what was asked for. If ScaleDownSettings::drain_leaving_nodes is off, all such
/// taints are taken off.
VacatingSteps step_vacated_nodes(const PassView& view,
                                 const std::vector<health::LeavingNode>& leaving,
                                 pods::DisruptionBudgets& budgets, FreePlaces& places,
                                 Memory& memory);

/// Gives up removals whose pods have no place any more, because other pods have taken it or pods of
/// vacated nodes need it: otherwise pods of a node that could stay would wait for a new node. Only
/// removals in a phase up to `draining`.
void give_up_without_places(const PassView& view, FreePlaces places,
                            const pods::DisruptionBudgets& budgets, Memory& memory);

/// Adds `more` to `steps`. Changes of one node become one change.
void add_steps(RemovalSteps& steps, VacatingSteps more);

}  // namespace capstan::engine::removal
