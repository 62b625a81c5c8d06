/// A cluster for tests of invariants: a test sets the decision of a pass and checks the violations
/// that an invariant returns.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/snapshot/cluster_builder.hpp"
#include "simulator/chaos/invariant.hpp"

namespace capstan::simulator::chaos {

using namespace std::chrono_literals;

inline constexpr Time noon = time_from_unix_ns(1'750'000'000'000'000'000);

/// A group "web" with the node n1, and the decision of a pass.
struct InvariantCase : ::testing::Test {
    engine::Group group;
    engine::snapshot::NodeObject node{.name = "n1", .provider_id = "m1"};
    std::vector<engine::snapshot::PodObject> pods;
    std::vector<engine::snapshot::NodeObject> more_nodes;
    std::vector<engine::Group> more_groups;
    autoscaler::Wiring wiring;
    std::vector<engine::snapshot::DisruptionBudgetObject> budgets;
    engine::Settings settings;
    engine::Decision decision;
    engine::Memory memory;
    Time now = noon;
    Time calm = Time::max();
    bool has_group = true;
    std::string unwritten_because;  ///< see CallContext

    InvariantCase() {
        group.group.id = NodeGroupId("web");
        group.group.min = 1;
        group.group.max = 3;
        group.group.target = 1;
        group.group.healthy = true;
        group.machines = {
            {.id = MachineId("m1"), .group = NodeGroupId("web"), .state = MachineState::running}};
        const Resources size{{"cpu", 4000}, {"memory", 1 << 30}, {"pods", 110}};
        group.described = std::make_shared<const NodeTemplate>(
            NodeTemplate{.capacity = size, .allocatable = size});
        node.capacity = node.allocatable = size;
        node.ready = true;
    }

    engine::snapshot::PodObject& pod(const std::string& name, const std::string& on) {
        pods.push_back({.name = name,
                        .uid = name,
                        .labels = {{"app", "web"}},
                        .owner = {.kind = "ReplicaSet", .api_group = "apps", .name = "web"},
                        .node_name = on,
                        .unscheduled_reason = on.empty() ? "Unschedulable" : "",
                        .created = noon});
        return pods.back();
    }
    void create(const std::string& name) {
        decision.creations.push_back({.group = NodeGroupId(name)});
    }
    void delete_group(const std::string& name) {
        decision.deletions.push_back({.group = NodeGroupId(name)});
    }
    /// Node n2 of the group, like n1.
    void add_second_node() {
        engine::snapshot::NodeObject second = node;
        second.name = "n2";
        second.provider_id = "m2";
        more_nodes.push_back(second);
        group.machines.push_back({.id = MachineId("m2"), .group = NodeGroupId("web")});
        group.group.target = 2;
    }
    /// Adds a group without machines and with the same template as "web".
    engine::Group& add_group(const std::string& name) {
        engine::Group other;
        other.group.id = NodeGroupId(name);
        other.group.max = 5;
        other.group.target = 0;
        other.group.healthy = true;
        other.described = group.described;
        more_groups.push_back(std::move(other));
        return more_groups.back();
    }
    void increase(int by, const std::string& of = "web") {
        decision.increases.push_back({.group = NodeGroupId(of), .by = by, .because = "pods"});
    }
    /// Pod web-1 is the only pod and is pending, the target of group "web" is 1, and the decision
    /// is to order one more machine.
    void order_for_one_pod() {
        group.group.target = 1;
        pods.clear();
        pod("web-1", "");
        decision = {};
        increase(1);
    }
    engine::snapshot::Cluster cluster() const {
        engine::snapshot::ClusterBuilder builder;
        builder.set(node);
        for (const auto& one : more_nodes) builder.set(one);
        for (const auto& one : pods) builder.set(one);
        for (const auto& one : budgets) builder.set(one);
        return builder.build();
    }
    void remove_node() {
        decision.removals.push_back(
            {.group = NodeGroupId("web"), .machines = {MachineId("m1")}, .nodes = {"n1"}});
    }
    void mark(std::string_view taint) {
        decision.node_changes.push_back(
            {.node = "n1", .set_taints = {{.key = std::string(taint)}}});
    }
    void add_taint(std::string_view taint) { node.taints.push_back({.key = std::string(taint)}); }

    std::vector<std::string> pass(Invariant& invariant) {
        with_moment([&](const Moment& moment) { violations_ = invariant.on_pass(moment); });
        return violations_;
    }
    std::vector<std::string> end(Invariant& invariant, std::optional<Time> at = {}) {
        with_moment([&](Moment moment) {
            moment.end = at;
            violations_ = invariant.on_end(moment);
        });
        return violations_;
    }
    /// Every part of the decision succeeds.
    std::vector<std::string> carry_out(Invariant& invariant) {
        engine::Results results;
        results.increases.resize(decision.increases.size());
        results.removals.resize(decision.removals.size());
        results.node_changes.resize(decision.node_changes.size());
        return invariant.on_results(decision, results);
    }

private:
    template <class Use>
    void with_moment(Use use) {
        std::vector<engine::Group> all = more_groups;
        if (has_group) all.push_back(group);
        std::ranges::sort(all, [](const engine::Group& a, const engine::Group& b) {
            return a.group.id < b.group.id;
        });
        const auto groups = std::make_shared<const std::vector<engine::Group>>(std::move(all));
        const autoscaler::PassInput input{
            .snapshot = {cluster(), groups},
            .memory = memory,
            .settings = settings,
            .wiring = wiring,
            .call_context = {.now = now, .unwritten_because = unwritten_because}};
        const autoscaler::PassResult result{
            .outcome = {decision, memory, {}}, .groups = groups, .skipped_hooks = {}, .notes = {}};
        use(Moment{.input = input, .result = result, .calm = calm});
    }
    std::vector<std::string> violations_;
};

/// Names of the suites.
using OrderInvariants = InvariantCase;
using RemovalInvariants = InvariantCase;
using ServiceInvariant = InvariantCase;

}  // namespace capstan::simulator::chaos
