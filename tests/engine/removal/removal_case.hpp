/// A cluster whose nodes are removed pass by pass. The actions of a pass are applied unless a test
/// makes them fail.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../node_removal.hpp"
#include "../test_cluster.hpp"
#include "engine/drainability/leaving_pods.hpp"
#include "engine/removal/removal.hpp"
#include "engine/removal/results.hpp"
#include "engine/snapshot/cluster_builder.hpp"

namespace capstan::engine::removal {

using namespace std::chrono_literals;

/// The text of the change that removes the marks from node n1, and the error of a refused
/// eviction.
inline const char* const unmark = "n1: -ToBeDeleted -BeingDeleted uncordon";
inline const Error refused{ErrorCode::throttled, "the budget web allows no disruption"};

/// "n1: +ToBeDeleted cordon", "n1: -ToBeDeleted -BeingDeleted uncordon".
inline std::string to_text(const NodeChange& change) {
    const auto key = [](const std::string& taint) {
        const bool is_soft = taint == deletion_candidate_taint;
        return taint.substr(0, taint.rfind(is_soft ? "Of" : "By"));
    };
    std::string out = change.node + ":";
    for (const Taint& taint : change.set_taints) out += " +" + key(taint.key);
    for (const std::string& taint : change.drop_taints) out += " -" + key(taint);
    if (change.unschedulable) out += *change.unschedulable ? " cordon" : " uncordon";
    return out;
}
/// "evict web-1"; for a DaemonSet pod "try to evict agent".
inline std::string to_text(const Eviction& eviction) {
    return (eviction.best_effort ? "try to evict " : "evict ") + eviction.pod;
}
/// "remove n1, n2 of a"
inline std::string to_text(const MachineRemoval& removal) {
    std::string out;
    for (const std::string& node : removal.nodes) out += (out.empty() ? "remove " : ", ") + node;
    return out + " of " + removal.group.value();
}

struct RemovalCase : ::testing::Test {
    std::map<std::string, Group> groups;
    std::map<std::string, snapshot::NodeObject> nodes;
    std::map<std::string, snapshot::PodObject> pods;
    std::map<std::string, snapshot::DisruptionBudgetObject> budgets;
    std::map<std::string, Error> errors;  ///< of changes, evictions and removals, by node, pod
                                          ///< and machine; the others succeed
    Memory memory{.started = true};
    Settings settings;
    Time now = noon;
    std::vector<std::string> soft_taint_nodes;
    std::set<NodeGroupId> under_repair;
    health::Repairs repairs;   ///< in the same pass
    bool has_waiting = false;  ///< other nodes wait only for their turn to be removed
    RemovalSteps steps;        ///< of the last pass

    Group& group(const std::string& id) {
        Group& out = groups[id];
        out.group.id = NodeGroupId(id);
        out.cloud = PluginInstanceId("cloud");
        return out;
    }
    snapshot::NodeObject& node(const std::string& name, const std::string& of = "a") {
        const MachineId id("m-" + name);
        group(of).machines.push_back({.id = id, .group = NodeGroupId(of)});
        return nodes[name] = {.name = name, .provider_id = id.value(), .created = noon - 1h};
    }
    /// A pod of a ReplicaSet with label app=web.
    snapshot::PodObject& pod(const std::string& name, const std::string& node) {
        return pods[name] = {.name = name,
                             .uid = name + "-uid",
                             .labels = {{"app", "web"}},
                             .owner = {.kind = "ReplicaSet", .api_group = "apps", .name = "web"},
                             .node_name = node,
                             .phase = snapshot::PodPhase::running,
                             .created = noon - 1h};
    }
    snapshot::PodObject& daemon(const std::string& name, const std::string& node) {
        snapshot::PodObject& out = pod(name, node);
        out.labels = {{"app", "agent"}};
        out.owner = {.kind = "DaemonSet", .api_group = "apps", .name = "agent"};
        return out;
    }
    snapshot::PodObject& unmovable(const std::string& name, const std::string& node) {
        snapshot::PodObject& out = pod(name, node);
        out.annotations = {{"cluster-autoscaler.kubernetes.io/safe-to-evict", "false"}};
        return out;
    }
    /// The budget of pods with label app=web.
    void budget(int allowed) {
        budgets["web"] = {.name = "web",
                          .selector = LabelSelector{.match_labels = {{"app", "web"}}},
                          .disruptions_allowed = allowed};
    }
    /// A removal that has just entered `phase`.
    NodeRemoval& removing(const std::string& node, RemovalPhase phase, bool empty = false) {
        NodeRemoval& out = memory.removals[node];
        out = begun_removal(NodeGroupId("a"), MachineId("m-" + node), phase, now);
        out.empty = empty;
        return out;
    }

