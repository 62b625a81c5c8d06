/// Pods that a preemption has promised a place to.
#pragma once

#include <optional>
#include <vector>

#include "engine/settings.hpp"
#include "engine/snapshot/cluster.hpp"

namespace capstan::engine::pods {

/// Pods bound to no node that are taken to be on one: nominated by a preemption. They fill
/// nominated nodes before anything else is placed.
struct Nomination {
    snapshot::PodGroupId equivalence_group = 0;
    snapshot::NodeIndex node = 0;
    bool operator==(const Nomination&) const = default;
};
/// By node, then by namespace and name of the pods, of which there is one entry each. Expendable
/// pods are not among them: they give way.
std::vector<Nomination> find_nominated(const snapshot::Cluster& cluster, const Settings& settings);

/// The node a pod without one is nominated to; nothing: to none, or to one that is not there.
std::optional<snapshot::NodeIndex> find_nominated_node(const snapshot::Cluster& cluster,
                                                       const snapshot::PodRow& pod) noexcept;

/// Whether such pods give way to all others: their priority is below the cut-off. Pods without a
/// priority never are.
bool is_expendable(const snapshot::PodSpec& spec, const Settings& settings) noexcept;

}  // namespace capstan::engine::pods
