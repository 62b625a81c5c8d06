/// A scale-down plan for a small cluster, made as in a pass.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../drainability/drain_case.hpp"
#include "engine/scale_down/scale_down.hpp"
#include "engine/scale_up/initial_placement.hpp"

namespace capstan::engine::scale_down {

struct Planned {
    ScaleDown plan{};
    Memory memory{};
    std::vector<std::string> chosen{};  ///< nodes to be removed, in order

    const NodeVerdict& of(std::string_view node) const {
        return *std::ranges::find(plan.nodes, node, &NodeVerdict::node);
    }
    /// Names of unneeded nodes.
    std::vector<std::string> unneeded() const {
        std::vector<std::string> out;
        for (const auto& [node, entry] : memory.unneeded) out.push_back(node);
        return out;
    }
};

struct PlanCase {
    TestCluster test_cluster{};
    Settings settings{};
    Memory memory{};
    Time now = noon;
    std::vector<Increase> increases{};

    Planned run() const {
        Snapshot snapshot = test_cluster.snapshot();
        snapshot.cluster = snapshot::with_default_spread(snapshot.cluster, settings.default_spread);
        pass_context::PassContext context =
            pass_context::make_pass_context(snapshot, memory, settings, now);
        scale_up::InitialPlacement initial = scale_up::place_pending(context);
        Planned out{.memory = memory};
        out.plan = plan_scale_down(context, initial.placement, context.candidates, context.budgets,
                                   increases, out.memory);
        for (const ChosenNode& node : out.plan.chosen) {
            const NodeIndex index = context.candidates.nodes[node.candidate].node;
            out.chosen.emplace_back(snapshot.cluster.text(snapshot.cluster.node(index).name));
        }
        return out;
    }
    /// The nodes have been unneeded for this time.
    void unneeded_for(Duration duration, std::initializer_list<const char*> nodes) {
        for (const char* node : nodes) memory.unneeded[node] = {.since = now - duration};
    }
    void being_removed(std::string node, const char* group, RemovalPhase phase, bool empty) {
        memory.removals[std::move(node)] = {
            .group = NodeGroupId(group), .phase = phase, .empty = empty, .since = now};
    }
};

/// Empty nodes of 4 cores in a group "web".
inline PlanCase web(std::initializer_list<const char*> nodes, int min = 0) {
    PlanCase c;
    Group& group = c.test_cluster.group("web", static_cast<int>(nodes.size()));
    group.group.min = min;
    for (const char* node : nodes) c.test_cluster.node(node, "web");
    return c;
}

/// Adds a pod of a ReplicaSet.
inline snapshot::PodObject& add_pod(PlanCase& c, std::string name, std::string node,
                                    std::int64_t cpu = 100) {
    snapshot::PodObject& pod = replica(c.test_cluster, std::move(name), std::move(node));
    pod.spec.requests = {{"cpu", cpu}};
    return pod;
}

}  // namespace capstan::engine::scale_down