    Snapshot snapshot() const {
        snapshot::ClusterBuilder builder;
        for (const auto& [name, object] : nodes) builder.set(object);
        for (const auto& [name, object] : pods) builder.set(object);
        for (const auto& [name, object] : budgets) builder.set(object);
        auto all = std::make_shared<std::vector<Group>>();
        for (auto [id, group] : groups) {
            std::ranges::sort(group.machines, {}, &Machine::id);
            all->push_back(group);
        }
        return {.cluster = builder.build(), .groups = all};
    }

    /// Runs a pass and applies its actions; returns changes, evictions and removals in this order.
    std::vector<std::string> pass(const std::vector<std::string>& chosen = {}) {
        const Decision decision = decide(chosen);
        Results results;
        std::vector<std::string> out;
        for (const NodeChange& change : decision.node_changes) {
            results.node_changes.push_back(outcome(change.node));
            if (!results.node_changes.back()) apply(change);
            out.push_back(to_text(change));
        }
        for (const Eviction& eviction : decision.evictions) {
            results.evictions.push_back(outcome(eviction.pod));
            if (!results.evictions.back()) pods.erase(eviction.pod);
            out.push_back(to_text(eviction));
        }
        for (const MachineRemoval& removal : decision.removals) {
            results.removals.push_back(apply(removal));
            out.push_back(to_text(removal));
        }
        memory = remember_steps(std::move(memory), decision, results, settings, now);
        return out;
    }
    /// Runs a pass without applying its actions, as in a dry run.
    Decision decide(const std::vector<std::string>& chosen = {}) {
        const Snapshot seen = snapshot();
        const templates::Membership membership = templates::make_membership(seen);
        memory = remember_removals(std::move(memory), seen, membership, settings, now);
        const pods::DisruptionBudgets allowed(seen.cluster);
        drainability::Candidates candidates;
        scale_down::ScaleDown plan{.soft_taint_nodes = soft_taint_nodes,
                                   .groups_under_repair = under_repair,
                                   .has_waiting = has_waiting};
        for (const std::string& name : chosen) {
            const NodeIndex index = seen.cluster.find_node(name).value();
            plan.chosen.push_back({.candidate = candidates.nodes.size(), .because = "unneeded"});
            candidates.nodes.push_back({.node = index,
                                        .group = membership.machine_of[index].value().group,
                                        .moving = drainability::find_leaving_pods(
                                                      seen.cluster, index, allowed, settings, now)
                                                      .moving});
        }
        steps = step_removals({seen, membership, memory, settings, now}, candidates, plan, repairs,
                              allowed, memory);
        return {.removals = steps.removals,
                .node_changes = steps.node_changes,
                .evictions = steps.evictions};
    }
    RemovalPhase phase(const std::string& node) const { return memory.removals.at(node).phase; }

private:
    std::optional<Error> outcome(const std::string& name) const {
        const auto at = errors.find(name);
        return at != errors.end() ? std::optional(at->second) : std::nullopt;
    }
    void apply(const NodeChange& change) {
        snapshot::NodeObject& object = nodes.at(change.node);
        std::erase_if(object.taints, [&](const Taint& taint) {
            return std::ranges::find(change.drop_taints, taint.key) != change.drop_taints.end() ||
                   std::ranges::find(change.set_taints, taint.key, &Taint::key) !=
                       change.set_taints.end();
        });
        object.taints.insert(object.taints.end(), change.set_taints.begin(),
                             change.set_taints.end());
        object.unschedulable = change.unschedulable.value_or(object.unschedulable);
        for (const auto& [key, value] : change.annotations) {
            object.annotations.erase(key);
            if (value) object.annotations.emplace(key, *value);
        }
    }
    std::vector<Error> apply(const MachineRemoval& removal) {
        std::vector<Error> out;
        for (const MachineId& machine : removal.machines) {
            if (auto error = outcome(machine.value())) {
                out.push_back(*std::move(error));
                out.back().subject = machine.value();
                continue;
            }
            std::erase_if(groups.at(removal.group.value()).machines,
                          [&](const Machine& m) { return m.id == machine; });
        }
        return out;
    }
};

}  // namespace capstan::engine::removal
