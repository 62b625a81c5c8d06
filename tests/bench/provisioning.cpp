#include "provisioning.hpp"

#include <algorithm>
#include <chrono>

namespace capstan::bench {
namespace {

constexpr const char* zone_label = "topology.kubernetes.io/zone";

std::vector<engine::CloudMachines> make_machines(const ProvisioningWorkload& workload) {
    engine::CloudMachines out{.cloud = PluginInstanceId("bench")};
    for (int t = 0; t < workload.types; ++t) {
        const std::int64_t cores = 2 + t;
        MachineType type{
            .name = "type-" + std::to_string(100 + t),
            .labels = {{"kubernetes.io/arch", "amd64"}, {"kubernetes.io/os", "linux"}},
            .capacity = {{"cpu", cores * 1000}, {"memory", cores << 32}, {"pods", 110}}};
        type.allocatable = type.capacity;
        for (int z = 0; z < workload.zones; ++z) {
            const std::string zone = "zone-" + std::to_string(z);
            type.offerings.push_back({.zone = zone, .labels = {{zone_label, zone}}});
        }
        out.types.push_back(std::move(type));
    }
    return {std::move(out)};
}

void add_pending(engine::snapshot::ClusterBuilder& builder, const ProvisioningWorkload& workload) {
    for (int s = 0; s < workload.selectors; ++s) {
        for (int i = 0; i < workload.pods_per_selector; ++i) {
            engine::snapshot::PodObject pod{
                .name = "team-" + std::to_string(s) + "-" + std::to_string(i),
                .unscheduled_reason = "Unschedulable",
                .created = bench_time - std::chrono::hours(1)};
            pod.spec.requests = {{"cpu", 1000}, {"memory", std::int64_t{1} << 30}};
            pod.spec.node_selector = {{"team", std::to_string(s)}};
            builder.set(pod);
        }
    }
}

}  // namespace

engine::Snapshot make_provisioning_snapshot(const ProvisioningWorkload& workload) {
    engine::snapshot::ClusterBuilder builder;
    for (const engine::snapshot::NodeObject& node : make_nodes(workload.cluster)) builder.set(node);
    for (const engine::snapshot::PodObject& pod : make_running_pods(workload.cluster))
        builder.set(pod);
    add_pending(builder, workload);
    return {.cluster = builder.build(),
            .groups = make_groups(workload.cluster),
            .machines = std::make_shared<const std::vector<engine::CloudMachines>>(
                make_machines(workload))};
}

Result<engine::CandidateGroup> BenchGroupMaker::new_group(const PluginInstanceId&,
                                                          const GroupPlan& plan,
                                                          const engine::CallContext&) {
    const std::vector<MachineType>& types = snapshot_.machines->front().types;
    const auto type = std::ranges::find(types, plan.machine_type, &MachineType::name);
    if (type == types.end()) return fail(ErrorCode::unsupported, "unknown machine type");
    Labels labels = plan.labels;
    labels.insert(type->labels.begin(), type->labels.end());
    labels.emplace(zone_label, plan.zone);
    engine::CandidateGroup out;
    out.planned.group = {
        .id = NodeGroupId(plan.name), .min = 0, .target = 0, .autoprovisioned = true};
    out.planned.node = {.name = plan.name,
                        .machine_type = plan.machine_type,
                        .zone = plan.zone,
                        .arch = "amd64",
                        .os = "linux",
                        .labels = std::move(labels),
                        .taints = plan.taints,
                        .capacity = type->capacity,
                        .allocatable = type->allocatable,
                        .free = type->allocatable};
    return out;
}

}  // namespace capstan::bench
