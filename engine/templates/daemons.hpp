/// Pods that run on a new node from the start: DaemonSet pods and static (mirror) pods.
#pragma once

#include <span>
#include <vector>

#include <capstan/labels.hpp>
#include <capstan/node_template.hpp>
#include <capstan/resources.hpp>
#include <capstan/taints.hpp>

#include "engine/snapshot/cluster.hpp"

namespace capstan::engine::templates {

/// What one pod of the equivalence group takes of a node: its requests, and one of "pods".
Resources taken_by(const snapshot::Cluster& cluster, PodGroupId equivalence_group);
/// What several pods take together; `pods` has one entry for each.
Resources taken_by(const snapshot::Cluster& cluster, std::span<const PodGroupId> pods);

/// Whether these are mirror pods: static pods of the kubelet.
bool is_mirror(const snapshot::Cluster& cluster, const snapshot::PodGroupRow& row) noexcept;
/// Whether a DaemonSet owns the pods, or an annotation says to treat them as DaemonSet pods.
bool is_of_daemon_set(const snapshot::Cluster& cluster, const snapshot::PodGroupRow& row) noexcept;
/// Whether the pods belong to their node: mirror pods and pods that a DaemonSet owns.
bool is_daemon(const snapshot::Cluster& cluster, PodGroupId equivalence_group) noexcept;

/// Whether this is the DaemonSet of kube-proxy in kube-system.
bool is_kube_proxy(const snapshot::DaemonSetObject& daemon_set) noexcept;

/// The mirror pods and DaemonSet pods of a node, without pods that are being deleted; ascending. A
/// DaemonSet counts once, with the equivalence group of its pod template, so that equal nodes have
/// equal daemons. If the requests of its pod differ from the template, the pod's own
/// equivalence group counts.
std::vector<PodGroupId> daemons_on(const snapshot::Cluster& cluster, NodeIndex node);

/// Adds to `daemons` a pod of every other DaemonSet that would run on the node. Such a DaemonSet
/// passes selector, affinity and taints, and fits into `room` after those of higher priority.
/// Taints that every DaemonSet pod tolerates are not considered, since templates have none of them.
/// Returns the DaemonSets that were added.
std::vector<const snapshot::DaemonSetRow*> add_missing_daemons(const snapshot::Cluster& cluster,
                                                               const NodeTemplate& node,
                                                               Resources room,
                                                               std::vector<PodGroupId>& daemons);

}  // namespace capstan::engine::templates
