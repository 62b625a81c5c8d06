/// Pods that a preemption has nominated to a node.
#pragma once

#include <optional>
#include <vector>

#include "engine/settings.hpp"
#include "engine/snapshot/cluster.hpp"

namespace capstan::engine::pods {

/// An unbound pod with the node that it is nominated to. If the node has room, it is placed there
/// before any other pod is placed.
struct Nomination {
    PodGroupId equivalence_group = 0;
    NodeIndex node = 0;
    bool operator==(const Nomination&) const = default;
};
/// One entry for each nominated pod, by node, then by namespace and name of the pod. Pods that are
/// being deleted, gated or expendable are left out.
std::vector<Nomination> find_nominated(const snapshot::Cluster& cluster, const Settings& settings);

/// The node that the pod is nominated to; absent: there is no nomination, or no such node.
std::optional<NodeIndex> find_nominated_node(const snapshot::Cluster& cluster,
                                             const snapshot::PodRow& pod) noexcept;

/// Whether pods with this spec are expendable: their priority is below the cut-off. A pod without a
/// priority, or with preemptionPolicy Never, is never expendable.
bool is_expendable(const snapshot::PodSpec& spec, const Settings& settings) noexcept;

}  // namespace capstan::engine::pods
