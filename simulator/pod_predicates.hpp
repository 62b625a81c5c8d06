/// Predicates about pods for invariants and sabotage. They are computed from the objects alone and
/// use none of the engine's rules, so that a defect of a rule does not hide itself.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <capstan/node_template.hpp>

#include "engine/actions.hpp"
#include "engine/decision.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"

namespace capstan::simulator {

/// Namespace and name: "default/web-7".
std::string name_of_pod(const engine::snapshot::Cluster& cluster, engine::PodIndex pod);
/// The pod of an eviction; absent: the pod is not on that node any more.
std::optional<engine::PodIndex> find_pod(const engine::snapshot::Cluster& cluster,
                                         const engine::Eviction& eviction);

/// A machine that its cloud agreed to remove.
struct RemovedMachine {
    NodeGroupId group{};
    MachineId machine{};
    std::string node{};  ///< empty: the machine never became a node
};
/// The machines that clouds agreed to remove, in the order of the decision.
std::vector<RemovedMachine> find_removed(const engine::Decision& decision,
                                         const engine::Results& results);

/// Whether the removal is of working machines, and not of machines that failed or never joined.
bool removes_working_nodes(const engine::MachineRemoval& removal);

/// Whether no more nodes are unready than ok_total_unready_count. Otherwise nothing is scaled.
bool is_cluster_healthy(const engine::snapshot::Cluster& cluster, const engine::Settings& settings);

/// Whether the pod is a DaemonSet's or a mirror pod, which only runs on its own node.
bool belongs_to_node(const engine::snapshot::Cluster& cluster, engine::PodIndex pod);
/// Whether the pod's priority is below the cut-off and its preemptionPolicy is not Never: other
/// pods may preempt it, and it keeps no node from being removed.
bool is_expendable(const engine::snapshot::Cluster& cluster, engine::PodIndex pod,
                   const engine::Settings& settings);
/// Whether the pod counts: its machine must not be removed while the pod runs on it. True for all
/// pods but those of DaemonSets, mirror pods, expendable pods and terminating pods.
bool counts(const engine::snapshot::Cluster& cluster, engine::PodIndex pod,
            const engine::Settings& settings);
/// Why the pod may not be moved off a working node; empty: it may be. Considers the annotations
/// safe-to-evict and safe-to-evict-local-volumes, owners, local volumes, pods of kube-system (one
/// without a budget stays until it is older than blocking_system_pod_disruption_timeout), and that
/// the API server evicts no pod with two budgets.
std::string why_unmovable(const engine::snapshot::Cluster& cluster, engine::PodIndex pod,
                          const engine::Settings& settings, Time wall);

/// Whether a PodDisruptionBudget selects the pod.
bool has_budget(const engine::snapshot::Cluster& cluster, engine::PodIndex pod);

/// Whether the pod has constraints other than resources, labels and taints: affinity, spread,
/// ports, claims, in-tree volumes or a negative priority. How many nodes such pods need depends on
/// the order in which they are tried.
bool has_other_constraints(const engine::snapshot::Cluster& cluster, engine::PodIndex pod,
                           const engine::Settings& settings);

/// Whether a node that is exactly as the group's template says surely has room for the pod. False
/// for pods with constraints other than resources, labels and taints. See also
/// chaos::ObservedTemplates.
bool surely_fits(const engine::snapshot::Cluster& cluster, engine::PodIndex pod,
                 const engine::Group& group, const engine::Settings& settings);

/// Whether an existing node may have room for the pod once its expendable pods are preempted. False
/// for pods with preemptionPolicy Never. The
/// autoscaler requests no machine for such a pod, since kube-scheduler preempts. The simulated
/// scheduler does not preempt, so the pod may stay pending.
bool may_preempt(const engine::snapshot::Cluster& cluster, engine::PodIndex pod,
                 const engine::Settings& settings);

/// The resources that a new node of a described group has left once the pods of all DaemonSets run.
Resources room_on_new_node(const engine::snapshot::Cluster& cluster, const engine::Group& group);

/// Whether a node with this template, when empty, may have room for the pod by resources, labels
/// and taints. Other constraints of the pod are ignored.
bool might_fit(const engine::snapshot::Cluster& cluster, engine::PodIndex pod,
               const NodeTemplate& node);

/// A template made from a real node, for `might_fit`: without the hostname and without taints of
/// Kubernetes and of the autoscaler, which come and go.
NodeTemplate template_from_node(const engine::snapshot::Cluster& cluster, engine::NodeIndex node);

}  // namespace capstan::simulator
