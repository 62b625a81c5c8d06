// Which nodes are unneeded.
#include <gmock/gmock.h>

#include "plan_case.hpp"

namespace capstan::engine::scale_down {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(UnneededNodes, AreNodesWhosePodsFitOnOtherNodes) {
    PlanCase c = web({"a", "b", "c"});
    add_pod(c, "p", "a", 1500);
    add_pod(c, "q", "b", 2000);
    add_pod(c, "r", "c", 1900);
    const Planned out = c.run();
    // Node b takes the pod of a, and then has no room for the pod of c.
    EXPECT_THAT(out.unneeded(), ElementsAre("a"));
    EXPECT_EQ(out.of("a").reason, Unremovable::not_unneeded_long_enough);
    EXPECT_EQ(out.of("a").because, "unneeded for 0s of 10m; its 1 pod fits on b");
    EXPECT_EQ(out.of("c").reason, Unremovable::no_place_to_move_pods);
    EXPECT_EQ(out.of("c").pod, "default/r");
    EXPECT_EQ(out.of("c").because,
              "pod default/r (cpu 1900m) fits on no other node: 0/2 nodes are available: 1 "
              "Insufficient cpu, 1 also to be removed; closest fit is b: Insufficient cpu: needs "
              "1900m, 500m of 4 are free");
}

TEST(UnneededNodes, DoNotDependOnTheOrderOfObjects) {
    PlanCase c = web({"c", "a", "b"});
    add_pod(c, "r", "c", 1900);
    add_pod(c, "q", "b", 2000);
    add_pod(c, "p", "a", 1500);
    EXPECT_THAT(c.run().unneeded(), ElementsAre("a"));
}

TEST(UnneededNodes, MovePodsAgainIfTheirDestinationIsRemoved) {
    // p is planned on small, which is evaluated last. large is kept, so p moves there with the pods
    // of small.
    PlanCase c;
    c.test_cluster.group("web", 3);
    for (const char* name : {"a", "large"}) c.test_cluster.node(name, "web");
    c.test_cluster.node("small", "web").allocatable = amounts(1000);
    add_pod(c, "p", "a", 100);
    add_pod(c, "q", "large", 1900);
    add_pod(c, "r", "small", 100);
    add_pod(c, "s", "small", 100);
    const Planned out = c.run();
    EXPECT_THAT(out.unneeded(), ElementsAre("a", "small"));
    EXPECT_THAT(out.of("a").because, HasSubstr("its 1 pod fits on large"));
}

TEST(UnneededNodes, ExcludeNodesThatPendingPodsArePlannedOn) {
    PlanCase c = web({"a", "b"});
    c.test_cluster.pod("waits");
    const Planned out = c.run();
    EXPECT_THAT(out.unneeded(), ElementsAre("b"));
    EXPECT_EQ(out.of("a").reason, Unremovable::no_node_info);
    EXPECT_EQ(out.of("a").because, "1 pending pod is planned on it: default/waits");
}

// A node with a readiness taint that joined some time ago.
PlanCase waits_for_checks(Duration ago) {
    PlanCase c = web({"a"});
    snapshot::NodeObject& node = c.test_cluster.change_node("a");
    node.taints = {{.key = "checks-pending"}};
    node.created = noon - ago;
    c.settings.readiness_taints = {"checks-pending"};
    return c;
}

TEST(UnneededNodes, IncludeNodesWithAReadinessTaintSinceTheyJoined) {
    PlanCase c = waits_for_checks(0s);
    const Planned joined = c.run();
    EXPECT_EQ(joined.memory.unneeded.at("a"), (engine::Unneeded{.since = noon, .ready = false}));
    EXPECT_THAT(joined.plan.soft_taint_nodes, IsEmpty());

    c.memory = joined.memory;
    c.now = noon + 20min;
    EXPECT_EQ(c.run().of("a").reason, Unremovable::not_unready_long_enough);
    c.now += 1ns;
    const Planned late = c.run();
    EXPECT_THAT(late.chosen, ElementsAre("a"));
    EXPECT_EQ(late.plan.chosen[0].cause, RemovalCause::unready);
}

TEST(UnneededNodes, ExcludeStartingNodesThatPendingPodsArePlannedOn) {
    PlanCase c = waits_for_checks(14min);
    c.settings.scale_down.unready_time = 5min;
    c.memory.unneeded["a"] = {.since = noon - 14min, .ready = false};
    const Planned out = c.run();
    EXPECT_THAT(out.chosen, IsEmpty());
    EXPECT_EQ(out.of("a").reason, Unremovable::no_node_info);
    EXPECT_EQ(out.of("a").because, "not started yet; pending pods are planned on it");
    // Once its group is backed off, pods no longer wait for the node.
    c.memory.backoffs[NodeGroupId("web")] = {.last_failure = noon, .code = ErrorCode::deadline};
    EXPECT_THAT(c.run().chosen, ElementsAre("a"));
}

TEST(UnneededNodes, RestartTheTimerWhenANodeBecomesReady) {
    PlanCase c = waits_for_checks(19min);
    c.memory.unneeded["a"] = {.since = noon - 19min, .ready = false};
    c.test_cluster.change_node("a").taints.clear();
    const Planned out = c.run();
    EXPECT_THAT(out.chosen, IsEmpty());
    EXPECT_EQ(out.memory.unneeded.at("a"), (engine::Unneeded{.since = noon}));
}

TEST(UnneededNodes, KeepTheTimerWhenANodeBecomesUnready) {
    PlanCase c = waits_for_checks(1h);
    c.memory.unneeded["a"] = {.since = noon - 9min};
    EXPECT_EQ(c.run().memory.unneeded.at("a"),
              (engine::Unneeded{.since = noon - 9min, .ready = false}));
}

TEST(UnneededNodes, KeepTheTimerWhileTheirGroupCannotBeChanged) {
    PlanCase c = web({"a", "b"}, 0);
    c.test_cluster.change_group("web").unreadable_because = "requests are backed off";
    c.memory.unneeded["a"] = {.since = noon - 9min};
    const Planned out = c.run();
    EXPECT_THAT(out.chosen, IsEmpty());
    EXPECT_EQ(out.memory.unneeded.size(), 1u) << "no timer starts meanwhile";
    EXPECT_EQ(out.memory.unneeded.at("a"), (engine::Unneeded{.since = noon - 9min}));
}

TEST(UnneededNodes, RespectTheMinSizeOfTheirGroup) {
    PlanCase c = web({"a", "b", "c"}, 2);
    const Planned out = c.run();
    EXPECT_THAT(out.unneeded(), ElementsAre("a"));
    EXPECT_EQ(out.of("b").reason, Unremovable::node_group_min_size_reached);
    EXPECT_EQ(
        out.of("b").because,
        "node group min size reached (2): group web has 3 nodes, 1 to be removed before this one");
}

TEST(UnneededNodes, CountNodesBeingRemovedAsRemoved) {
    PlanCase c = web({"a", "b", "c"}, 1);
    c.being_removed("a", "web", RemovalPhase::draining, false);
    EXPECT_THAT(c.run().unneeded(), ElementsAre("b"));
    // The cloud accepted the removal and lowered the target.
    c.being_removed("a", "web", RemovalPhase::removed, false);
    EXPECT_THAT(c.run().unneeded(), ElementsAre("b", "c"));
}

TEST(UnneededNodes, RespectTheMinimumOfTheCluster) {
    PlanCase c = web({"a", "b", "c"});
    c.settings.cpu.min = 5000;
    const Planned out = c.run();
    EXPECT_THAT(out.unneeded(), ElementsAre("a"));
    EXPECT_EQ(out.of("b").reason, Unremovable::minimal_resource_limit_exceeded);
    EXPECT_EQ(out.of("b").because,
              "min cluster cpu limit reached (5): the cluster has 8, the node 4");
}

TEST(UnneededNodes, RespectDisruptionBudgets) {
    PlanCase c = web({"a", "b", "c"});
    add_pod(c, "p", "a").labels = {{"app", "x"}};
    add_pod(c, "q", "b").labels = {{"app", "x"}};
    c.test_cluster.budget("x", 1).selector = LabelSelector{.match_labels = {{"app", "x"}}};
    add_pod(c, "r", "c", 3000);
    const Planned out = c.run();
    EXPECT_THAT(out.unneeded(), ElementsAre("a"));
    EXPECT_EQ(out.of("b").reason, Unremovable::blocked_by_pod);
    EXPECT_EQ(out.of("b").pod, "default/q");
}

TEST(UnneededNodes, WithoutABudgetGetSoftTaintsToo) {
    PlanCase c = web({"a", "b", "c"});
    add_pod(c, "p", "a").labels = {{"app", "x"}};
    add_pod(c, "q", "b").labels = {{"app", "x"}};
    c.test_cluster.budget("x", 1).selector = LabelSelector{.match_labels = {{"app", "x"}}};
    snapshot::PodObject& large = add_pod(c, "r", "c", 3000);
    EXPECT_THAT(c.run().plan.soft_taint_nodes, ElementsAre("a", "b"));
    large.spec.requests = {{"cpu", 4000}};
    EXPECT_THAT(c.run().plan.soft_taint_nodes, ElementsAre("a"))
        << "b is the place for the pods of a";
}

TEST(UnneededNodes, KeepTheirSoftTaintsWhileADrainUsesTheirBudget) {
    for (const bool has_taint : {false, true}) {
        for (const bool is_draining : {false, true}) {
            PlanCase c = web({"a", "b", "c"});
            add_pod(c, "p", "a").labels = {{"app", "x"}};
            add_pod(c, "q", "b").labels = {{"app", "x"}};
            c.test_cluster.budget("x", 0).selector = LabelSelector{.match_labels = {{"app", "x"}}};
            add_pod(c, "r", "c", 3000);
            if (is_draining) c.being_removed("a", "web", RemovalPhase::draining, false);
            if (has_taint)
                c.test_cluster.change_node("b").taints = {
                    {.key = "DeletionCandidateOfClusterAutoscaler",
                     .effect = Effect::prefer_no_schedule}};
            EXPECT_EQ(c.run().plan.soft_taint_nodes.size(), has_taint && is_draining ? 1u : 0u);
        }
    }
}

TEST(UnneededNodes, IncludeAllNodesOfAZeroOrMaxGroupOrNone) {
    PlanCase c;
    c.test_cluster.group("tpu", 2).options.zero_or_max = true;
    c.test_cluster.node("t1", "tpu");
    c.test_cluster.node("t2", "tpu");
    EXPECT_THAT(c.run().unneeded(), ElementsAre("t1", "t2"));
    add_pod(c, "p", "t2", 3000);
    const Planned out = c.run();
    EXPECT_THAT(out.unneeded(), IsEmpty());
    EXPECT_EQ(out.of("t1").reason, Unremovable::atomic_scale_down_failed);
    EXPECT_EQ(out.of("t1").because,
              "group tpu is removed atomically, and node t2 stays: cpu utilization is 75% "
              "(3 of 4), above the threshold of 50%");
}

TEST(UnneededNodes, PreferTheZoneWithTheMostNodes) {
    PlanCase c;
    c.test_cluster.group("z", 3).group.min = 2;
    for (const char* name : {"a", "b", "c"}) {
        c.test_cluster.node(name, "z").labels = {
            {"topology.kubernetes.io/zone", std::string(name) == "a" ? "z1" : "z2"}};
    }
    EXPECT_THAT(c.run().unneeded(), ElementsAre("b"));
}

TEST(UnneededNodes, AreStableAcrossPasses) {
    PlanCase c = web({"a", "b"}, 1);
    c.unneeded_for(3min, {"b"});
    const Planned out = c.run();
    EXPECT_THAT(out.unneeded(), ElementsAre("b"));
    EXPECT_EQ(out.memory.unneeded.at("b").since, noon - 3min);
}

TEST(UnneededNodes, MovePodsToTheirEarlierDestination) {
    PlanCase c = web({"a", "b", "c"});
    add_pod(c, "p", "a", 100);
    add_pod(c, "q", "b", 2000);
    add_pod(c, "r", "c", 2000);
    c.settings.scale_down.utilization_threshold = 0.4;
    EXPECT_EQ(c.run().memory.hints.at("default/p"), "b");
    c.memory.hints["default/p"] = "c";
    EXPECT_EQ(c.run().memory.hints.at("default/p"), "c");
    c.memory.hints["default/p"] = "gone";
    EXPECT_EQ(c.run().memory.hints.at("default/p"), "b");
}

TEST(UnneededNodes, ThatWaitForABudgetAreFilledFromTheLastOn) {
    PlanCase c = web({"a", "b", "c"});
    for (const char* node : {"a", "b", "c"})
        add_pod(c, std::string("p-") + node, node, 500).labels = {{"app", "x"}};
    c.test_cluster.budget("x", 1).selector = LabelSelector{.match_labels = {{"app", "x"}}};
    c.memory.hints["default/p-a"] = "b";
    const Planned out = c.run();
    EXPECT_EQ(out.memory.hints.at("default/p-a"), "c") << "b is removed before c";
    EXPECT_THAT(out.plan.soft_taint_nodes, ElementsAre("a", "b"))
        << "kube-scheduler is to put the pod on c";
}

TEST(UnneededNodes, MovePodsToANodeThatStaysOnceTheBudgetAllowsMore) {
    // Node b is evaluated last, so it takes p at first. Then it has no room for the pods of large,
    // but large has room for all of its pods.
    PlanCase c = web({"a", "b", "large"});
    c.settings.scale_down.utilization_threshold = 0.75;
    c.test_cluster.change_node("large").allocatable = amounts(8000);
    const auto add_x = [&](const char* name, const char* node, std::int64_t cpu) {
        add_pod(c, name, node, cpu).labels = {{"app", "x"}};
    };
    add_x("p", "a", 1500);
    for (const char* name : {"q1", "q2"}) add_x(name, "large", 1500);
    for (const char* name : {"r1", "r2", "r3"}) add_x(name, "b", 700);
    c.test_cluster.budget("x", 1).selector = LabelSelector{.match_labels = {{"app", "x"}}};
    const Planned out = c.run();
    EXPECT_THAT(out.unneeded(), ElementsAre("a"));
    EXPECT_EQ(out.memory.hints.at("default/p"), "large") << "b is removed next";
    EXPECT_THAT(out.plan.soft_taint_nodes, ElementsAre("a", "b"));

    c.unneeded_for(11min, {"a"});
    EXPECT_THAT(c.run().of("a").because, HasSubstr("its 1 pod fits on large"));
}

TEST(UnneededNodes, TakeNoPodsBetweenTwoAttemptsToRemoveThem) {
    PlanCase c = web({"a", "b", "c"});
    c.settings.scale_down.utilization_threshold = 0.4;
    add_pod(c, "p", "a", 100);
    add_pod(c, "q", "b", 1000);
    add_pod(c, "r", "c", 2000);
    c.memory.removal_backoffs[NodeGroupId("web")][MachineId("b")] = {.until = noon + 1min,
                                                                     .failures = 1};
    EXPECT_EQ(c.run().memory.hints.at("default/p"), "b");
    c.test_cluster.change_node("b").taints = {
        {.key = "DeletionCandidateOfClusterAutoscaler", .effect = Effect::prefer_no_schedule}};
    const Planned out = c.run();
    EXPECT_EQ(out.memory.hints.at("default/p"), "c");
    EXPECT_THAT(out.plan.soft_taint_nodes, ElementsAre("a", "b"));
}

TEST(UnneededNodes, AreNotDrainedWhilePodsRestAfterARemoval) {
    PlanCase c = web({"a", "b"});
    add_pod(c, "q", "b", 3000);
    c.memory.removal_backoffs[NodeGroupId("web")][MachineId("a")] = {
        .until = noon + 1h, .because = BriefText("pods returned"), .only_drains = true};
    EXPECT_THAT(c.run().unneeded(), ElementsAre("a")) << "an empty node may go";
    add_pod(c, "p", "a", 100);
    const Planned out = c.run();
    EXPECT_THAT(out.unneeded(), IsEmpty());
    EXPECT_EQ(out.of("a").reason, Unremovable::recently_unremovable);
    EXPECT_THAT(out.of("a").because, ::testing::HasSubstr("pods returned"));
}

/// A node in each of three zones, with a pod of an even spread over zones on each. Nodes a and b
/// stay.
PlanCase three_zones(bool honor_taints) {
    PlanCase c;
    c.test_cluster.group("web", 3);
    for (const auto& [name, zone] : {std::pair("a", "z1"), {"b", "z2"}, {"c", "z3"}})
        c.test_cluster.node(name, "web").labels = {{"zone", zone}};
    for (const char* node : {"a", "b", "c"}) {
        snapshot::PodObject& pod = add_pod(c, std::string("p-") + node, node);
        pod.labels = {{"app", "p"}};
        pod.spec.spread.push_back({.topology_key = "zone",
                                   .selector = LabelSelector{.match_labels = {{"app", "p"}}},
                                   .honor_taints = honor_taints});
    }
    add_pod(c, "large", "a", 3000);
    add_pod(c, "larger", "b", 3000);
    return c;
}

TEST(UnneededNodes, ExcludeTheLastNodeOfADomainThatIsSeenWhileItDrains) {
    const Planned out = three_zones(false).run();
    EXPECT_THAT(out.unneeded(), ::testing::Not(::testing::Contains("c")));
    EXPECT_EQ(
        out.of("c").because,
        "pod default/p-c (cpu 100m) fits on no other node: 0/2 nodes are available: 2 node(s) "
        "didn't match pod topology spread constraints; closest fit is a: node(s) didn't match "
        "pod topology spread constraints: zone=z1 has 1, the minimum is 0, maxSkew 1");
}

TEST(UnneededNodes, IncludeTheLastNodeOfADomainThatEndsWithItsTaint) {
    const PlanCase c = three_zones(true);
    EXPECT_THAT(c.run().unneeded(), ::testing::Contains("c"));
}

TEST(UnneededNodes, RespectDefaultSpreadConstraints) {
    // Two zones: if p-b1 moved, zone a would have two pods and b none.
    PlanCase c;
    c.test_cluster.group("web", 3);
    c.test_cluster.service("p");
    for (const auto& [name, zone] : {std::pair("a1", "a"), {"b1", "b"}, {"b2", "b"}})
        c.test_cluster.node(name, "web").labels = {{"zone", zone}};
    for (const char* node : {"a1", "b1"})
        add_pod(c, std::string("p-") + node, node).labels = {{"app", "p"}};
    add_pod(c, "large", "a1", 3000);
    add_pod(c, "larger", "b2", 3950);
    EXPECT_THAT(c.run().unneeded(), ::testing::Contains("b1"));
    c.settings.default_spread = {{.topology_key = "zone"}};
    const Planned out = c.run();
    EXPECT_THAT(out.unneeded(), ::testing::Not(::testing::Contains("b1")));
    EXPECT_EQ(out.of("b1").reason, Unremovable::no_place_to_move_pods);
}

TEST(UnneededNodes, KeepPodsOfAnEmulatedSpreadInTheirZone) {
    PlanCase c;
    c.settings.emulated_spread_label = "app";
    c.test_cluster.group("web", 4);
    for (const auto& [name, zone] : {std::pair("a1", "a"), {"a2", "a"}, {"b1", "b"}, {"c1", "c"}}) {
        c.test_cluster.node(name, "web").labels = {{"topology.kubernetes.io/zone", zone}};
        snapshot::PodObject& pod = add_pod(c, std::string("p-") + name, name);
        pod.labels = {{"app", "p"}};
        pod.spec.spread.push_back({.topology_key = "topology.kubernetes.io/zone",
                                   .selector = LabelSelector{.match_labels = {{"app", "p"}}}});
    }
    const Planned out = c.run();
    EXPECT_THAT(out.unneeded(), ElementsAre("a1"));
    EXPECT_THAT(out.of("a1").because, HasSubstr("its 1 pod fits on a2"));
    EXPECT_EQ(out.of("b1").reason, Unremovable::no_place_to_move_pods);
}

}  // namespace
}  // namespace capstan::engine::scale_down
