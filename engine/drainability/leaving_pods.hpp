/// The pods of a node that is being removed, sorted by what happens to them.
#pragma once

#include <string>
#include <vector>

#include "engine/health/leaving_nodes.hpp"
#include "engine/memory.hpp"
#include "engine/pass_time.hpp"
#include "engine/pods/disruption_budgets.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"
#include "engine/snapshot/cluster.hpp"

namespace capstan::engine::drainability {

/// Each list is by namespace and name. Pods that drain rules skip, and pods that block the node,
/// are in no list.
struct LeavingPods {
    std::vector<PodIndex> moving{};   ///< to be evicted
    std::vector<PodIndex> ending{};   ///< being deleted, or Drain::wait
    std::vector<PodIndex> daemons{};  ///< of DaemonSets, not being deleted
    /// Why the first pod that blocks the node does so; empty: no pod does. A budget that allows no
    /// disruption now does not block a node here, since a drain waits for it.
    std::string blocked_because{};
};

LeavingPods find_leaving_pods(const snapshot::Cluster& cluster, NodeIndex node,
                              const pods::DisruptionBudgets& budgets, const Settings& settings,
                              const PassTime& time);

/// Why a node that was empty is not empty any more: "new pods were scheduled on it: web/a"; empty:
/// it still is.
std::string why_not_empty(const snapshot::Cluster& cluster, const LeavingPods& pods);

/// "namespace/name/uid"
std::string pod_key(const snapshot::Cluster& cluster, PodIndex pod);
void sort_by_name(const snapshot::Cluster& cluster, std::vector<PodIndex>& pods);

/// Whether a controller will create another pod in place of this one, for which a node is needed.
/// Not so for DaemonSet, mirror and expendable pods, nor if the pod is being deleted: then the
/// other pod may exist already.
bool is_recreated(const snapshot::Cluster& cluster, PodIndex pod, const Settings& settings);

/// The pods that a controller will replace elsewhere (is_recreated), by namespace and name: those
/// of vacated nodes of `leaving`, and those of nodes that a removal is to drain, without pods whose
/// eviction is barred. They count as pending, since their replacements do not exist yet.
std::vector<PodIndex> evicted_pods(const Snapshot& snapshot, const Memory& memory,
                                   const std::vector<health::LeavingNode>& leaving,
                                   const Settings& settings);

}  // namespace capstan::engine::drainability
