/// The nodes to look at once more before their removal goes on, since a view may be old.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/decision.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot/cluster.hpp"

namespace capstan::engine::removal {

/// A node that may hold no other pods than those that the decision knew, but for pods that no drain
/// counts: a DaemonSet's, mirrors of static ones, finished ones, expendable ones.
struct NodeLook {
    std::string node{};
    std::vector<std::string> known_pods{};  ///< "namespace/name/uid", ascending
    /// Pods of a priority below this one are expendable, pods without a priority never are;
    /// nothing: no pod is.
    std::optional<int> expendable_below{};
    bool operator==(const NodeLook&) const = default;
};

/// The reason in the error of a look that found pods that the decision did not know: the call is
/// not retried, and the node stays.
inline constexpr std::string_view unknown_pods = "UnknownPods";

/// The nodes to look at before the decision is carried out: nodes to be tainted for removal and
/// nodes of machines to be removed; by name, each node once. `cluster`: the view of the decision.
std::vector<NodeLook> looks_before(const Decision& decision, const snapshot::Cluster& cluster,
                                   const Settings& settings);

}  // namespace capstan::engine::removal
