#include "naive/naive_scheduler.hpp"

#include <functional>
#include <utility>

#include "naive/naive_predicates.hpp"

namespace capstan::engine::scheduling::naive {
namespace {

Node make_node(const snapshot::Cluster& cluster, NodeIndex index) {
    const snapshot::NodeRow& row = cluster.node(index);
    Node out{.name = std::string(cluster.text(row.name)),
             .labels = snapshot::to_labels(cluster, row.labels),
             .taints = {row.taints.begin(), row.taints.end()},
             .allocatable = *row.allocatable,
             .unschedulable = row.unschedulable};
    const auto csi = cluster.objects().csi_nodes.find(out.name);
    if (csi != cluster.objects().csi_nodes.end()) {
        out.attach_limits = csi->second.limits;
        out.migrated = csi->second.migrated;
    }
    for (const PodIndex at : cluster.pods_on(index)) {
        const snapshot::PodRow pod_row = cluster.pod(at);
        out.pods.push_back(make_pod(cluster, pod_row.equivalence_group));
        out.pods.back().name = cluster.text(pod_row.name);
        out.pods.back().terminating = pod_row.deleted;
    }
    return out;
}

Verdict dynamic_resources(const Pod& pod) {
    return pod.spec.uses_resource_claims ? Verdict("not simulated") : std::nullopt;
}

}  // namespace

NaiveCluster make_naive_cluster(const snapshot::Cluster& cluster) {
    NaiveCluster out{.nodes = {}, .objects = cluster.objects()};
    for (NodeIndex i = 0; i < cluster.node_count(); ++i) out.nodes.push_back(make_node(cluster, i));
    return out;
}

Pod make_pod(const snapshot::Cluster& cluster, PodGroupId equivalence_group) {
    const snapshot::PodGroupRow& row = cluster.equivalence_group(equivalence_group);
    Pod out{.ns = std::string(cluster.text(row.ns)),
            .spec = *row.spec,
            .labels = snapshot::to_labels(cluster, row.labels),
            .owner = *row.owner};
    for (const snapshot::Symbol claim : row.claims) out.claims.emplace_back(cluster.text(claim));
    return out;
}

std::size_t add_node(NaiveCluster& naive_cluster, const snapshot::Cluster& cluster,
                     const TemplateNode& template_node) {
    Node out{.labels = template_node.labels,
             .taints = template_node.taints,
             .allocatable = template_node.allocatable,
             .attach_limits = template_node.csi_limits,
             .migrated = template_node.csi_migrated};
    // No pod selects this value, because a value of a label contains no space.
    out.labels["kubernetes.io/hostname"] = "new " + std::to_string(naive_cluster.nodes.size());
    for (const PodGroupId daemon : template_node.daemons)
        out.pods.push_back(make_pod(cluster, daemon));
    naive_cluster.nodes.push_back(std::move(out));
    return naive_cluster.nodes.size() - 1;
}

Refusal why_not(const NaiveCluster& naive_cluster, const Pod& pod, std::size_t index) {
    const Node& node = naive_cluster.nodes.at(index);
    if (node.gone) return {Predicate::node_name, "the node is gone"};
    const std::pair<Predicate, std::function<Verdict()>> predicates[] = {
        {Predicate::node_unschedulable, [&] { return node_unschedulable(pod, node); }},
        {Predicate::taint_toleration, [&] { return taint_toleration(pod, node); }},
        {Predicate::node_affinity, [&] { return node_affinity(pod, node); }},
        {Predicate::node_ports, [&] { return node_ports(pod, node); }},
        {Predicate::node_resources_fit, [&] { return node_resources_fit(pod, node); }},
        {Predicate::volume_restrictions, [&] { return volume_restrictions(naive_cluster, pod); }},
        {Predicate::node_volume_limits,
         [&] { return node_volume_limits(naive_cluster, pod, node); }},
        {Predicate::volume_binding, [&] { return volume_binding(naive_cluster, pod, node); }},
        {Predicate::volume_zone, [&] { return volume_zone(naive_cluster, pod, node); }},
        {Predicate::pod_topology_spread,
         [&] { return pod_topology_spread(naive_cluster, pod, node); }},
        {Predicate::inter_pod_affinity,
         [&] { return inter_pod_affinity(naive_cluster, pod, node); }},
        {Predicate::dynamic_resources, [&] { return dynamic_resources(pod); }},
    };
    for (const auto& [predicate, check] : predicates) {
        if (Verdict no = check()) return {predicate, std::move(*no)};
    }
    return {};
}

bool fits(const NaiveCluster& naive_cluster, const Pod& pod, std::size_t node) {
    return why_not(naive_cluster, pod, node).predicate == Predicate::none;
}

std::optional<std::size_t> find_room(const NaiveCluster& naive_cluster, const Pod& pod) {
    for (std::size_t i = 0; i < naive_cluster.nodes.size(); ++i) {
        if (fits(naive_cluster, pod, i)) return i;
    }
    return std::nullopt;
}

}  // namespace capstan::engine::scheduling::naive
