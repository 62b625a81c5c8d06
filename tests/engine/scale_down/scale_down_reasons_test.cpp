// The reasons for which nodes are kept, with the pod, the budget, the node or the numbers.
#include <functional>
#include <set>

#include <gmock/gmock.h>

#include "plan_case.hpp"

namespace capstan::engine::scale_down {
namespace {

struct Case {
    const char* what;
    std::function<void(PlanCase&)> change;  ///< of two empty nodes "a" and "b", unneeded for 11m
    Unremovable reason;
    const char* because;  ///< of node a
    const char* pod = "";
};

PlanCase two_nodes() {
    PlanCase c = web({"a", "b"});
    c.unneeded_for(11min, {"a", "b"});
    return c;
}

/// Makes the group zero-or-max.
void make_zero_or_max(PlanCase& c) {
    c.test_cluster.change_group("web").options.zero_or_max = true;
}

const std::vector<Case> node_alone{
    {"scale-down is disabled by annotation",
     [](PlanCase& c) {
         c.test_cluster.change_node("a").annotations = {
             {"cluster-autoscaler.kubernetes.io/scale-down-disabled", "true"}};
     },
     Unremovable::scale_down_disabled_annotation,
     "annotation cluster-autoscaler.kubernetes.io/scale-down-disabled is true"},
    {"removal of unready nodes is disabled",
     [](PlanCase& c) {
         add_pod(c, "p", "a", 0);  // it was ready once
         c.test_cluster.change_node("a").ready = false;
         c.settings.scale_down.unready_enabled = false;
     },
     Unremovable::scale_down_unready_disabled, "not ready, and scale_down.unready_enabled is off"},
    {"not in a group",
     [](PlanCase& c) {
         c.test_cluster.change_group("web").machines.erase(
             c.test_cluster.change_group("web").machines.begin());
     },
     Unremovable::not_autoscaled, "not in an autoscaled group"},
    {"utilized", [](PlanCase& c) { add_pod(c, "p", "a", 2520); }, Unremovable::not_underutilized,
     "cpu utilization is 63% (2520m of 4), above the threshold of 50%"},
    {"being removed",
     [](PlanCase& c) {
         c.being_removed("a", "web", RemovalPhase::draining, false);
         NodeRemoval& removal = c.memory.removals["a"];
         removal.since = removal.phase_since = noon - 2min;
     },
     Unremovable::currently_being_deleted,
     "removal in progress for 2m: evicting its pods (2m so far)"},
    {"backed off after a failed removal",
     [](PlanCase& c) {
         c.memory.removal_backoffs[NodeGroupId("web")]
                                  [c.test_cluster.change_group("web").machines[0].id] = {
             .until = noon + 90s, .failures = 2, .because = "pod default/p cannot be evicted"};
     },
     Unremovable::recently_unremovable,
     "removal backed off until 15:08:10Z (1m30s left): pod default/p cannot be evicted (2 times in "
     "a row)"},
    {"starting",
     [](PlanCase& c) {
         c.test_cluster.change_node("a").ready = false;
         c.test_cluster.change_node("a").created = noon - 3min;
     },
     Unremovable::no_node_info, "not started yet; pending pods are planned on it"},
    {"no reported resources", [](PlanCase& c) { c.test_cluster.change_node("a").allocatable = {}; },
     Unremovable::unexpected_error, "the node reports no allocatable cpu"},
};

const std::vector<Case> pods_and_budgets{
    {"no controller", [](PlanCase& c) { add_pod(c, "p", "a").owner = {}; },
     Unremovable::blocked_by_pod, "pod default/p has no controller that would recreate it",
     "default/p"},
    {"an exhausted budget",
     [](PlanCase& c) {
         add_pod(c, "p", "a").labels = {{"app", "pdb"}};
         c.test_cluster.budget("pdb", 0);
     },
     Unremovable::blocked_by_pod,
     "pod default/p cannot be evicted: budget default/pdb allows 0 disruptions", "default/p"},
    {"a budget used by another node",
     [](PlanCase& c) {
         add_pod(c, "p", "a", 200).labels = {{"app", "pdb"}};
         add_pod(c, "q", "b", 100).labels = {{"app", "pdb"}};
         c.test_cluster.budget("pdb", 1);
     },
     Unremovable::blocked_by_pod,
     "pod default/p cannot be evicted after the earlier removals: budget default/pdb allows 1 "
     "disruption, used by other pods",
     "default/p"},
    {"an on-completion pod",
     [](PlanCase& c) { annotate(add_pod(c, "p", "a"), "safe-to-evict", "on-completion"); },
     Unremovable::blocked_by_on_completion_pod,
     "pod default/p is waited for: annotation safe-to-evict is on-completion", "default/p"},
    {"a pod without a destination",
     [](PlanCase& c) {
         add_pod(c, "p", "a", 2000);
         add_pod(c, "q", "b", 2500);
     },
     Unremovable::no_place_to_move_pods,
     "pod default/p (cpu 2) fits on no other node: 0/1 nodes are available: 1 Insufficient cpu; "
     "closest fit is b: Insufficient cpu: needs 2, 1500m of 4 are free",
     "default/p"},
    {"a pending pod", [](PlanCase& c) { c.test_cluster.pod("waits"); }, Unremovable::no_node_info,
     "1 pending pod is planned on it: default/waits"},
};

const std::vector<Case> bounds_and_times{
    {"a group at its minimum",
     [](PlanCase& c) { c.test_cluster.change_group("web").group.min = 2; },
     Unremovable::node_group_min_size_reached,
     "node group min size reached (2): group web has 2 nodes"},
    {"a cluster at its minimum", [](PlanCase& c) { c.settings.cpu.min = 8000; },
     Unremovable::minimal_resource_limit_exceeded,
     "min cluster cpu limit reached (8): the cluster has 8, the node 4"},
    {"an unknown target size",
     [](PlanCase& c) { c.test_cluster.change_group("web").group.target.reset(); },
     Unremovable::unexpected_error, "the target size of group web is unknown"},
    {"an unreadable group",
     [](PlanCase& c) {
         c.test_cluster.change_group("web").unreadable_because = "page 2 is missing";
     },
     Unremovable::unexpected_error, "group web cannot be changed: page 2 is missing"},
    {"not unneeded long enough", [](PlanCase& c) { c.unneeded_for(4min, {"a"}); },
     Unremovable::not_unneeded_long_enough, "unneeded for 4m of 10m; it has no pods to move"},
    {"unready, not unneeded long enough",
     [](PlanCase& c) {
         add_pod(c, "p", "a", 0);  // it was ready once
         c.test_cluster.change_node("a").ready = false;
         add_pod(c, "q", "b", 2500);
     },
     Unremovable::not_unready_long_enough, "unneeded for 11m of 20m; its 1 pod fits on b"},
    {"a cooldown", [](PlanCase& c) { c.memory.last.scale_up = noon - 4min; },
     Unremovable::not_unneeded_other_reason,
     "unneeded for 11m, but scale-down is in cooldown: last scale-up 4m ago, "
     "scale_down.delay_after_add is 10m"},
    {"a cooldown after a failure", [](PlanCase& c) { c.memory.last.failed_removal = noon - 1min; },
     Unremovable::not_unneeded_other_reason,
     "unneeded for 11m, but scale-down is in cooldown: last failed removal 1m "
     "ago, scale_down.delay_after_failure is 3m"},
    {"other removals in progress",
     [](PlanCase& c) {
         c.settings.scale_down.max_parallelism = 1;
         c.test_cluster.change_group("web").group.target = 3;
         c.test_cluster.node("gone", "web");
         c.being_removed("gone", "web", RemovalPhase::deleting, true);
     },
     Unremovable::not_unneeded_other_reason,
     "unneeded for 11m, but other removals come first: 1 of at most 1 in progress "
     "(scale_down.max_parallelism), 0 of at most 1 with pods to move "
     "(scale_down.max_drain_parallelism)"},
    {"disabled", [](PlanCase& c) { c.settings.scale_down.enabled = false; },
     Unremovable::not_unneeded_other_reason, "scale-down is disabled (scale_down.enabled)"},
    {"a zero-or-max group with a node that stays",
     [](PlanCase& c) {
         make_zero_or_max(c);
         add_pod(c, "p", "b").owner = {};
     },
     Unremovable::atomic_scale_down_failed,
     "group web is removed atomically, and node b stays: pod default/p has no controller that "
     "would recreate it"},
    {"a zero-or-max group with a node that is not unneeded long enough",
     [](PlanCase& c) {
         make_zero_or_max(c);
         c.unneeded_for(4min, {"b"});
     },
     Unremovable::atomic_scale_down_failed,
     "unneeded for 11m; its group is removed atomically, and node b cannot be removed: unneeded "
     "for 4m of 10m; it has no pods to move"},
};

std::vector<Case> all_cases() {
    std::vector<Case> out = node_alone;
    out.insert(out.end(), pods_and_budgets.begin(), pods_and_budgets.end());
    out.insert(out.end(), bounds_and_times.begin(), bounds_and_times.end());
    return out;
}

TEST(ScaleDownReasons, NameThePodTheBudgetOrTheNumbers) {
    for (const Case& example : all_cases()) {
        SCOPED_TRACE(example.what);
        PlanCase c = two_nodes();
        example.change(c);
        const Planned out = c.run();
        EXPECT_EQ(out.of("a").reason, example.reason);
        EXPECT_EQ(out.of("a").because, example.because);
        EXPECT_EQ(out.of("a").pod, example.pod);
    }
}

// Pods with inter-pod constraints are checked one by one. After very many checks, one node is named
// as an example.
TEST(ScaleDownReasons, NameANodeInALargeCluster) {
    PlanCase c;
    c.settings.scale_down.utilization_threshold = 1;
    c.test_cluster.group("web", 150);
    for (int i = 0; i < 150; ++i) {
        const std::string node = "n" + std::to_string(1000 + i);
        c.test_cluster.node(node, "web");
        snapshot::PodObject& pod = add_pod(c, "p-" + node, node, 3000);
        pod.spec.spread = {{.topology_key = "kubernetes.io/hostname",
                            .selector = LabelSelector{.match_labels = {{"app", "web"}}}}};
        c.test_cluster.change_node(node).labels = {{"kubernetes.io/hostname", node}};
    }
    const Planned out = c.run();
    EXPECT_EQ(out.of("n1000").because,
              "pod default/p-n1000 (cpu 3) fits on no other node: 0/149 nodes are available: 149 "
              "Insufficient cpu; closest fit is n1001: Insufficient cpu: needs 3, 1 of 4 are free");
    EXPECT_EQ(
        out.of("n1149").because,
        "pod default/p-n1149 (cpu 3) fits on no other node; for example n1000: Insufficient cpu: "
        "needs 3, 1 of 4 are free");
}

TEST(ScaleDownReasons, CoverAllCodes) {
    std::set<Unremovable> seen{Unremovable::none};
    for (const Case& example : all_cases()) seen.insert(example.reason);
    for (int reason = 0; reason <= static_cast<int>(Unremovable::unexpected_error); ++reason) {
        const auto name = name_of(static_cast<Unremovable>(reason));
        EXPECT_TRUE(seen.contains(static_cast<Unremovable>(reason))) << name;
    }
}

}  // namespace
}  // namespace capstan::engine::scale_down
