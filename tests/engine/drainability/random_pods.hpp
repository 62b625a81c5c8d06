/// Random pods, budgets and controllers, with few distinct values so that they often match.
#pragma once

#include <cstdint>
#include <random>

#include "drain_case.hpp"

namespace capstan::engine {

/// Random numbers that are the same on every platform.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : engine_(seed) {}
    int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }
    bool one_in(int n) { return below(n) == 0; }
    template <class T>
    T one_of(std::initializer_list<T> list) {
        return list.begin()[below(static_cast<int>(list.size()))];
    }

private:
    std::mt19937_64 engine_;
};

struct RandomPods {
    std::vector<snapshot::PodObject> pods{};
    std::vector<snapshot::DisruptionBudgetObject> budgets{};
    std::vector<snapshot::ControllerObject> controllers{};

    snapshot::Cluster cluster() const {
        snapshot::ClusterBuilder builder;
        builder.set(snapshot::NodeObject{
            .name = "n", .capacity = amounts(4000), .allocatable = amounts(4000), .created = noon});
        for (const auto& pod : pods) builder.set(pod);
        for (const auto& budget : budgets) builder.set(budget);
        for (const auto& controller : controllers) builder.set(controller);
        return builder.build();
    }
};

inline snapshot::PodObject random_pod(Dice& dice, int number) {
    snapshot::PodObject pod{.ns = dice.one_of({"default", "web", "kube-system"}),
                            .name = "p" + std::to_string(number * 7919 % 1000),
                            .node_name = "n"};
    pod.labels = {{"app", dice.one_of({"a", "b", "c"})}, {"tier", dice.one_of({"x", "y"})}};
    pod.owner.kind = dice.one_of({"", "ReplicaSet", "ReplicaSet", "ReplicaSet", "StatefulSet",
                                  "Job", "DaemonSet", "Rollout", "Node"});
    pod.owner.job_among_owners = pod.owner.kind == "Job" || dice.one_in(20);
    if (!pod.owner.kind.empty()) pod.owner.name = dice.one_of({"one", "two"});
    pod.spec.requests = {{"cpu", 10 * dice.below(20)}, {"memory", 1'000'000 * dice.below(500)}};
    pod.created = noon - dice.one_of<Duration>({0s, 30min, 1h, 2h});
    if (dice.one_in(5)) pod.deleted = noon - dice.one_of<Duration>({0s, 1min, 61s, 1h});
    if (dice.one_in(5)) pod.spec.termination_grace = dice.one_of<Duration>({0s, 30s, 1h});
    if (dice.one_in(8)) pod.spec.priority = dice.one_of({-11, -10, 0});
    if (dice.one_in(6)) pod.spec.local_volumes = {"data"};
    if (dice.one_in(3)) {
        annotate(pod, "safe-to-evict", dice.one_of({"true", "false", "on-completion", ""}));
    }
    if (dice.one_in(10)) pod.annotations["kubernetes.io/config.mirror"] = "x";
    return pod;
}

inline snapshot::DisruptionBudgetObject random_budget(Dice& dice, int number) {
    snapshot::DisruptionBudgetObject budget{.ns = dice.one_of({"default", "web", "kube-system"}),
                                            .name = "b" + std::to_string(number),
                                            .disruptions_allowed = dice.below(6) - 1,
                                            .is_observed = !dice.one_in(6)};
    if (dice.one_in(8)) return budget;
    budget.selector.emplace();
    if (dice.one_in(2)) budget.selector->match_labels["app"] = dice.one_of({"a", "b", "d"});
    if (dice.one_in(3)) {
        budget.selector->match_expressions = {
            {.key = "tier", .op = dice.one_of({Operator::in, Operator::not_in}), .values = {"x"}}};
    }
    return budget;
}

inline RandomPods random_pods(std::uint64_t seed) {
    Dice dice(seed);
    RandomPods out;
    const int pods = dice.below(60);
    for (int i = 0; i < pods; ++i) out.pods.push_back(random_pod(dice, i));
    const int budgets = dice.below(6);
    for (int i = 0; i < budgets; ++i) out.budgets.push_back(random_budget(dice, i));
    for (const char* kind : {"ReplicaSet", "Job"}) {
        if (dice.one_in(2)) continue;
        out.controllers.push_back({.kind = kind,
                                   .ns = dice.one_of({"default", "web"}),
                                   .name = dice.one_of({"one", "two"}),
                                   .replicas = dice.below(4)});
    }
    return out;
}

inline Settings random_settings(std::uint64_t seed) {
    Dice dice(seed ^ 0x5bd1e995);
    Settings out;
    ScaleDownSettings& s = out.scale_down;
    s.skip_nodes_with_system_pods = !dice.one_in(4);
    s.skip_nodes_with_local_storage = !dice.one_in(4);
    s.skip_nodes_with_custom_controller_pods = !dice.one_in(4);
    s.min_replica_count = dice.below(3);
    s.job_pods_unmovable = dice.one_in(2);
    s.safe_to_evict_frees_jobs = dice.one_in(2);
    s.ignore_daemonsets_utilization = dice.one_in(2);
    s.ignore_mirror_pods_utilization = dice.one_in(2);
    return out;
}

}  // namespace capstan::engine
