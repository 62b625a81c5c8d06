/// Plain judgements about pods, by the letter of what they say: nothing of the engine's own rules.
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

namespace capstan::simulation {

/// "default/web-7".
std::string name_of_pod(const engine::snapshot::Cluster& cluster, engine::snapshot::PodIndex pod);
/// The pod of an eviction; nothing: it is not on that node any more.
std::optional<engine::snapshot::PodIndex> find_pod(const engine::snapshot::Cluster& cluster,
                                                   const engine::Eviction& eviction);

/// A machine that its cloud agreed to remove.
struct RemovedMachine {
    NodeGroupId group{};
    MachineId machine{};
    std::string node{};  ///< empty: the machine never became a node
};
/// In the order of the decision.
std::vector<RemovedMachine> find_removed(const engine::Decision& decision,
                                         const engine::Results& results);

/// Whether its machines go though they work, and not because they failed or never became nodes.
bool is_of_nodes(const engine::MachineRemoval& removal);

/// With many nodes that are not ready nothing is scaled at all.
bool is_cluster_well(const engine::snapshot::Cluster& cluster, const engine::Settings& settings);

/// A DaemonSet's or a mirror pod: bound to its node, so it does not wait.
bool belongs_to_node(const engine::snapshot::Cluster& cluster, engine::snapshot::PodIndex pod);
/// Its priority is below the cut-off: it gives way to any other pod, and keeps no node.
bool is_expendable(const engine::snapshot::Cluster& cluster, engine::snapshot::PodIndex pod,
                   const engine::Settings& settings);
/// Whether its node must not go under it: no DaemonSet's or mirror pod, none that is expendable or
/// on its way out.
bool counts(const engine::snapshot::Cluster& cluster, engine::snapshot::PodIndex pod,
            const engine::Settings& settings);
/// Why it may not be moved off a node that works; empty: it may. Knows the annotations
/// safe-to-evict and safe-to-evict-local-volumes, owners, local volumes, the system's pods (one
/// without a budget stays for its first hour), and that the API evicts no pod with two budgets.
std::string why_unmovable(const engine::snapshot::Cluster& cluster, engine::snapshot::PodIndex pod,
                          const engine::Settings& settings, Time wall);

/// Whether a budget is about it.
bool has_budget(const engine::snapshot::Cluster& cluster, engine::snapshot::PodIndex pod);

/// Whether resources, labels and taints are not enough to tell where it fits: then it depends on
/// the order in which pods are tried how many nodes they need.
bool wants_more_than_room(const engine::snapshot::Cluster& cluster, engine::snapshot::PodIndex pod,
                          const engine::Settings& settings);

/// Whether a node that is just as the group's template says surely has room for the pod. False for
/// all that takes more than resources, labels and taints to tell. See KnownLooks.
bool surely_fits(const engine::snapshot::Cluster& cluster, engine::snapshot::PodIndex pod,
                 const engine::Group& group, const engine::Settings& settings);

/// Whether a node that is there may have room for the pod once pods that give way to all others
/// have done so. kube-scheduler sees to that, and so no machine is bought for it; the scheduler of
/// the simulation knows no preemption.
bool may_push_others_aside(const engine::snapshot::Cluster& cluster, engine::snapshot::PodIndex pod,
                           const engine::Settings& settings);

/// What a new node of a described group has left for pods once DaemonSets have theirs.
Resources room_on_new_node(const engine::snapshot::Cluster& cluster, const engine::Group& group);

/// Whether such a node, when it is empty, may have room for the pod. True for all that it takes
/// more than resources, labels and taints to tell.
bool might_fit(const engine::snapshot::Cluster& cluster, engine::snapshot::PodIndex pod,
               const NodeTemplate& node);

/// A node as the group's others really are, for `might_fit`: labels and taints without what comes
/// and goes with a node's life.
NodeTemplate look_of(const engine::snapshot::Cluster& cluster, engine::snapshot::NodeIndex node);

}  // namespace capstan::simulation
