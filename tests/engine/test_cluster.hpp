/// A cluster and its clouds, of which a test sets only the relevant parts. Tests begin at `noon`.
#pragma once

#include <algorithm>
#include <chrono>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/snapshot.hpp"
#include "engine/snapshot/cluster_builder.hpp"

namespace capstan::engine {

using namespace std::chrono_literals;

inline constexpr Time noon = time_from_unix_ns(1'750'000'000'000'000'000);

/// Amounts in millicores, MiB and pods.
inline Resources amounts(std::int64_t cpu, std::int64_t mebibytes = 16384,
                         std::int64_t pods = 110) {
    return {{"cpu", cpu}, {"memory", mebibytes << 20}, {"pods", pods}};
}

class TestCluster {
public:
    /// Adds a group without machines. Without `target`, its cloud reports no target.
    Group& group(std::string id, std::optional<int> target = std::nullopt) {
        groups_.push_back({.group = {.id = NodeGroupId(std::move(id)), .target = target},
                           .cloud = PluginInstanceId("cloud")});
        return groups_.back();
    }
    /// Existing objects, to be changed.
    Group& change_group(std::string_view id) { return find(id); }
    snapshot::NodeObject& change_node(std::string_view name) {
        return *std::ranges::find(nodes_, name, &snapshot::NodeObject::name);
    }
    /// Sets the cloud's template of the group. The test may change it.
    NodeTemplate& describe(std::string_view id, Resources capacity) {
        auto node = std::make_shared<NodeTemplate>();
        node->capacity = std::move(capacity);
        find(id).described = node;
        return *node;
    }
    Machine& machine(std::string_view group_id, std::string id,
                     MachineState state = MachineState::running) {
        auto& machines = find(group_id).machines;
        machines.push_back(
            {.id = MachineId(std::move(id)), .group = NodeGroupId(group_id), .state = state});
        return machines.back();
    }
    /// Adds a node that has been ready for an hour, with 4 cores and 16Gi, all allocatable. If a
    /// group is given, also adds a machine to it, with the name of the node as its id.
    snapshot::NodeObject& node(std::string name, std::string_view group_id = {}) {
        if (!group_id.empty()) machine(group_id, name);
        nodes_.push_back({.name = std::move(name),
                          .capacity = amounts(4000),
                          .allocatable = amounts(4000),
                          .ready_since = noon - 1h,
                          .created = noon - 1h});
        return nodes_.back();
    }
    /// Removes the node; its machine stays.
    void delete_node(std::string_view name) {
        nodes_.remove_if([&](const snapshot::NodeObject& node) { return node.name == name; });
    }
    /// Removes the node and its machine.
    void drop_node(std::string_view name, std::string_view group_id) {
        delete_node(name);
        std::erase_if(find(group_id).machines,
                      [&](const Machine& machine) { return machine.id.value() == name; });
    }
    /// Adds a pod that requests 100m and was created an hour ago: on `node` if given, otherwise
    /// marked unschedulable.
    snapshot::PodObject& pod(std::string name, std::string node = {}) {
        pods_.push_back({.name = std::move(name),
                         .spec = {.requests = {{"cpu", 100}}},
                         .node_name = node,
                         .unscheduled_reason = node.empty() ? "Unschedulable" : "",
                         .created = noon - 1h});
        return pods_.back();
    }
    void drop_pod(std::string_view name) {
        pods_.remove_if([&](const snapshot::PodObject& pod) { return pod.name == name; });
    }
    /// A DaemonSet in kube-system whose pods request 50m.
    snapshot::DaemonSetObject& daemon_set(std::string name) {
        daemon_sets_.push_back(
            {.ns = "kube-system", .name = std::move(name), .spec = {.requests = {{"cpu", 50}}}});
        return daemon_sets_.back();
    }
    /// A pod of a DaemonSet.
    snapshot::PodObject& daemon(const std::string& daemon_set, std::string name, std::string node) {
        snapshot::PodObject& out = pod(std::move(name), std::move(node));
        out.ns = "kube-system";
        out.spec.requests = {{"cpu", 50}};
        out.owner = {.kind = "DaemonSet", .name = daemon_set, .uid = daemon_set};
        return out;
    }
    /// A budget in namespace default for pods with label app=NAME.
    snapshot::DisruptionBudgetObject& budget(std::string name, int allowed) {
        budgets_.push_back({.name = name,
                            .selector = LabelSelector{.match_labels = {{"app", name}}},
                            .disruptions_allowed = allowed});
        return budgets_.back();
    }
    /// A controller in namespace default.
    snapshot::ControllerObject& controller(std::string kind, std::string name,
                                           std::optional<int> replicas = std::nullopt) {
        controllers_.push_back(
            {.kind = std::move(kind), .name = std::move(name), .replicas = replicas});
        return controllers_.back();
    }
    void csi_node(snapshot::CsiNodeObject object) { csi_nodes_.push_back(std::move(object)); }
    /// A Service in namespace default for pods with label app=NAME.
    void service(const std::string& name) {
        services_.push_back({.name = name, .selector = {{"app", name}}});
    }

    snapshot::Cluster cluster() const {
        snapshot::ClusterBuilder builder;
        for (const auto& object : nodes_) builder.set(object);
        for (const auto& object : pods_) builder.set(object);
        for (const auto& object : daemon_sets_) builder.set(object);
        for (const auto& object : budgets_) builder.set(object);
        for (const auto& object : controllers_) builder.set(object);
        for (const auto& object : csi_nodes_) builder.set(object);
        for (const auto& object : services_) builder.set(object);
        return builder.build();
    }
    /// Groups and machines are sorted by id, as engine::Snapshot requires.
    Snapshot snapshot() const {
        auto groups = std::make_shared<std::vector<Group>>(groups_.begin(), groups_.end());
        std::ranges::sort(*groups, {}, [](const Group& g) { return g.group.id; });
        for (Group& g : *groups) std::ranges::sort(g.machines, {}, &Machine::id);
        return {.cluster = cluster(), .groups = groups};
    }

private:
    Group& find(std::string_view id) {
        return *std::ranges::find(
            groups_, id, [](const Group& g) -> std::string_view { return g.group.id.value(); });
    }

    // Lists, so that returned references stay valid.
    std::list<Group> groups_;
    std::list<snapshot::NodeObject> nodes_;
    std::list<snapshot::PodObject> pods_;
    std::list<snapshot::DaemonSetObject> daemon_sets_;
    std::list<snapshot::DisruptionBudgetObject> budgets_;
    std::list<snapshot::ControllerObject> controllers_;
    std::vector<snapshot::CsiNodeObject> csi_nodes_;
    std::vector<snapshot::ServiceObject> services_;
};

}  // namespace capstan::engine
