#include "simulator/simulated_cluster.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "run_start.hpp"

namespace capstan::simulator {
namespace {

using namespace std::chrono_literals;

/// A simulated cluster with its event log.
struct LoggedCluster : Observer {
    EventLog event_log{start, *this};
    RunStatistics statistics{start};
    SimulatedCluster simulated{event_log, statistics};

    std::string take() {
        std::string out;
        for (const Event& event : event_log.events()) out += event.text + "\n";
        event_log.events().clear();
        return out;
    }
    void node(const std::string& name, MilliCpu cpu = 4_cpu, bool ready = true) {
        const Resources resources{{"cpu", cpu}, {"memory", 16_GiB}, {"pods", 110}};
        simulated.add_node(
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

TEST(SimulatedClusterTest, SchedulesNewPods) {
    LoggedCluster t;
    t.node("a");
    ASSERT_TRUE(t.simulated.apply(batch("web", 6), start));
    EXPECT_TRUE(t.simulated.schedule(start));
    EXPECT_EQ(t.simulated.pending(), 2);
    EXPECT_EQ(t.take(), "web: 6 pods arrive\nweb: 4 pods are bound to nodes\n");
    EXPECT_FALSE(t.simulated.schedule(start)) << "nothing changed";
}

engine::snapshot::NodeObject node_of_type(const std::string& name, const std::string& type) {
    return {.name = name, .labels = {{"node.kubernetes.io/instance-type", type}}};
}

TEST(SimulatedClusterTest, GivesNewNodesTheCsiNodeOfTheirGroupOrMachineType) {
    LoggedCluster t;
    Objects objects;
    for (const auto& [name, type] : {std::pair{"a", "m5"}, {"b", "m5"}, {"c", "c5"}})
        objects.nodes.push_back(node_of_type(name, type));
    objects.nodes[1].provider_id = "b";
    objects.csi_nodes = {{.name = "a", .limits = {{"ebs", 1}}},
                         {.name = "b", .limits = {{"ebs", 2}}, .migrated = {"ebs"}}};
    t.simulated.fill(objects, start);
    t.simulated.adopt_node("b", "web");
    t.simulated.add_node(node_of_type("web-1", "c5"), "web", start);
    t.simulated.add_node(node_of_type("db-1", "m5"), "db", start);
    t.simulated.add_node(node_of_type("db-2", "c5"), "db", start);
    const auto csi_nodes = [&] { return t.simulated.cluster().objects().csi_nodes; };
    EXPECT_EQ(csi_nodes().at("web-1"),
              (engine::snapshot::CsiNodeObject{
                  .name = "web-1", .limits = {{"ebs", 2}}, .migrated = {"ebs"}}));
    EXPECT_EQ(csi_nodes().at("db-1").limits.at("ebs"), 1);
    EXPECT_FALSE(csi_nodes().contains("db-2"));
    EXPECT_FALSE(csi_nodes().contains("c"));
    t.simulated.remove_node("b", start);
    EXPECT_FALSE(csi_nodes().contains("b"));
    t.simulated.add_node(node_of_type("web-2", "c5"), "web", start);
    EXPECT_EQ(csi_nodes().at("web-2").limits.at("ebs"), 2);
}

TEST(SimulatedClusterTest, MarksPendingPodsUnschedulable) {
    LoggedCluster t;
    ASSERT_TRUE(t.simulated.apply(batch("web", {}), start));
    t.simulated.schedule(start);
    const engine::snapshot::Cluster cluster = t.simulated.cluster();
    ASSERT_EQ(cluster.unbound().size(), 1u);
    const engine::snapshot::PodRow row = cluster.pod(cluster.unbound()[0]);
    EXPECT_EQ(cluster.text(row.name), "web");
    EXPECT_EQ(cluster.text(row.unscheduled_reason), "Unschedulable");
}

TEST(SimulatedClusterTest, AppliesDefaultSpreadConstraints) {
    struct : Observer {
    } observer;
    for (const bool has_default_spread : {false, true}) {
        EventLog event_log(start, observer);
        RunStatistics statistics(start);
        std::vector<engine::snapshot::DefaultSpread> spread;
        if (has_default_spread) spread = {{.topology_key = "zone"}};
        SimulatedCluster simulated(event_log, statistics, {}, true, spread);
        const auto node = [&](const std::string& zone, MilliCpu cpu) {
            const Resources resources{{"cpu", cpu}, {"pods", 110}};
            simulated.add_node({.name = zone,
                                .labels = {{"zone", zone}},
                                .capacity = resources,
                                .allocatable = resources},
                               "group", start);
        };
        node("a", 8_cpu);
        node("b", 1_cpu);
        PodBatch web = batch("web", 5, true);
        web.pod.labels = {{"app", "web"}};
        ASSERT_TRUE(simulated.apply(web, start));
        simulated.schedule(start);
        EXPECT_EQ(simulated.pending(), has_default_spread ? 2 : 0) << "two in zone a and one in b";
        ASSERT_TRUE(simulated.apply(Scale{"web", 6}, start));
        const auto& controllers = simulated.cluster().objects().controllers;
        EXPECT_EQ(controllers.at("ReplicaSet/default/web").selector,
                  (LabelSelector{.match_labels = {{"app", "web"}}}));
    }
}

TEST(SimulatedClusterTest, KeepsTheSelectorOfAnExistingController) {
    LoggedCluster t;
    const LabelSelector selector{.match_labels = {{"hash", "1"}}};
    engine::snapshot::PodObject pod{
        .name = "web-1",
        .labels = {{"app", "web"}, {"hash", "1"}},
        .owner = {.kind = "ReplicaSet", .api_group = "apps", .name = "web", .uid = "u"}};
    t.simulated.fill({.pods = {pod},
                      .controllers = {{.kind = "ReplicaSet",
                                       .name = "web",
                                       .uid = "u",
                                       .replicas = 1,
                                       .selector = selector}}},
                     start);
    ASSERT_TRUE(t.simulated.apply(Scale{"web", 2}, start));
    const engine::snapshot::Cluster cluster = t.simulated.cluster();
    const auto& web = cluster.objects().controllers.at("ReplicaSet/default/web");
    EXPECT_EQ(web.replicas, 2);
    EXPECT_EQ(web.selector, selector);
}

TEST(SimulatedClusterTest, SchedulesPodsByPriority) {
    LoggedCluster t;
    t.node("a", 2_cpu);
    ASSERT_TRUE(t.simulated.apply(batch("low", 2), start));
    PodBatch high = batch("high", 1);
    high.pod.spec.priority = 100;
    ASSERT_TRUE(t.simulated.apply(high, start));
    t.simulated.schedule(start);
    ASSERT_EQ(t.simulated.still_pending(start).size(), 1u);
    EXPECT_EQ(t.simulated.still_pending(start)[0].pods, "low");
    EXPECT_EQ(t.simulated.still_pending(start)[0].count, 1);
}

TEST(SimulatedClusterTest, FillsNodesWithPackedPodsRegardlessOfConstraints) {
    LoggedCluster t;
    const auto node = [&](const char* name, const char* group) {
        const Resources resources{{"cpu", 2_cpu}, {"pods", 110}};
        t.simulated.add_node({.name = name, .capacity = resources, .allocatable = resources}, group,
                             start);
    };
    node("a-1", "a");
    node("a-2", "a");
    node("b-1", "b");
    PodBatch first = batch("first", 3, true);
    first.packed = true;
    first.pod.spec.node_selector = {{"missing", "label"}};
    PodBatch second = first;
    second.pod.name = "second";
    second.count = 4;
    ASSERT_TRUE(t.simulated.apply(first, start));
    ASSERT_TRUE(t.simulated.apply(second, start));
    t.simulated.schedule(start);

    const engine::snapshot::Cluster cluster = t.simulated.cluster();
    std::map<std::string, std::vector<std::string>> on;
    for (engine::NodeIndex n = 0; n < cluster.node_count(); ++n) {
        for (const engine::PodIndex pod : cluster.pods_on(n))
            on[std::string(cluster.text(cluster.node(n).name))].emplace_back(
                cluster.text(cluster.pod(pod).name));
        std::ranges::sort(on[std::string(cluster.text(cluster.node(n).name))]);
    }
    using Names = std::vector<std::string>;
    EXPECT_EQ(on["a-1"], (Names{"first-1", "first-2"}));
    EXPECT_EQ(on["b-1"], (Names{"first-3", "second-1"}));
    EXPECT_EQ(on["a-2"], (Names{"second-2", "second-3"}));
    EXPECT_EQ(t.simulated.pending(), 1) << "all nodes are full";
}

TEST(SimulatedClusterTest, SchedulesPodsAddedToAPackedBatchNormally) {
    LoggedCluster t;
    t.node("a");
    PodBatch packed = batch("web", 1, true);
    packed.packed = true;
    packed.pod.spec.node_selector = {{"missing", "label"}};
    ASSERT_TRUE(t.simulated.apply(packed, start));
    t.simulated.schedule(start);
    EXPECT_EQ(t.simulated.pending(), 0);
    ASSERT_TRUE(t.simulated.apply(Scale{"web", 2}, start));
    t.simulated.schedule(start);
    EXPECT_EQ(t.simulated.pending(), 1);
}

TEST(SimulatedClusterTest, RecreatesOnlyControlledPodsOfADeletedNode) {
    LoggedCluster t;
    t.node("a");
    ASSERT_TRUE(t.simulated.apply(batch("web", 2, true), start));
    ASSERT_TRUE(t.simulated.apply(batch("bare", 1), start));
    t.simulated.schedule(start);
    t.take();
    EXPECT_TRUE(t.simulated.remove_node("a", start));
    EXPECT_EQ(t.take(), "node a is deleted with 3 pods\nweb: 2 pods are recreated and pending\n");
    EXPECT_EQ(t.simulated.pending(), 2);
    EXPECT_FALSE(t.simulated.remove_node("a", start));
}

TEST(SimulatedClusterTest, RemovesPendingPodsFirstWhenScalingDown) {
    LoggedCluster t;
    t.node("a", 3_cpu);
    ASSERT_TRUE(t.simulated.apply(batch("web", 5, true), start));
    t.simulated.schedule(start);
    ASSERT_TRUE(t.simulated.apply(Scale{"web", 3}, start));
    EXPECT_EQ(t.simulated.pending(), 0);
    ASSERT_TRUE(t.simulated.apply(Scale{"web", 4}, start));
    EXPECT_EQ(t.simulated.pending(), 1);
    EXPECT_EQ(t.simulated.apply(Scale{"unknown", 1}, start).error().code, ErrorCode::not_found);
}

TEST(SimulatedClusterTest, EndsJobsAfterTheirDuration) {
    LoggedCluster t;
    ASSERT_TRUE(t.simulated.apply(batch("job", 1, false, 10min), start));
    t.simulated.schedule(start);
    EXPECT_EQ(t.simulated.next_due(), std::nullopt) << "still pending";
    t.node("a");
    t.simulated.schedule(start + 5min);
    EXPECT_EQ(t.simulated.next_due(), start + 15min);
    t.take();
    t.simulated.reach(start + 15min);
    EXPECT_EQ(t.take(), "job: 1 pod completes\n");
    EXPECT_EQ(t.simulated.next_due(), std::nullopt);
}

TEST(SimulatedClusterTest, SchedulesOnlyDaemonSetPodsOnNodesThatAreNotReady) {
    LoggedCluster t;
    Objects objects;
    objects.daemon_sets = {{.name = "agent", .spec = {.requests = {{"cpu", 1_cpu}}}}};
    t.simulated.fill(objects, start);
    t.node("a", 4_cpu, false);
    EXPECT_EQ(t.simulated.cluster().pods_on(0).size(), 1u) << "the agent";
    ASSERT_TRUE(t.simulated.apply(batch("web", 4), start));
    t.simulated.schedule(start);
    EXPECT_EQ(t.simulated.pending(), 4);
    t.simulated.set_ready("a", true, start);
    t.simulated.schedule(start);
    EXPECT_EQ(t.simulated.pending(), 1) << "three fit next to the agent";
}

TEST(SimulatedClusterTest, KeepsDaemonSetsOffNodesThatDoNotMatch) {
    LoggedCluster t;
    Objects objects;
    objects.daemon_sets = {{.name = "gpu", .spec = {.node_selector = {{"gpu", "yes"}}}}};
    t.simulated.fill(objects, start);
    t.node("a");
    EXPECT_EQ(t.simulated.cluster().pods_on(0).size(), 0u);
}

TEST(SimulatedClusterTest, KeepsInitialPodsAndDaemonSetPods) {
    LoggedCluster t;
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
    t.simulated.fill(objects, start);
    EXPECT_EQ(t.simulated.cluster().pods_on(0).size(), 1u);
    EXPECT_EQ(t.simulated.pending(), 1);
    t.simulated.schedule(start);
    EXPECT_EQ(t.simulated.pending(), 0);
    EXPECT_EQ(t.simulated.batch_of("default/agent-x"), "agent");
}

TEST(SimulatedClusterTest, RejectsDuplicateNames) {
    LoggedCluster t;
    ASSERT_TRUE(t.simulated.apply(batch("web-1", {}), start));
    EXPECT_EQ(t.simulated.apply(batch("web-1", {}), start).error().code, ErrorCode::conflict);
    ASSERT_TRUE(t.simulated.apply(batch("web", 1), start));
    EXPECT_EQ(t.simulated.cluster().pod_count(), 2u) << "web-1 and web-2";
}

TEST(SimulatedClusterTest, RemovesAPodABatchOrANodeByItsName) {
    LoggedCluster t;
    t.node("a");
    ASSERT_TRUE(t.simulated.apply(batch("web", 3, true), start));
    EXPECT_TRUE(t.simulated.apply(Remove{"web-2"}, start));
    EXPECT_EQ(t.simulated.pending(), 3) << "its ReplicaSet creates a replacement";
    EXPECT_TRUE(t.simulated.apply(Remove{"web"}, start));
    EXPECT_EQ(t.simulated.pending(), 0);
    EXPECT_TRUE(t.simulated.apply(Remove{"a"}, start));
    EXPECT_EQ(t.simulated.apply(Remove{"a"}, start).error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace capstan::simulator
