#include "spread.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "engine/snapshot/cluster_builder.hpp"
#include "workload.hpp"

namespace capstan::bench {
namespace {

using namespace engine;
using namespace engine::snapshot;

constexpr int zones = 3, pools = 10, pods_per_node = 13;
constexpr const char* zone_names[] = {"zone-a", "zone-b", "zone-c"};

const Resources machine{{"cpu", 4000}, {"memory", std::int64_t{32} << 30}, {"pods", 110}};

std::string group_of(int node) {
    return "pool-" + std::to_string(node / zones % pools) + "-" + zone_names[node % zones];
}

Labels zone_labels(int node) {
    return {{"topology.kubernetes.io/zone", zone_names[node % zones]},
            {"pool", std::to_string(node / zones % pools)}};
}

std::string node_name(int node) { return "node-" + std::to_string(node); }

PodObject make_spread_pod(const std::string& owner, int number) {
    PodObject pod{.name = owner + "-" + std::to_string(number),
                  .spec = {.requests = {{"cpu", 1}, {"memory", std::int64_t{2500} << 20}}},
                  .labels = {{spread_label, owner}},
                  .owner = {.kind = "ReplicaSet", .api_group = "apps", .name = owner, .uid = owner},
                  .phase = PodPhase::running,
                  .created = bench_time - std::chrono::hours(1)};
    return pod;
}

PodObject make_spread_pod(int replica_set, int number) {
    const std::string owner = "web-" + std::to_string(replica_set);
    PodObject pod = make_spread_pod(owner, number);
    pod.spec.spread = {{.topology_key = "topology.kubernetes.io/zone",
                        .selector = LabelSelector{.match_labels = {{spread_label, owner}},
                                                  .match_expressions = {}}}};
    return pod;
}

void add_nodes(engine::snapshot::ClusterBuilder& builder, int nodes) {
    for (int n = 0; n < nodes; ++n) {
        Labels labels = zone_labels(n);
        labels["kubernetes.io/hostname"] = node_name(n);
        builder.set(NodeObject{.name = node_name(n),
                               .provider_id = node_name(n),
                               .labels = std::move(labels),
                               .capacity = machine,
                               .allocatable = machine,
                               .ready_since = bench_time - std::chrono::hours(1),
                               .created = bench_time - std::chrono::hours(1)});
    }
}

void add_pods(engine::snapshot::ClusterBuilder& builder, const SpreadWorkload& workload) {
    // Pods are bound to nodes in turn, so each ReplicaSet is spread evenly over zones.
    int next = 0;
    for (int r = 0; r < workload.replica_sets; ++r) {
        for (int i = 0; i < workload.running + workload.pending; ++i) {
            PodObject pod = make_spread_pod(r, i);
            if (i < workload.running) {
                pod.node_name = node_name(next++ % workload.nodes);
            } else {
                pod.phase = PodPhase::pending;
                pod.unscheduled_reason = "Unschedulable";
            }
            builder.set(pod);
        }
    }
    for (; next < workload.nodes * pods_per_node; ++next) {
        PodObject pod = make_spread_pod("other", next);
        pod.node_name = node_name(next % workload.nodes);
        builder.set(pod);
    }
}

std::shared_ptr<const std::vector<Group>> make_spread_groups(int nodes) {
    auto out = std::make_shared<std::vector<Group>>();
    for (int g = 0; g < zones * pools; ++g) {
        auto node = std::make_shared<NodeTemplate>();
        node->name = group_of(g);
        node->labels = zone_labels(g);
        node->capacity = node->allocatable = node->free = machine;
        Group group{.group = {.id = NodeGroupId(group_of(g)), .max = 10000},
                    .cloud = PluginInstanceId("cloud"),
                    .described = std::move(node)};
        for (int n = g; n < nodes; n += zones * pools) {
            group.machines.push_back({.id = MachineId(node_name(n)),
                                      .group = group.group.id,
                                      .state = MachineState::running});
        }
        group.group.target = static_cast<int>(group.machines.size());
        std::ranges::sort(group.machines, {}, &Machine::id);
        out->push_back(std::move(group));
    }
    std::ranges::sort(*out, {}, [](const Group& g) { return g.group.id; });
    return out;
}

}  // namespace

Snapshot make_spread_snapshot(const SpreadWorkload& workload) {
    engine::snapshot::ClusterBuilder builder;
    add_nodes(builder, workload.nodes);
    add_pods(builder, workload);
    return {.cluster = builder.build(), .groups = make_spread_groups(workload.nodes)};
}

}  // namespace capstan::bench
