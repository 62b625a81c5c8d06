/// The nodes to check once more before their removal goes on, since the view may be old.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/decision.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot/cluster.hpp"

namespace capstan::engine::removal {

/// A check of one node: it may have no pods besides those that the decision knew. Pods that no
/// drain counts are ignored: pods of a DaemonSet, mirror pods, finished pods, expendable pods.
struct NodeRecheck {
    std::string node{};
    std::vector<std::string> known_pods{};  ///< "namespace/name/uid", ascending
    /// Pods of a priority below this one are expendable. Pods without a priority, or with
    /// preemptionPolicy Never, are not; absent: no pod is.
    std::optional<int> expendable_below{};
    bool operator==(const NodeRecheck&) const = default;
};

/// The provider_code of the error of a check that found pods that the decision did not know: the
/// call is not retried, and the node stays.
inline constexpr std::string_view unknown_pods = "UnknownPods";

/// The nodes to check before the decision is carried out: nodes to be tainted for removal and nodes
/// of machines to be removed; by name, each node once. `cluster`: the view of the decision.
std::vector<NodeRecheck> find_node_rechecks(const Decision& decision,
                                            const snapshot::Cluster& cluster,
                                            const Settings& settings);

}  // namespace capstan::engine::removal
