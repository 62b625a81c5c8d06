/// Simulates groups of a cloud without capacity, with a pass every ten seconds. Scale-up is simple:
/// each pending pod needs a node, and all nodes are requested in the group of the highest priority
/// that is not backed off.
#pragma once

#include <algorithm>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "../test_cluster.hpp"
#include "engine/health/backoff.hpp"
#include "engine/health/health.hpp"
#include "engine/health/repairs.hpp"
#include "engine/health/requests.hpp"

namespace capstan::engine::health {

/// A group and its cloud. Machines of the target that have no node are requested.
struct ScenarioGroup {
    std::string id{};
    int target = 0;
    std::vector<std::string> nodes{};    ///< joined, ready, each with a pod
    std::vector<std::string> tainted{};  ///< joined, with a readiness taint
    std::optional<Error> error{};        ///< of all requested machines
    bool lists_requests = true;

    int requested() const {
        return target - static_cast<int>(nodes.size()) - static_cast<int>(tainted.size());
    }
};

struct BackoffScenario {
    Settings settings{.readiness_taints = {"not-ready"},
                      .max_node_provision_time = 7min,
                      .backoff = BackoffPolicy::until_joined};
    std::list<ScenarioGroup> groups{};  ///< by descending priority
    Memory memory{};
    int pending_pods = 0;
    Time now = noon;
    std::vector<std::string> commands{};

    ScenarioGroup& group(const std::string& id) {
        return *std::ranges::find(groups, id, &ScenarioGroup::id);
    }
    void add(std::initializer_list<const char*> ids) {
        for (const char* id : ids) groups.push_back({.id = id});
    }
    bool is_backed_off(const std::string& id) const {
        return find_backoff(memory, NodeGroupId(id), now) != nullptr;
    }
    /// Runs passes until `end`, in seconds since the start.
    void run_until(int end) {
        while (now < noon + std::chrono::seconds(end)) {
            pass();
            now += 10s;
        }
    }
    std::vector<std::string> take_commands() { return std::exchange(commands, {}); }
    std::vector<std::string> take_increases() {
        std::vector<std::string> out = take_commands();
        std::erase_if(out, [](const std::string& c) { return c.front() != '+'; });
        return out;
    }

private:
    Snapshot make_snapshot() const {
        TestCluster test_cluster;
        for (const ScenarioGroup& group : groups) {
            test_cluster.group(group.id, group.target);
            for (const std::string& node : group.nodes) {
                test_cluster.node(node, group.id);
                test_cluster.pod("on-" + node, node);
            }
            for (const std::string& node : group.tainted) {
                snapshot::NodeObject& object = test_cluster.node(node, group.id);
                object.created = noon + 10s;
                object.taints.push_back({.key = "not-ready"});
            }
            for (int n = 0; group.lists_requests && n < group.requested(); ++n) {
                test_cluster
                    .machine(group.id, group.id + "-request-" + std::to_string(n),
                             MachineState::requested)
                    .error = group.error;
            }
        }
        return test_cluster.snapshot();
    }

    void pass() {
        const Snapshot snapshot = make_snapshot();
        const templates::Membership membership = templates::make_membership(snapshot);
        memory = remember(std::move(memory), snapshot, membership, settings, now);
        const Health health = assess(snapshot, membership, memory, settings, now);
        const Repairs repairs = plan_repairs({snapshot, membership, memory, settings, now}, health);
        Decision decision{.decreases = repairs.decreases,
                          .removals = repairs.removals,
                          .increases = repairs.increases};
        int left = pending_pods;
        for (const GroupHealth& group : health.groups) left -= group.upcoming.nodes();
        if (left > 0) grow(decision, left);
        apply(decision);
    }

    void grow(Decision& decision, int by) {
        for (const ScenarioGroup& group : groups) {
            if (is_backed_off(group.id)) continue;
            decision.increases.push_back(
                {.group = NodeGroupId(group.id), .from = group.target, .by = by});
            return;
        }
    }

    void apply(const Decision& decision) {
        Results results;
        const auto at = " @" + std::to_string((now - noon) / 1s);
        for (const Decrease& d : decision.decreases) {
            group(d.group.value()).target -= d.by;
            commands.push_back("-" + d.group.value() + ":" + std::to_string(d.by) + at);
            results.decreases.emplace_back();
        }
        for (const Increase& i : decision.increases) {
            group(i.group.value()).target += i.by;
            commands.push_back("+" + i.group.value() + ":" + std::to_string(i.by) + at);
            results.increases.emplace_back();
        }
        memory = remember_sizes(std::move(memory), decision, results, settings, now);
    }
};

}  // namespace capstan::engine::health
