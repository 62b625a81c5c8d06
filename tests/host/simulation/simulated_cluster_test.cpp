#include "simulation/simulated_cluster.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "story_start.hpp"

namespace capstan::simulation {
namespace {

using namespace std::chrono_literals;

/// A world with what it tells, and a clock that only goes on.
struct ToldWorld : Observer {
    EventLog story{start, *this};
    RunStatistics statistics{start};
    SimulatedCluster world{story, statistics};

    std::string take() {
        std::string out;
        for (const Event& event : story.events()) out += event.text + "\n";
        story.events().clear();
        return out;
    }
    void node(const std::string& name, MilliCpu cpu = 4_cpu, bool ready = true) {
        const Resources resources{{"cpu", cpu}, {"memory", 16_GiB}, {"pods", 110}};
        world.add_node(
            {.name = name, .capacity = resources, .allocatable = resources, .ready = ready},
            "group", start);
    }
};

PodBatch batch(const std::string& name, std::optional<int> count, bool replicas = false,
               std::optional<Duration> duration = {}) {
    return {.pod = {.name = name, .spec = {.requests = {{"cpu", 1_cpu}}, .priority = 0}},
            .count = count,
            .controller = replicas ? Controller::replica_set : Controller::none,
            .duration = duration};
}

TEST(SimulatedCluster, PodsArriveAndGetNodes) {
    ToldWorld t;
    t.node("a");
    ASSERT_TRUE(t.world.apply(batch("web", 6), start));
    EXPECT_TRUE(t.world.schedule(start));
    EXPECT_EQ(t.world.pending(), 2);
    EXPECT_EQ(t.take(), "web: 6 pods arrive\nweb: 4 pods are bound to nodes\n");
    EXPECT_FALSE(t.world.schedule(start)) << "nothing changed";
}

TEST(SimulatedCluster, APodWithoutNodeIsMarkedUnschedulable) {
    ToldWorld t;
    ASSERT_TRUE(t.world.apply(batch("web", {}), start));
    t.world.schedule(start);
    const engine::snapshot::Cluster cluster = t.world.cluster();
    ASSERT_EQ(cluster.unbound().size(), 1u);
    const engine::snapshot::PodRow row = cluster.pod(cluster.unbound()[0]);
    EXPECT_EQ(cluster.text(row.name), "web");
    EXPECT_EQ(cluster.text(row.unscheduled_reason), "Unschedulable");
}

TEST(SimulatedCluster, PodsAreSpreadAsTheSchedulerIsTold) {
    struct : Observer {
    } nobody;
    for (const bool is_told : {false, true}) {
        EventLog story(start, nobody);
        RunStatistics statistics(start);
        std::vector<engine::snapshot::DefaultSpread> spread;
        if (is_told) spread = {{.topology_key = "zone"}};
        SimulatedCluster world(story, statistics, {}, true, spread);
        const auto node = [&](const std::string& zone, MilliCpu cpu) {
            const Resources resources{{"cpu", cpu}, {"pods", 110}};
            world.add_node({.name = zone,
                            .labels = {{"zone", zone}},
                            .capacity = resources,
                            .allocatable = resources},
                           "group", start);
        };
        node("a", 8_cpu);
        node("b", 1_cpu);
        PodBatch web = batch("web", 5, true);
        web.pod.labels = {{"app", "web"}};
        ASSERT_TRUE(world.apply(web, start));
        world.schedule(start);
        EXPECT_EQ(world.pending(), is_told ? 2 : 0) << "two in zone a and one in b";
        ASSERT_TRUE(world.apply(Scale{"web", 6}, start));
        const auto& controllers = world.cluster().objects().controllers;
        EXPECT_EQ(controllers.at("ReplicaSet/default/web").selector,
                  (LabelSelector{.match_labels = {{"app", "web"}}}));
    }
}

TEST(SimulatedCluster, AControllerThatWasThereKeepsItsSelector) {
    ToldWorld t;
    const LabelSelector selector{.match_labels = {{"hash", "1"}}};
    engine::snapshot::PodObject pod{
        .name = "web-1",
        .labels = {{"app", "web"}, {"hash", "1"}},
        .owner = {.kind = "ReplicaSet", .api_group = "apps", .name = "web", .uid = "u"}};
    t.world.fill({.pods = {pod},
                  .controllers = {{.kind = "ReplicaSet",
                                   .name = "web",
                                   .uid = "u",
                                   .replicas = 1,
                                   .selector = selector}}},
                 start);
    ASSERT_TRUE(t.world.apply(Scale{"web", 2}, start));
    const engine::snapshot::Cluster cluster = t.world.cluster();
    const auto& web = cluster.objects().controllers.at("ReplicaSet/default/web");
    EXPECT_EQ(web.replicas, 2);
    EXPECT_EQ(web.selector, selector);
}

TEST(SimulatedCluster, HigherPriorityComesFirstThenAge) {
    ToldWorld t;
    t.node("a", 2_cpu);
    ASSERT_TRUE(t.world.apply(batch("low", 2), start));
    PodBatch high = batch("high", 1);
    high.pod.spec.priority = 100;
    ASSERT_TRUE(t.world.apply(high, start));
    t.world.schedule(start);
    ASSERT_EQ(t.world.still_pending(start).size(), 1u);
    EXPECT_EQ(t.world.still_pending(start)[0].pods, "low");
    EXPECT_EQ(t.world.still_pending(start)[0].count, 1);
}

TEST(SimulatedCluster, PackedPodsFillTheGroupsNodesInTurnWhateverElseTheyAskFor) {
    ToldWorld t;
    const auto node = [&](const char* name, const char* group) {
        const Resources resources{{"cpu", 2_cpu}, {"pods", 110}};
        t.world.add_node({.name = name, .capacity = resources, .allocatable = resources}, group,
                         start);
    };
    node("a-1", "a");
    node("a-2", "a");
    node("b-1", "b");
    PodBatch first = batch("first", 3, true);
    first.packed = true;
    first.pod.spec.node_selector = {{"nobody", "has"}};
    PodBatch second = first;
    second.pod.name = "second";
    second.count = 4;
    ASSERT_TRUE(t.world.apply(first, start));
    ASSERT_TRUE(t.world.apply(second, start));
    t.world.schedule(start);

    const engine::snapshot::Cluster cluster = t.world.cluster();
    std::map<std::string, std::vector<std::string>> on;
    for (engine::snapshot::NodeIndex n = 0; n < cluster.node_count(); ++n) {
        for (const engine::snapshot::PodIndex pod : cluster.pods_on(n))
            on[std::string(cluster.text(cluster.node(n).name))].emplace_back(
                cluster.text(cluster.pod(pod).name));
        std::ranges::sort(on[std::string(cluster.text(cluster.node(n).name))]);
    }
    using Names = std::vector<std::string>;
    EXPECT_EQ(on["a-1"], (Names{"first-1", "first-2"}));
    EXPECT_EQ(on["b-1"], (Names{"first-3", "second-1"}));
    EXPECT_EQ(on["a-2"], (Names{"second-2", "second-3"}));
    EXPECT_EQ(t.world.pending(), 1) << "there is no room left";
}

TEST(SimulatedCluster, OnlyThePodsThatArePackedPassByTheScheduler) {
    ToldWorld t;
    t.node("a");
    PodBatch packed = batch("web", 1, true);
    packed.packed = true;
    packed.pod.spec.node_selector = {{"nobody", "has"}};
    ASSERT_TRUE(t.world.apply(packed, start));
    t.world.schedule(start);
    EXPECT_EQ(t.world.pending(), 0);
    ASSERT_TRUE(t.world.apply(Scale{"web", 2}, start));
    t.world.schedule(start);
    EXPECT_EQ(t.world.pending(), 1);
}

TEST(SimulatedCluster, PodsOfAReplicaSetComeBackWhenTheirNodeVanishesOthersDoNot) {
    ToldWorld t;
    t.node("a");
    ASSERT_TRUE(t.world.apply(batch("web", 2, true), start));
    ASSERT_TRUE(t.world.apply(batch("bare", 1), start));
    t.world.schedule(start);
    t.take();
    EXPECT_TRUE(t.world.remove_node("a", start));
    EXPECT_EQ(t.take(), "node a is deleted with 3 pods\nweb: 2 pods are recreated and pending\n");
    EXPECT_EQ(t.world.pending(), 2);
    EXPECT_FALSE(t.world.remove_node("a", start));
}

TEST(SimulatedCluster, ScalingDownTakesPodsWithoutANodeFirst) {
    ToldWorld t;
    t.node("a", 3_cpu);
    ASSERT_TRUE(t.world.apply(batch("web", 5, true), start));
    t.world.schedule(start);
    ASSERT_TRUE(t.world.apply(Scale{"web", 3}, start));
    EXPECT_EQ(t.world.pending(), 0);
    ASSERT_TRUE(t.world.apply(Scale{"web", 4}, start));
    EXPECT_EQ(t.world.pending(), 1);
    EXPECT_EQ(t.world.apply(Scale{"nobody", 1}, start).error().code, ErrorCode::not_found);
}

TEST(SimulatedCluster, JobsEndSoLongAfterTheyGotANode) {
    ToldWorld t;
    ASSERT_TRUE(t.world.apply(batch("job", 1, false, 10min), start));
    t.world.schedule(start);
    EXPECT_EQ(t.world.next_due(), std::nullopt) << "it waits";
    t.node("a");
    t.world.schedule(start + 5min);
    EXPECT_EQ(t.world.next_due(), start + 15min);
    t.take();
    t.world.reach(start + 15min);
    EXPECT_EQ(t.take(), "job: 1 pod completes\n");
    EXPECT_EQ(t.world.next_due(), std::nullopt);
}

TEST(SimulatedCluster, ANodeThatIsNotReadyTakesNoPodsButDaemons) {
    ToldWorld t;
    Objects objects;
    objects.daemon_sets = {{.name = "agent", .spec = {.requests = {{"cpu", 1_cpu}}}}};
    t.world.fill(objects, start);
    t.node("a", 4_cpu, false);
    EXPECT_EQ(t.world.cluster().pods_on(0).size(), 1u) << "the agent";
    ASSERT_TRUE(t.world.apply(batch("web", 4), start));
    t.world.schedule(start);
    EXPECT_EQ(t.world.pending(), 4);
    t.world.set_ready("a", true, start);
    t.world.schedule(start);
    EXPECT_EQ(t.world.pending(), 1) << "three beside the agent";
}

TEST(SimulatedCluster, DaemonSetsKeepOffNodesTheyDoNotMatch) {
    ToldWorld t;
    Objects objects;
    objects.daemon_sets = {{.name = "gpu", .spec = {.node_selector = {{"gpu", "yes"}}}}};
    t.world.fill(objects, start);
    t.node("a");
    EXPECT_EQ(t.world.cluster().pods_on(0).size(), 0u);
}

TEST(SimulatedCluster, PodsThatAreThereFromTheStartKeepTheirNodesAndGetNoSecondDaemon) {
    ToldWorld t;
    Objects objects;
    const Resources resources{{"cpu", 4_cpu}, {"pods", 110}};
    objects.nodes = {{.name = "a", .capacity = resources, .allocatable = resources}};
    objects.daemon_sets = {{.name = "agent", .spec = {.requests = {{"cpu", 1_cpu}}}}};
    objects.pods = {
        {.name = "agent-x",
         .spec = {.requests = {{"cpu", 2_cpu}}},  // an older revision
         .owner = {.kind = "DaemonSet", .api_group = "apps", .name = "agent", .uid = "u"},
         .node_name = "a"},
        {.name = "done", .node_name = "a", .phase = engine::snapshot::PodPhase::succeeded},
        {.name = "waits", .spec = {.requests = {{"cpu", 1_cpu}}}}};
    t.world.fill(objects, start);
    EXPECT_EQ(t.world.cluster().pods_on(0).size(), 1u);
    EXPECT_EQ(t.world.pending(), 1);
    t.world.schedule(start);
    EXPECT_EQ(t.world.pending(), 0);
    EXPECT_EQ(t.world.batch_of("default/agent-x"), "agent");
}

TEST(SimulatedCluster, NamesAreNotGivenTwice) {
    ToldWorld t;
    ASSERT_TRUE(t.world.apply(batch("web-1", {}), start));
    EXPECT_EQ(t.world.apply(batch("web-1", {}), start).error().code, ErrorCode::conflict);
    ASSERT_TRUE(t.world.apply(batch("web", 1), start));
    EXPECT_EQ(t.world.cluster().pod_count(), 2u) << "web-1 and web-2";
}

TEST(SimulatedCluster, WhatIsRemovedHasToBeThere) {
    ToldWorld t;
    t.node("a");
    ASSERT_TRUE(t.world.apply(batch("web", 3, true), start));
    EXPECT_TRUE(t.world.apply(Remove{"web-2"}, start));
    EXPECT_EQ(t.world.pending(), 3) << "its ReplicaSet brings another";
    EXPECT_TRUE(t.world.apply(Remove{"web"}, start));
    EXPECT_EQ(t.world.pending(), 0);
    EXPECT_TRUE(t.world.apply(Remove{"a"}, start));
    EXPECT_EQ(t.world.apply(Remove{"a"}, start).error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace capstan::simulation
