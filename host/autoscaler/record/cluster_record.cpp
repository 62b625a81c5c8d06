#include "autoscaler/record/cluster_record.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "engine/snapshot/cluster.hpp"
#include "engine/snapshot/cluster_copy.hpp"

namespace capstan::autoscaler::record {
namespace {

/// Collects the pod groups and specs that pods refer to, each once, in the order of the first use.
class PodGroupLists {
public:
    PodGroupLists(const engine::snapshot::Cluster& cluster, ClusterRecord& out)
        : cluster_(cluster), out_(out) {}

    std::uint32_t add(engine::PodGroupId id) {
        const auto [known, is_new] =
            pod_groups_.emplace(id, static_cast<std::uint32_t>(out_.pod_groups.size()));
        if (is_new) out_.pod_groups.push_back(record_of(cluster_.equivalence_group(id)));
        return known->second;
    }

private:
    PodGroupRecord record_of(const engine::snapshot::PodGroupRow& row) {
        PodGroupRecord out{.spec = add(*row.spec),
                           .ns = std::string(cluster_.text(row.ns)),
                           .labels = to_labels(cluster_, row.labels),
                           .annotations = to_labels(cluster_, row.annotations),
                           .owner = *row.owner};
        for (const engine::snapshot::Symbol claim : row.claims)
            out.claims.emplace_back(cluster_.text(claim));
        return out;
    }
    /// A cluster has equal specs once, so a spec is identified by its address.
    std::uint32_t add(const engine::snapshot::PodSpec& spec) {
        const auto [known, is_new] =
            specs_.emplace(&spec, static_cast<std::uint32_t>(out_.specs.size()));
        if (is_new) out_.specs.push_back(spec);
        return known->second;
    }

    const engine::snapshot::Cluster& cluster_;
    ClusterRecord& out_;
    // Never iterated, so their order has no effect.
    std::unordered_map<engine::PodGroupId, std::uint32_t> pod_groups_;
    std::unordered_map<const engine::snapshot::PodSpec*, std::uint32_t> specs_;
};

std::vector<engine::PodIndex> pods_by_name(const engine::snapshot::Cluster& cluster) {
    std::vector<engine::PodIndex> out(cluster.pod_count());
    std::iota(out.begin(), out.end(), engine::PodIndex{0});
    std::ranges::sort(out, {}, [&](engine::PodIndex i) {
        const engine::snapshot::PodRow pod = cluster.pod(i);
        return std::pair(cluster.text(cluster.equivalence_group(pod.equivalence_group).ns),
                         cluster.text(pod.name));
    });
    return out;
}

PodRecord pod_record(const engine::snapshot::Cluster& cluster, const engine::snapshot::PodRow& pod,
                     std::uint32_t pod_group) {
    const auto text = [&](engine::snapshot::Symbol symbol) {
        return std::string(cluster.text(symbol));
    };
    return {.name = text(pod.name),
            .uid = text(pod.uid),
            .pod_group = pod_group,
            .node = text(pod.node_name),
            .nominated_node = text(pod.nominated_node),
            .unscheduled_reason = text(pod.unscheduled_reason),
            .phase = pod.phase,
            .gated = pod.gated,
            .deleted = pod.deleted ? std::optional(pod.deleted_at) : std::nullopt,
            .created = pod.created};
}

template <class T, class Map>
std::vector<T> values_of(const Map& objects) {
    std::vector<T> out;
    for (const auto& [name, object] : objects) out.push_back(object);
    return out;
}

void add_objects(ClusterRecord& out, const engine::snapshot::ClusterObjects& objects) {
    out.disruption_budgets = values_of<engine::snapshot::DisruptionBudgetObject>(objects.budgets);
    out.controllers = values_of<engine::snapshot::ControllerObject>(objects.controllers);
    out.claims = values_of<engine::snapshot::ClaimObject>(objects.claims);
    out.volumes = values_of<engine::snapshot::VolumeObject>(objects.volumes);
    out.storage_classes = values_of<engine::snapshot::StorageClassObject>(objects.storage_classes);
    out.csi_nodes = values_of<engine::snapshot::CsiNodeObject>(objects.csi_nodes);
    out.csi_drivers = values_of<engine::snapshot::CsiDriverObject>(objects.csi_drivers);
    out.csi_capacities = values_of<engine::snapshot::CsiCapacityObject>(objects.csi_capacities);
    for (const auto& [name, labels] : objects.namespaces) out.namespaces.push_back({name, labels});
    out.services = values_of<engine::snapshot::ServiceObject>(objects.services);
}

Result<engine::snapshot::PodObject> pod_object(const ClusterRecord& record, const PodRecord& pod) {
    const auto refuse = [&](const char* what, std::uint32_t index) {
        return fail(ErrorCode::invalid_argument,
                    "pod " + pod.name + ": no " + what + " " + std::to_string(index));
    };
    if (pod.pod_group >= record.pod_groups.size()) return refuse("pod group", pod.pod_group);
    const PodGroupRecord& its = record.pod_groups[pod.pod_group];
    if (its.spec >= record.specs.size()) return refuse("spec", its.spec);
    return engine::snapshot::PodObject{.ns = its.ns,
                                       .name = pod.name,
                                       .uid = pod.uid,
                                       .spec = record.specs[its.spec],
                                       .labels = its.labels,
                                       .annotations = its.annotations,
                                       .owner = its.owner,
                                       .claims = its.claims,
                                       .node_name = pod.node,
                                       .nominated_node = pod.nominated_node,
                                       .phase = pod.phase,
                                       .unscheduled_reason = pod.unscheduled_reason,
                                       .gated = pod.gated,
                                       .deleted = pod.deleted,
                                       .created = pod.created};
}

}  // namespace

ClusterRecord make_cluster_record(const engine::snapshot::Cluster& cluster) {
    ClusterRecord out;
    for (engine::NodeIndex i = 0; i < cluster.node_count(); ++i)
        out.nodes.push_back(engine::snapshot::node_object(cluster, cluster.node(i)));
    PodGroupLists pod_groups(cluster, out);
    out.pods.reserve(cluster.pod_count());
    for (const engine::PodIndex i : pods_by_name(cluster)) {
        const engine::snapshot::PodRow pod = cluster.pod(i);
        out.pods.push_back(pod_record(cluster, pod, pod_groups.add(pod.equivalence_group)));
    }
    for (const engine::snapshot::DaemonSetRow& row : cluster.daemon_sets())
        out.daemon_sets.push_back(*row.object);
    add_objects(out, cluster.objects());
    return out;
}

Result<engine::snapshot::Cluster> make_cluster(const ClusterRecord& record,
                                               engine::snapshot::ClusterBuilderOptions options) {
    engine::snapshot::ClusterBuilder builder(std::move(options));
    const auto set_all = [&](const auto& objects) {
        for (const auto& object : objects) builder.set(object);
    };
    set_all(record.nodes);
    for (const PodRecord& pod : record.pods) {
        CAPSTAN_TRY(const engine::snapshot::PodObject object, pod_object(record, pod));
        builder.set(object);
    }
    set_all(record.daemon_sets);
    set_all(record.disruption_budgets);
    set_all(record.controllers);
    set_all(record.claims);
    set_all(record.volumes);
    set_all(record.storage_classes);
    set_all(record.csi_nodes);
    set_all(record.csi_drivers);
    set_all(record.csi_capacities);
    set_all(record.namespaces);
    set_all(record.services);
    return builder.build();
}

}  // namespace capstan::autoscaler::record
