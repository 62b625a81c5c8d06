#include "engine/snapshot/cluster_copy.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace capstan::engine::snapshot {
namespace {

using Act = std::function<void(std::string_view, std::string_view)>;

/// Calls `act` for all keys `prefix` + "namespace/name".
void visit_full_names(const auto& objects, const std::string& prefix, const Act& act) {
    for (auto at = objects.lower_bound(prefix);
         at != objects.end() && at->first.starts_with(prefix); ++at) {
        const std::string_view name = std::string_view(at->first).substr(prefix.size());
        const std::size_t slash = name.find('/');
        act(name.substr(0, slash), name.substr(slash + 1));
    }
}

void visit_names(const auto& objects, const Act& act) {
    for (const auto& [name, object] : objects) act({}, name);
}

void visit_pods(const Cluster& cluster, const Act& act) {
    for (PodIndex i = 0; i < cluster.pod_count(); ++i) {
        const PodRow pod = cluster.pod(i);
        act(cluster.text(cluster.equivalence_group(pod.equivalence_group).ns),
            cluster.text(pod.name));
    }
}

}  // namespace

NodeObject node_object(const Cluster& cluster, const NodeRow& row) {
    const std::vector<std::string_view> addresses = addresses_of(cluster, row);
    return {.name = std::string(cluster.text(row.name)),
            .provider_id = std::string(cluster.text(row.provider_id)),
            .labels = to_labels(cluster, row.labels),
            .annotations = to_labels(cluster, row.annotations),
            .taints = {row.taints.begin(), row.taints.end()},
            .capacity = *row.capacity,
            .allocatable = *row.allocatable,
            .unschedulable = row.unschedulable,
            .ready = row.ready,
            .ready_since = row.ready_since,
            .suspended = row.suspended,
            .created = row.created,
            .addresses = {addresses.begin(), addresses.end()}};
}

PodObject pod_object(const Cluster& cluster, const PodRow& row) {
    const auto text = [&](Symbol symbol) { return std::string(cluster.text(symbol)); };
    const PodGroupRow& pod_group = cluster.equivalence_group(row.equivalence_group);
    PodObject out{.ns = text(pod_group.ns),
                  .name = text(row.name),
                  .uid = text(row.uid),
                  .spec = *pod_group.spec,
                  .labels = to_labels(cluster, pod_group.labels),
                  .annotations = to_labels(cluster, pod_group.annotations),
                  .owner = *pod_group.owner,
                  .node_name = text(row.node_name),
                  .nominated_node = text(row.nominated_node),
                  .phase = row.phase,
                  .unscheduled_reason = text(row.unscheduled_reason),
                  .gated = row.gated,
                  .deleted = row.deleted ? std::optional(row.deleted_at) : std::nullopt,
                  .created = row.created};
    for (const Symbol claim : pod_group.claims) out.claims.push_back(text(claim));
    return out;
}

void copy(const Cluster& cluster, ClusterSink& to) {
    for (NodeIndex i = 0; i < cluster.node_count(); ++i)
        to.set(node_object(cluster, cluster.node(i)));
    for (PodIndex i = 0; i < cluster.pod_count(); ++i) to.set(pod_object(cluster, cluster.pod(i)));
    for (const DaemonSetRow& row : cluster.daemon_sets()) to.set(*row.object);
    const auto set_all = [&](const auto& objects) {
        for (const auto& [name, object] : objects) to.set(object);
    };
    const ClusterObjects& all = cluster.objects();
    set_all(all.budgets);
    set_all(all.controllers);
    set_all(all.claims);
    set_all(all.volumes);
    set_all(all.storage_classes);
    set_all(all.csi_nodes);
    set_all(all.csi_drivers);
    set_all(all.csi_capacities);
    for (const auto& [name, labels] : all.namespaces) to.set(NamespaceObject{name, labels});
    set_all(all.services);
}

void for_each_name(const Cluster& cluster, ObjectKind kind, const Act& act) {
    const ClusterObjects& all = cluster.objects();
    switch (kind) {
        case ObjectKind::pod: return visit_pods(cluster, act);
        case ObjectKind::node:
            for (NodeIndex i = 0; i < cluster.node_count(); ++i)
                act({}, cluster.text(cluster.node(i).name));
            return;
        case ObjectKind::daemon_set:
            for (const DaemonSetRow& row : cluster.daemon_sets())
                act(row.object->ns, row.object->name);
            return;
        case ObjectKind::disruption_budget: return visit_full_names(all.budgets, "", act);
        case ObjectKind::replica_set: return visit_full_names(all.controllers, "ReplicaSet/", act);
        case ObjectKind::replication_controller:
            return visit_full_names(all.controllers, "ReplicationController/", act);
        case ObjectKind::stateful_set:
            return visit_full_names(all.controllers, "StatefulSet/", act);
        case ObjectKind::job: return visit_full_names(all.controllers, "Job/", act);
        case ObjectKind::claim: return visit_full_names(all.claims, "", act);
        case ObjectKind::volume: return visit_names(all.volumes, act);
        case ObjectKind::storage_class: return visit_names(all.storage_classes, act);
        case ObjectKind::csi_node: return visit_names(all.csi_nodes, act);
        case ObjectKind::csi_driver: return visit_names(all.csi_drivers, act);
        case ObjectKind::csi_capacity: return visit_full_names(all.csi_capacities, "", act);
        case ObjectKind::ns: return visit_names(all.namespaces, act);
        case ObjectKind::service: return visit_full_names(all.services, "", act);
    }
}

}  // namespace capstan::engine::snapshot
