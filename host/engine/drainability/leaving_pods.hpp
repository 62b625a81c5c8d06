/// The pods of a node that is being removed, by what becomes of them.
#pragma once

#include <string>
#include <vector>

#include "engine/memory.hpp"
#include "engine/pass_time.hpp"
#include "engine/pods/disruption_budgets.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"
#include "engine/snapshot/cluster.hpp"

namespace capstan::engine::drainability {

/// Each list by namespace and name. Pods that count for nothing are in none.
struct LeavingPods {
    std::vector<snapshot::PodIndex> moving{};  ///< to be evicted
    std::vector<snapshot::PodIndex>
        ending{};  ///< end by themselves: being deleted, or said to be waited for
    std::vector<snapshot::PodIndex> daemons{};  ///< of DaemonSets, that run
    /// The first pod that may not be moved; empty: there is none. A budget that allows nothing now
    /// is no such thing: the drain waits for it.
    std::string blocked_because{};
};

LeavingPods find_leaving_pods(const snapshot::Cluster& cluster, snapshot::NodeIndex node,
                              const pods::DisruptionBudgets& budgets, const Settings& settings,
                              const PassTime& time);

/// Why a node that was empty is not any more: "new pods were scheduled on it: web/a"; empty: it is.
std::string why_not_empty(const snapshot::Cluster& cluster, const LeavingPods& pods);

std::string pod_key(const snapshot::Cluster& cluster,
                    snapshot::PodIndex pod);  ///< "namespace/name/uid"
void sort_by_name(const snapshot::Cluster& cluster, std::vector<snapshot::PodIndex>& pods);

/// Pods of nodes that are being drained and that will want another place: they count as pending,
/// since what replaces them is not there yet. By namespace and name.
std::vector<snapshot::PodIndex> evicted_pods(const Snapshot& snapshot, const Memory& memory,
                                             const Settings& settings, Time now);

}  // namespace capstan::engine::drainability
