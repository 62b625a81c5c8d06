// Which of the unneeded nodes are removed.
#include <gmock/gmock.h>

#include "engine/pods/pod_group_key.hpp"
#include "plan_case.hpp"

namespace capstan::engine::scale_down {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

PlanCase two_unneeded_nodes() {
    PlanCase c = web({"a", "b"});
    c.unneeded_for(11min, {"a", "b"});
    return c;
}

TEST(NodeSelection, SelectsANodeAfterItsUnneededTime) {
    PlanCase c = web({"a"});
    c.unneeded_for(10min, {"a"});
    const Planned before = c.run();
    EXPECT_THAT(before.chosen, IsEmpty());
    EXPECT_EQ(before.plan.wake_at, noon + 1ns);
    EXPECT_THAT(before.plan.soft_taint_nodes, ElementsAre("a"));
    c.now += 1ns;
    const Planned out = c.run();
    EXPECT_THAT(out.chosen, ElementsAre("a"));
    EXPECT_EQ(out.plan.chosen[0].cause, RemovalCause::empty);
    EXPECT_EQ(out.plan.chosen[0].because, "unneeded for 10m; it has no pods to move");
    EXPECT_EQ(out.of("a").reason, Unremovable::none);
    EXPECT_THAT(out.plan.soft_taint_nodes, IsEmpty());
}

TEST(NodeSelection, ReportsWhetherOtherNodesAreWaiting) {
    for (const int most : {1, 2}) {
        PlanCase c = two_unneeded_nodes();
        c.settings.scale_down.max_parallelism = most;
        EXPECT_EQ(c.run().plan.has_waiting, most == 1) << "max_parallelism is " << most;
    }
}

TEST(NodeSelection, PrefersTheTimesOfTheGroup) {
    PlanCase c;
    c.test_cluster.group("quick", 1).options.unneeded_time = 1min;
    c.test_cluster.node("a", "quick");
    c.unneeded_for(2min, {"a"});
    EXPECT_THAT(c.run().chosen, ElementsAre("a"));
}

TEST(NodeSelection, WaitsLongerForUnreadyNodes) {
    PlanCase c;
    c.test_cluster.group("web", 1);
    snapshot::NodeObject& node = c.test_cluster.node("a", "web");
    node.ready = false;
    add_pod(c, "p", "a", 0);  // it was ready once
    c.test_cluster.group("other", 1).group.min = 1;
    c.test_cluster.node("b", "other");
    c.unneeded_for(11min, {"a"});
    EXPECT_EQ(c.run().of("a").reason, Unremovable::not_unready_long_enough);
    c.unneeded_for(21min, {"a"});
    const Planned out = c.run();
    EXPECT_THAT(out.chosen, ElementsAre("a"));
    EXPECT_EQ(out.plan.chosen[0].cause, RemovalCause::unready);
    EXPECT_FALSE(out.memory.unneeded.at("a").ready);
}

TEST(NodeSelection, SelectsManyEmptyNodesAndOneWithPods) {
    PlanCase c = web({"a", "b", "c", "d", "e"});
    c.unneeded_for(11min, {"a", "b", "c", "d", "e"});
    add_pod(c, "p", "a");
    add_pod(c, "q", "b");
    add_pod(c, "r", "e", 1000);
    const Planned out = c.run();
    EXPECT_THAT(out.chosen, ElementsAre("c", "d", "a"));
    EXPECT_EQ(out.plan.chosen[2].cause, RemovalCause::underutilized);
    EXPECT_EQ(out.of("b").because,
              "unneeded for 11m, but other removals come first: 3 of at most 10 in progress "
              "(scale_down.max_parallelism), 1 of at most 1 with pods to move "
              "(scale_down.max_drain_parallelism)");
}

/// Zones 1 and 2 have two pods of an even spread each. Nodes 1a and 1b have one of those in zone 1.
PlanCase two_zones() {
    PlanCase c = web({"1a", "1b", "2", "other"});
    for (const auto& [node, zone] : {std::pair("1a", "1"), {"1b", "1"}, {"2", "2"}})
        c.test_cluster.change_node(node).labels = {{"zone", zone}};
    for (const auto& [name, node] :
         {std::pair("front-1", "1a"), {"front-2", "1b"}, {"front-3", "2"}, {"front-4", "2"}}) {
        snapshot::PodObject& pod = add_pod(c, name, node);
        pod.labels = {{"app", "front"}};
        pod.spec.spread.push_back({.topology_key = "zone",
                                   .selector = LabelSelector{.match_labels = {{"app", "front"}}}});
    }
    for (const char* node : {"1b", "2"}) add_pod(c, std::string("large-") + node, node, 2600);
    add_pod(c, "mail", "other");
    c.unneeded_for(11min, {"1a", "other"});
    return c;
}

TEST(NodeSelection, SelectsTheNextNodeIfOneMustWaitForOthers) {
    PlanCase c = two_zones();
    EXPECT_THAT(c.run().chosen, ElementsAre("1a"));
    // While the last node of zone 3 is there and has none of these pods, a pod that leaves zone 1
    // may not return to it.
    c.test_cluster.node("going", "web").labels = {{"zone", "3"}};
    c.being_removed("going", "web", RemovalPhase::deleting, true);
    const Planned out = c.run();
    EXPECT_THAT(out.unneeded(), ElementsAre("1a", "other"));
    EXPECT_EQ(out.of("1a").because, "pod default/front-1 fits only after other nodes are removed");
    EXPECT_EQ(out.of("1a").reason, Unremovable::not_unneeded_other_reason);
    EXPECT_THAT(out.chosen, ElementsAre("other"));
}

TEST(NodeSelection, WaitsWhileAPodOfTheLastRemovalIsPending) {
    PlanCase c = web({"a", "b", "going"});
    const snapshot::PodObject& pod = add_pod(c, "front-1", "a");
    add_pod(c, "large", "b", 2600);
    c.unneeded_for(11min, {"a"});
    c.being_removed("going", "web", RemovalPhase::removed, false);
    EXPECT_THAT(c.run().chosen, ElementsAre("a"));
    const snapshot::Cluster cluster = c.test_cluster.cluster();
    const std::string key = pods::pod_group_key(cluster, cluster.equivalence_group_of(0));
    c.memory.removals.at("going").places["b"][key] = 1;
    EXPECT_THAT(c.run().chosen, ElementsAre("a"));
    snapshot::PodObject replacement = pod;
    replacement.name = "front-2";
    replacement.node_name.clear();
    replacement.unscheduled_reason = "Unschedulable";
    c.test_cluster.pod("front-2") = replacement;
    const Planned out = c.run();
    EXPECT_THAT(out.chosen, IsEmpty());
    EXPECT_EQ(out.of("a").because,
              "unneeded for 11m, but pod default/front-2 is still pending after the eviction from "
              "node going");
}

TEST(NodeSelection, WaitsWhileAPodOfTheLastRemovalIsYetToBeReplaced) {
    PlanCase c = web({"a", "b", "going"});
    snapshot::PodObject& pod = add_pod(c, "db-1", "a");
    pod.owner = {.kind = "StatefulSet", .api_group = "apps", .name = "db"};
    add_pod(c, "large", "b", 2600);
    snapshot::PodObject& ending = add_pod(c, "db-2", "going");
    ending.owner = pod.owner;
    ending.deleted = noon;
    c.unneeded_for(11min, {"a"});
    c.being_removed("going", "web", RemovalPhase::removed, false);
    const snapshot::Cluster cluster = c.test_cluster.cluster();
    const std::string key = pods::pod_group_key(cluster, cluster.equivalence_group_of(0));
    c.memory.removals.at("going").places["b"][key] = 1;
    snapshot::ControllerObject& db = c.test_cluster.controller("StatefulSet", "db", 2);
    const Planned out = c.run();
    EXPECT_THAT(out.chosen, IsEmpty());
    EXPECT_EQ(out.of("a").because,
              "unneeded for 11m, but StatefulSet default/db has not replaced a pod after the "
              "eviction from node going");
    db.replicas = 1;
    EXPECT_THAT(c.run().chosen, ElementsAre("a"));
}

TEST(NodeSelection, KeepsThePlaceOfAPodThatIsYetToBeReplaced) {
    PlanCase c = web({"a", "b", "going"});
    add_pod(c, "front-1", "a");
    add_pod(c, "large", "b", 2600);
    snapshot::PodObject& ending = add_pod(c, "db-2", "going");
    ending.owner = {.kind = "StatefulSet", .api_group = "apps", .name = "db"};
    ending.deleted = noon;
    c.unneeded_for(11min, {"a"});
    c.being_removed("going", "web", RemovalPhase::removed, false);
    c.memory.removals.at("going").places["b"]["default/StatefulSet/db#1"] = 1;
    snapshot::ControllerObject& db = c.test_cluster.controller("StatefulSet", "db", 1);
    const Planned out = c.run();
    EXPECT_THAT(out.chosen, IsEmpty());
    EXPECT_EQ(out.of("a").because,
              "unneeded for 11m, but StatefulSet default/db has not replaced a pod, whose place is "
              "on node b");
    auto& places = c.memory.removals.at("going").places;
    places["a"] = places.extract("b").mapped();
    EXPECT_EQ(c.run().of("a").because,
              "unneeded for 11m, but StatefulSet default/db has not replaced a pod, whose place is "
              "on node a");
    db.replicas = 0;
    EXPECT_THAT(c.run().chosen, ElementsAre("a"));
}

TEST(NodeSelection, CountsRemovalsInProgress) {
    PlanCase c = web({"a", "b", "going"});
    add_pod(c, "p", "a");
    c.unneeded_for(11min, {"a", "b"});
    c.being_removed("going", "web", RemovalPhase::draining, false);
    // A running drain delays other drains, but not empty nodes.
    EXPECT_THAT(c.run().chosen, ElementsAre("b"));
}

TEST(NodeSelection, IsInCooldownAfterAScaleUp) {
    PlanCase c = two_unneeded_nodes();
    c.memory.last.scale_up = noon - 4min;
    const Planned out = c.run();
    EXPECT_THAT(out.chosen, IsEmpty());
    EXPECT_EQ(out.plan.no_removals_because,
              "last scale-up 4m ago, scale_down.delay_after_add is 10m");
    EXPECT_EQ(out.plan.held_back, (std::map<std::string, HeldBackNodes>{
                                      {"scale_down.delay_after_add", {2, "the last scale-up"}}}));
    EXPECT_EQ(out.plan.wake_at, noon + 6min);
    EXPECT_EQ(out.of("a").reason, Unremovable::not_unneeded_other_reason);
}

TEST(NodeSelection, IsNotInCooldownForAGroupThatFailsAgainAndAgain) {
    PlanCase c = two_unneeded_nodes();
    c.increases.push_back({.group = NodeGroupId("stuck")});
    c.memory.failed_calls[NodeGroupId("stuck")] = {.count = 1, .last = noon - 10s};
    EXPECT_THAT(c.run().chosen, ElementsAre("a", "b"));
}

TEST(NodeSelection, NamesTheGroupThatDelaysRemovals) {
    PlanCase c = two_unneeded_nodes();
    c.memory.last.scale_up = noon - 4min;
    c.memory.last_by_group[NodeGroupId("other")].scale_up = noon - 4min;
    EXPECT_EQ(c.run().plan.no_removals_because,
              "last scale-up (group other) 4m ago, scale_down.delay_after_add is 10m");
}

TEST(NodeSelection, IsInCooldownDuringAScaleUpOfTheSamePass) {
    PlanCase c = two_unneeded_nodes();
    c.increases.push_back({.group = NodeGroupId("other")});
    EXPECT_THAT(c.run().chosen, IsEmpty());
    // With cooldowns per group, a scale-up of another group has no effect.
    c.settings.scale_down.delay_type_local = true;
    EXPECT_THAT(c.run().chosen, ElementsAre("a", "b"));
    c.settings.scale_down.delay_after_add = Duration(0);
    c.increases.push_back({.group = NodeGroupId("web"), .by = 1});
    EXPECT_THAT(c.run().of("a").because, HasSubstr("group web grows by 1 in this pass"));
}

TEST(NodeSelection, IsInCooldownPerGroupIfConfigured) {
    PlanCase c = two_unneeded_nodes();
    c.settings.scale_down.delay_type_local = true;
    c.memory.last.scale_up = noon;
    EXPECT_THAT(c.run().chosen, ElementsAre("a", "b"));
    c.memory.last_by_group[NodeGroupId("web")].failed_removal = noon - 1min;
    const Planned out = c.run();
    EXPECT_THAT(out.chosen, IsEmpty());
    EXPECT_EQ(out.plan.no_removals_because, "");
    EXPECT_EQ(out.plan.wake_at, noon + 2min);
}

TEST(NodeSelection, IsInCooldownOnlyInTheGroupOfARefusedRemoval) {
    PlanCase c = two_unneeded_nodes();
    c.memory.last_by_group[NodeGroupId("other")].failed_removal = noon - 1min;
    EXPECT_THAT(c.run().chosen, ElementsAre("a", "b"));
    c.memory.last_by_group[NodeGroupId("web")].failed_removal = noon - 1min;
    const Planned out = c.run();
    EXPECT_THAT(out.chosen, IsEmpty());
    EXPECT_THAT(out.of("a").because, HasSubstr("last failed removal 1m ago"));
    EXPECT_EQ(out.plan.no_removals_because, "");
    EXPECT_EQ(out.plan.wake_at, noon + 2min);
}

TEST(NodeSelection, CanStopWhilePendingPodsFitOnExistingNodes) {
    PlanCase c = web({"a", "b"});
    c.test_cluster.pod("waits");
    c.unneeded_for(11min, {"b"});
    EXPECT_THAT(c.run().chosen, ElementsAre("b"));
    c.settings.scale_down.ignore_schedulable_pods = false;
    const Planned out = c.run();
    EXPECT_THAT(out.chosen, IsEmpty());
    EXPECT_EQ(
        out.plan.no_removals_because,
        "1 pending pod fits on existing nodes, and scale_down.ignore_schedulable_pods is off");
}

TEST(NodeSelection, KeepsANodeWithAnOnCompletionPod) {
    PlanCase c = web({"a", "b"}, 1);
    annotate(add_pod(c, "p", "a"), "safe-to-evict", "on-completion");
    add_pod(c, "q", "b", 3000);
    c.unneeded_for(11min, {"a"});
    const Planned out = c.run();
    EXPECT_THAT(out.chosen, IsEmpty());
    EXPECT_EQ(out.of("a").reason, Unremovable::blocked_by_on_completion_pod);
    EXPECT_EQ(out.of("a").pod, "default/p");
    EXPECT_THAT(out.unneeded(), ElementsAre("a"));
}

TEST(NodeSelection, KeepsAZeroOrMaxGroupUntilAllItsNodesAreUnneededLongEnough) {
    PlanCase c;
    c.test_cluster.group("tpu", 2).options.zero_or_max = true;
    c.test_cluster.node("t1", "tpu");
    c.test_cluster.node("t2", "tpu");
    c.unneeded_for(11min, {"t1"});
    const Planned out = c.run();
    EXPECT_THAT(out.chosen, IsEmpty());
    EXPECT_EQ(out.of("t1").reason, Unremovable::atomic_scale_down_failed);
    EXPECT_EQ(out.of("t1").because,
              "unneeded for 11m; its group is removed atomically, and node t2 cannot be removed: "
              "unneeded for 0s of 10m; it has no pods to move");
    EXPECT_EQ(out.of("t2").reason, Unremovable::not_unneeded_long_enough);
    c.unneeded_for(11min, {"t1", "t2"});
    EXPECT_THAT(c.run().chosen, ElementsAre("t1", "t2"));
}

TEST(NodeSelection, IsEmptyAndResetsTimersIfDisabled) {
    PlanCase c = two_unneeded_nodes();
    c.settings.scale_down.enabled = false;
    const Planned out = c.run();
    EXPECT_THAT(out.chosen, IsEmpty());
    EXPECT_THAT(out.unneeded(), IsEmpty());
    EXPECT_EQ(out.plan.nodes.size(), 2u);
    EXPECT_NE(out.plan.no_removals_because, "");
}

TEST(NodeSelection, ReportsEveryNodeInOrder) {
    PlanCase c = web({"b", "d"});
    c.test_cluster.node("a");
    c.test_cluster.node("c");
    std::vector<std::string> names;
    for (const NodeVerdict& node : c.run().plan.nodes) names.push_back(node.node);
    EXPECT_THAT(names, ElementsAre("a", "b", "c", "d"));
}

}  // namespace
}  // namespace capstan::engine::scale_down
