#include "workload.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <utility>

#include <capstan/node_template.hpp>

namespace capstan::bench {
namespace {

using engine::snapshot::NodeObject;
using engine::snapshot::PodObject;
using std::chrono::hours;

/// "NAME-000042": padded, so that names sort by number.
std::string numbered(const char* name, int number) {
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "%s-%06d", name, number);
    return text.data();
}

std::int64_t cores_of(int group) { return std::int64_t{4} << (group % 4); }

Labels labels_of(int group) {
    return {{"kubernetes.io/os", "linux"},
            {"kubernetes.io/arch", "amd64"},
            {"topology.kubernetes.io/region", "r1"},
            {"topology.kubernetes.io/zone", "r1-" + std::string(1, char('a' + group % 3))},
            {"node.kubernetes.io/instance-type", "m." + std::to_string(cores_of(group)) + "c"},
            {"example.com/team", "t" + std::to_string(group % 10)},
            {"example.com/pool", "p" + std::to_string(3 * (group / 3))},
            {"example.com/lifecycle", "on-demand"},
            {"example.com/image", "v1"}};
}

Resources machine_of(int group) {
    const std::int64_t cores = cores_of(group);
    return {{"cpu", cores * 1000},
            {"memory", 4 * cores * 1_GiB},
            {"pods", 110},
            {"ephemeral-storage", 100_GiB}};
}

NodeObject make_node(int number, int group) {
    NodeObject node{.name = numbered("node", number),
                    .provider_id = numbered("bench:///node", number),
                    .labels = labels_of(group),
                    .capacity = machine_of(group),
                    .allocatable = machine_of(group),
                    .ready_since = bench_time - hours(1),
                    .created = bench_time - hours(1)};
    node.labels["kubernetes.io/hostname"] = node.name;
    return node;
}

LabelSelector own_app(const PodObject& pod) {
    return {.match_labels = {{"app", pod.labels.at("app")}}};
}

void constrain(PodObject& pod, Constraint constraint) {
    const char* const key = constraint == Constraint::zone_spread ? "topology.kubernetes.io/zone"
                                                                  : "kubernetes.io/hostname";
    if (constraint == Constraint::host_anti_affinity) {
        pod.spec.pod_anti_affinity.push_back({.selector = own_app(pod), .topology_key = key});
    } else if (constraint != Constraint::none) {
        pod.spec.spread.push_back({.topology_key = key, .selector = own_app(pod)});
    }
}

PodObject make_pending_pod(int number, int equivalence_group, Constraint constraint) {
    const std::string app = "pend-" + std::to_string(equivalence_group);
    PodObject pod{.name = numbered(app.c_str(), number),
                  .labels = {{"app", app}, {"pod-template-hash", "5d9c7b"}, {"tier", "bench"}},
                  .owner = {.kind = "ReplicaSet", .name = app, .uid = app},
                  .unscheduled_reason = "Unschedulable",
                  .created = bench_time - std::chrono::minutes(1)};
    pod.spec.requests = {{"cpu", 250 + 10 * (equivalence_group % 75)},
                         {"memory", (512 + 32 * (equivalence_group % 31)) * 1_MiB}};
    for (const char* const key : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"})
        pod.spec.tolerations.push_back(
            {.key = key, .op = Toleration::Op::exists, .effect = Effect::no_execute});
    pod.spec.priority = 0;
    constrain(pod, constraint);
    return pod;
}

double utilization(const Workload& workload, int node) {
    switch (workload.shape) {
        case Shape::as_configured: break;
        case Shape::packable: return 0.4;
        case Shape::mixed: return node % 5 == 0 ? 0.45 : 0.985;
        case Shape::full: return 0.98;
    }
    return workload.used;
}

}  // namespace

std::vector<NodeObject> make_nodes(const Workload& workload) {
    std::vector<NodeObject> nodes;
    for (int i = 0; i < workload.nodes; ++i) nodes.push_back(make_node(i, i % workload.groups));
    return nodes;
}

std::vector<PodObject> make_running_pods(const Workload& workload) {
    std::vector<PodObject> pods;
    const int per_node = workload.running_per_node;
    for (int i = 0; i < workload.nodes * per_node; ++i) {
        const int node = i / per_node;
        const std::int64_t cores = cores_of(node % workload.groups);
        const auto share = [&](std::int64_t all) {
            return static_cast<std::int64_t>(static_cast<double>(all) *
                                             utilization(workload, node)) /
                   per_node;
        };
        const std::string owner = "run-" + std::to_string(i % 1000);
        PodObject pod{.name = numbered(owner.c_str(), i),
                      .labels = {{"app", owner}, {"pod-template-hash", "7f8d6c"}},
                      .owner = {.kind = "ReplicaSet", .name = owner, .uid = owner},
                      .node_name = numbered("node", node),
                      .phase = engine::snapshot::PodPhase::running,
                      .created = bench_time - hours(1)};
        pod.spec.requests = {{"cpu", share(cores * 1000)},
                             {"memory", share((4 * cores * 1_GiB).count())}};
        pod.spec.priority = 0;
        constrain(pod, workload.spread);
        pods.push_back(std::move(pod));
    }
    return pods;
}

std::vector<PodObject> make_pending_pods(const Workload& workload) {
    std::vector<PodObject> pods;
    const int classes = workload.classes > 0 ? workload.classes : std::max(workload.pods, 1);
    for (int i = 0; i < workload.pods; ++i)
        pods.push_back(make_pending_pod(i, i % classes, workload.constraint));
    return pods;
}

std::shared_ptr<const std::vector<engine::Group>> make_groups(const Workload& workload) {
    auto groups = std::make_shared<std::vector<engine::Group>>();
    for (int g = 0; g < workload.groups; ++g) {
        engine::Group group{
            .group = {.id = NodeGroupId(numbered("group", g)), .min = 0, .max = 100'000},
            .cloud = PluginInstanceId("bench")};
        const Labels labels = labels_of(g);
        group.described = std::make_shared<const NodeTemplate>(
            NodeTemplate{.name = group.group.id.value(),
                         .machine_type = labels.at("node.kubernetes.io/instance-type"),
                         .zone = labels.at("topology.kubernetes.io/zone"),
                         .arch = "amd64",
                         .os = "linux",
                         .labels = labels,
                         .capacity = machine_of(g),
                         .allocatable = machine_of(g),
                         .free = machine_of(g)});
        for (int i = g; i < workload.nodes; i += workload.groups)
            group.machines.push_back(
                {.id = MachineId(numbered("bench:///node", i)), .group = group.group.id});
        group.group.target = static_cast<int>(group.machines.size());
        groups->push_back(std::move(group));
    }
    return groups;
}

engine::Snapshot make_snapshot(const Workload& workload) {
    engine::snapshot::ClusterBuilder builder;
    for (const NodeObject& node : make_nodes(workload)) builder.set(node);
    for (const PodObject& pod : make_running_pods(workload)) builder.set(pod);
    for (const PodObject& pod : make_pending_pods(workload)) builder.set(pod);
    return {builder.build(), make_groups(workload)};
}

}  // namespace capstan::bench
