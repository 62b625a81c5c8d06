/// Pods that run on a new node from the start, whichever others come.
#pragma once

#include <span>
#include <vector>

#include <capstan/labels.hpp>
#include <capstan/node_template.hpp>
#include <capstan/resources.hpp>
#include <capstan/taints.hpp>

#include "engine/snapshot/cluster.hpp"

namespace capstan::engine::templates {

/// What one pod of the class takes of a node, "pods" included.
Resources taken_by(const snapshot::Cluster& cluster, snapshot::PodGroupId equivalence_group);
/// The same of several pods together.
Resources taken_by(const snapshot::Cluster& cluster, std::span<const snapshot::PodGroupId> pods);

/// Whether such pods are the kubelet's own, static ones.
bool is_mirror(const snapshot::Cluster& cluster, const snapshot::PodGroupRow& row) noexcept;
/// Whether they are a DaemonSet's, or by annotation to be treated as such.
bool is_of_daemon_set(const snapshot::Cluster& cluster, const snapshot::PodGroupRow& row) noexcept;
/// Whether such pods belong to their node: mirror pods and those that a DaemonSet owns.
bool is_daemon(const snapshot::Cluster& cluster, snapshot::PodGroupId equivalence_group) noexcept;

/// Whether the pods are kube-proxy's, as a DaemonSet of the system runs them.
bool is_kube_proxy(const snapshot::DaemonSetObject& daemon_set) noexcept;

/// Mirror pods and DaemonSet pods of a node that is there, without those that are going; ascending.
/// A DaemonSet counts once, under the class of its template unless its pod was given other
/// requests: nodes of one make then have the same daemons.
std::vector<snapshot::PodGroupId> daemons_on(const snapshot::Cluster& cluster,
                                             snapshot::NodeIndex node);

/// Adds, to daemons that a new node has already, those of the DaemonSets that would run there too:
/// selector, affinity and taints let them, and there is room after those of higher priority. The
/// taints that every DaemonSet pod tolerates are no matter: templates have none of them. Returns
/// the rows that were added.
std::vector<const snapshot::DaemonSetRow*> add_missing_daemons(
    const snapshot::Cluster& cluster, const NodeTemplate& node, Resources room,
    std::vector<snapshot::PodGroupId>& daemons);

}  // namespace capstan::engine::templates
