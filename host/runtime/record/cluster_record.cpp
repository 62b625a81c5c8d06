#include "runtime/record/cluster_record.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "engine/snapshot/cluster.hpp"
#include "engine/snapshot/cluster_copy.hpp"

namespace capstan::runtime {
namespace {

/// Lists what pods refer to, each once and in the order in which it is met.
class ClassLists {
public:
    ClassLists(const engine::Cluster& cluster, ClusterRecord& out) : cluster_(cluster), out_(out) {}

    std::uint32_t add(engine::PodGroupId id) {
        const auto [known, is_new] =
            classes_.emplace(id, static_cast<std::uint32_t>(out_.classes.size()));
        if (is_new) out_.classes.push_back(record_of(cluster_.equivalence_group(id)));
        return known->second;
    }

private:
    PodClassRecord record_of(const engine::PodGroupRow& row) {
        PodClassRecord out{.spec = add(*row.spec),
                           .ns = std::string(cluster_.text(row.ns)),
                           .labels = to_labels(cluster_, row.labels),
                           .annotations = to_labels(cluster_, row.annotations),
                           .owner = *row.owner};
        for (const engine::Symbol claim : row.claims) out.claims.emplace_back(cluster_.text(claim));
        return out;
    }
    /// A cluster keeps equal specs once, so their addresses tell them apart.
    std::uint32_t add(const engine::PodSpec& spec) {
        const auto [known, is_new] =
            specs_.emplace(&spec, static_cast<std::uint32_t>(out_.specs.size()));
        if (is_new) out_.specs.push_back(spec);
        return known->second;
    }

    const engine::Cluster& cluster_;
    ClusterRecord& out_;
    // Looked up only; their order decides nothing.
    std::unordered_map<engine::PodGroupId, std::uint32_t> classes_;
    std::unordered_map<const engine::PodSpec*, std::uint32_t> specs_;
};

std::vector<engine::PodIndex> pods_by_name(const engine::Cluster& cluster) {
    std::vector<engine::PodIndex> out(cluster.pod_count());
    std::iota(out.begin(), out.end(), engine::PodIndex{0});
    std::ranges::sort(out, {}, [&](engine::PodIndex i) {
        const engine::PodRow pod = cluster.pod(i);
        return std::pair(cluster.text(cluster.equivalence_group(pod.equivalence_group).ns),
                         cluster.text(pod.name));
    });
    return out;
}

PodRecord pod_record(const engine::Cluster& cluster, const engine::PodRow& pod, std::uint32_t of) {
    const auto text = [&](engine::Symbol symbol) { return std::string(cluster.text(symbol)); };
    return {.name = text(pod.name),
            .uid = text(pod.uid),
            .of = of,
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

void add_objects(ClusterRecord& out, const engine::ClusterObjects& objects) {
    out.disruption_budgets = values_of<engine::DisruptionBudgetObject>(objects.budgets);
    out.controllers = values_of<engine::ControllerObject>(objects.controllers);
    out.claims = values_of<engine::ClaimObject>(objects.claims);
    out.volumes = values_of<engine::VolumeObject>(objects.volumes);
    out.storage_classes = values_of<engine::StorageClassObject>(objects.storage_classes);
    out.csi_nodes = values_of<engine::CsiNodeObject>(objects.csi_nodes);
    out.csi_drivers = values_of<engine::CsiDriverObject>(objects.csi_drivers);
    out.csi_capacities = values_of<engine::CsiCapacityObject>(objects.csi_capacities);
    for (const auto& [name, labels] : objects.namespaces) out.namespaces.push_back({name, labels});
    out.services = values_of<engine::ServiceObject>(objects.services);
}

Result<engine::PodObject> pod_object(const ClusterRecord& record, const PodRecord& pod) {
    const auto refuse = [&](const char* what, std::uint32_t index) {
        return fail(ErrorCode::invalid_argument,
                    "pod " + pod.name + ": there is no " + what + " " + std::to_string(index));
    };
    if (pod.of >= record.classes.size()) return refuse("class", pod.of);
    const PodClassRecord& its = record.classes[pod.of];
    if (its.spec >= record.specs.size()) return refuse("spec", its.spec);
    return engine::PodObject{.ns = its.ns,
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

ClusterRecord make_cluster_record(const engine::Cluster& cluster) {
    ClusterRecord out;
    for (engine::NodeIndex i = 0; i < cluster.node_count(); ++i)
        out.nodes.push_back(engine::node_object(cluster, cluster.node(i)));
    ClassLists classes(cluster, out);
    out.pods.reserve(cluster.pod_count());
    for (const engine::PodIndex i : pods_by_name(cluster)) {
        const engine::PodRow pod = cluster.pod(i);
        out.pods.push_back(pod_record(cluster, pod, classes.add(pod.equivalence_group)));
    }
    for (const engine::DaemonSetRow& row : cluster.daemon_sets())
        out.daemon_sets.push_back(*row.object);
    add_objects(out, cluster.objects());
    return out;
}

Result<engine::Cluster> make_cluster(const ClusterRecord& record,
                                     engine::ClusterBuilderOptions options) {
    engine::ClusterBuilder builder(std::move(options));
    const auto set_all = [&](const auto& objects) {
        for (const auto& object : objects) builder.set(object);
    };
    set_all(record.nodes);
    for (const PodRecord& pod : record.pods) {
        CAPSTAN_TRY(const engine::PodObject object, pod_object(record, pod));
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

}  // namespace capstan::runtime
