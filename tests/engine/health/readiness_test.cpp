#include "engine/health/readiness.hpp"

#include <functional>

#include <gmock/gmock.h>

#include "../test_cluster.hpp"

namespace capstan::engine::health {
namespace {

Settings with_readiness_taint() { return {.readiness_taints = {"zalando.org/node-not-ready"}}; }

Health assess_cluster(const TestCluster& test_cluster, const Memory& memory = {},
                      const Settings& settings = with_readiness_taint()) {
    const Snapshot snapshot = test_cluster.snapshot();
    return assess(snapshot, templates::make_membership(snapshot), memory, settings, noon);
}

struct ReadinessCase {
    const char* what;
    std::function<void(TestCluster&, snapshot::NodeObject&)> change;
    Readiness readiness;
    NodeUsability usability;
};

void add_taint(snapshot::NodeObject& node, const char* key, Effect effect = Effect::no_schedule) {
    node.taints.push_back({.key = key, .value = "any", .effect = effect});
}
void age(snapshot::NodeObject& node, Duration age) { node.created = noon - age; }

/// Changes of a node of a group. The node is ready and five minutes old.
const std::vector<ReadinessCase> cases = {
    {"unchanged", [](TestCluster&, snapshot::NodeObject&) {}, Readiness::ready,
     NodeUsability::takes_pods},
    {"cordoned", [](TestCluster&, snapshot::NodeObject& n) { n.unschedulable = true; },
     Readiness::ready, NodeUsability::takes_pods},
    {"chosen for removal",
     [](TestCluster&, snapshot::NodeObject& n) { add_taint(n, "ToBeDeletedByClusterAutoscaler"); },
     Readiness::ready, NodeUsability::takes_pods},
    {"being removed",
     [](TestCluster&, snapshot::NodeObject& n) { add_taint(n, "BeingDeletedByClusterAutoscaler"); },
     Readiness::deleted, NodeUsability::out},
    {"with a readiness taint",
     [](TestCluster&, snapshot::NodeObject& n) { add_taint(n, "zalando.org/node-not-ready"); },
     Readiness::starting, NodeUsability::starting},
    {"with a readiness taint of another effect",
     [](TestCluster&, snapshot::NodeObject& n) {
         add_taint(n, "zalando.org/node-not-ready", Effect::prefer_no_schedule);
     },
     Readiness::starting, NodeUsability::starting},
    {"with a readiness taint and pods",
     [](TestCluster& w, snapshot::NodeObject& n) {
         add_taint(n, "zalando.org/node-not-ready");
         w.pod("web", "i-1");
     },
     Readiness::starting, NodeUsability::out},
    {"with a readiness taint, just within the startup time",
     [](TestCluster&, snapshot::NodeObject& n) {
         add_taint(n, "zalando.org/node-not-ready");
         age(n, 15min - 1ns);
     },
     Readiness::starting, NodeUsability::starting},
    {"with a readiness taint for too long",
     [](TestCluster&, snapshot::NodeObject& n) {
         add_taint(n, "zalando.org/node-not-ready");
         age(n, 15min);
     },
     Readiness::long_starting, NodeUsability::out},
    {"with a readiness taint, being removed",
     [](TestCluster&, snapshot::NodeObject& n) {
         add_taint(n, "zalando.org/node-not-ready");
         add_taint(n, "BeingDeletedByClusterAutoscaler");
     },
     Readiness::deleted, NodeUsability::out},
    {"with a start-up taint",
     [](TestCluster&, snapshot::NodeObject& n) {
         add_taint(n, "startup-taint.cluster-autoscaler.kubernetes.io/x");
     },
     Readiness::starting, NodeUsability::starting},
    {"with a start-up taint for too long",
     [](TestCluster&, snapshot::NodeObject& n) {
         add_taint(n, "startup-taint.cluster-autoscaler.kubernetes.io/x");
         age(n, 15min);
     },
     Readiness::long_starting, NodeUsability::takes_pods},
    {"with a start-up taint for too long, and with pods on it",
     [](TestCluster& w, snapshot::NodeObject& n) {
         add_taint(n, "startup-taint.cluster-autoscaler.kubernetes.io/x");
         age(n, 15min);
         w.pod("web", "i-1");
     },
     Readiness::ready, NodeUsability::takes_pods},
    {"with a status taint",
     [](TestCluster&, snapshot::NodeObject& n) {
         add_taint(n, "status-taint.cluster-autoscaler.kubernetes.io/x");
     },
     Readiness::ready, NodeUsability::takes_pods},
    {"not ready", [](TestCluster&, snapshot::NodeObject& n) { n.ready = false; },
     Readiness::starting, NodeUsability::starting},
    {"not ready, with pods on it",
     [](TestCluster& w, snapshot::NodeObject& n) {
         n.ready = false;
         w.pod("web", "i-1");
     },
     Readiness::unready, NodeUsability::out},
    {"not ready for too long",
     [](TestCluster&, snapshot::NodeObject& n) {
         n.ready = false;
         age(n, 15min);
     },
     Readiness::unready, NodeUsability::out},
};

TEST(Readiness, IsTheFirstMatchingState) {
    for (const ReadinessCase& c : cases) {
        TestCluster test_cluster;
        test_cluster.group("web", 1);
        snapshot::NodeObject& node = test_cluster.node("i-1", "web");
        age(node, 5min);
        c.change(test_cluster, node);
        const Health health = assess_cluster(test_cluster);
        EXPECT_EQ(health.readiness.at(0), c.readiness) << c.what;
        EXPECT_EQ(health.nodes.at(0), c.usability) << c.what;
        EXPECT_EQ(health.all, health.groups.at(0).nodes) << c.what;
    }
}

TEST(Readiness, IsDeletedForANodeWhoseMachineIsBeingDeleted) {
    TestCluster test_cluster;
    test_cluster.group("web", 1);
    test_cluster.node("i-1");
    test_cluster.machine("web", "i-1", MachineState::deleting);
    test_cluster.node("i-2", "web");
    Memory memory;
    memory.removals["i-2"] = {.phase = RemovalPhase::draining};
    EXPECT_THAT(assess_cluster(test_cluster, memory).readiness,
                ::testing::ElementsAre(Readiness::deleted, Readiness::ready));
    memory.removals["i-2"].phase = RemovalPhase::removed;
    EXPECT_THAT(assess_cluster(test_cluster, memory).readiness,
                ::testing::ElementsAre(Readiness::deleted, Readiness::deleted));
}

TEST(Readiness, UsesTheStartupTimeAlsoForANodeWithoutAGroup) {
    TestCluster test_cluster;
    test_cluster.group("a", 0).options.max_node_provision_time = 1s;
    snapshot::NodeObject& node = test_cluster.node("z");
    node.ready = false;
    age(node, 14min);
    EXPECT_EQ(assess_cluster(test_cluster).readiness.at(0), Readiness::starting);
    EXPECT_EQ(assess_cluster(test_cluster).nodes.at(0), NodeUsability::out);
    EXPECT_EQ(assess_cluster(test_cluster).all.starting, 1);
    EXPECT_EQ(assess_cluster(test_cluster).wake_at, noon + 1min);
}

/// Why a cluster is unhealthy in which `bad` of `all` nodes are not ready; empty: it is healthy.
std::string unhealthy(int bad, int all, const Settings& settings = {}) {
    TestCluster test_cluster;
    for (int n = 0; n < all; ++n) test_cluster.node("n" + std::to_string(n)).ready = n >= bad;
    return assess_cluster(test_cluster, {}, settings).unhealthy_because;
}

TEST(ClusterHealth, IsGoodUnlessBothLimitsOfUnreadyNodesAreExceeded) {
    EXPECT_EQ(unhealthy(0, 0), "");
    EXPECT_EQ(unhealthy(3, 3), "");
    EXPECT_EQ(unhealthy(4, 9), "");
    EXPECT_EQ(unhealthy(4, 8),
              "4 of 8 nodes are not ready, more than scale_up.ok_total_unready_count (3) and "
              "scale_up.max_total_unready_percentage (45%)");
    EXPECT_EQ(unhealthy(9, 20), "");
    EXPECT_EQ(unhealthy(10, 20),
              "10 of 20 nodes are not ready, more than scale_up.ok_total_unready_count (3) and "
              "scale_up.max_total_unready_percentage (45%)");
    EXPECT_EQ(unhealthy(1, 1, {.ok_total_unready_count = 0, .max_total_unready_percentage = 0}),
              "1 of 1 node is not ready, more than scale_up.ok_total_unready_count (0) and "
              "scale_up.max_total_unready_percentage (0%)");
}

TEST(ClusterHealth, DoesNotCountStartingNodesAsUnready) {
    TestCluster test_cluster;
    for (int n = 0; n < 10; ++n) {
        snapshot::NodeObject& node = test_cluster.node("n" + std::to_string(n));
        node.ready = false;
        age(node, 1min);
    }
    EXPECT_EQ(assess_cluster(test_cluster).unhealthy_because, "");
    EXPECT_EQ(assess_cluster(test_cluster).all.starting, 10);
}

TEST(GroupHealth, DoesNotCountMachinesOnTheirWayAsUnready) {
    TestCluster test_cluster;
    test_cluster.group("web", 8);
    for (int n = 0; n < 8; ++n) test_cluster.node("i-" + std::to_string(n), "web").ready = n >= 4;
    GroupHealth health = assess_cluster(test_cluster).groups.at(0);
    EXPECT_EQ(health.nodes, (NodeCounts{.ready = 4, .unready = 4}));
    EXPECT_EQ(health.least, 8);
    EXPECT_EQ(health.most, 8);
    EXPECT_EQ(health.unhealthy_because,
              "4 of 8 nodes are not ready, more than scale_up.ok_total_unready_count (3) and "
              "scale_up.max_total_unready_percentage (45%)");

    // Upcoming machines do not count, no matter which client requested them.
    test_cluster = TestCluster();
    test_cluster.group("web", 8);
    for (int n = 0; n < 8; ++n) test_cluster.machine("web", "i-" + std::to_string(n));
    health = assess_cluster(test_cluster).groups.at(0);
    EXPECT_EQ(health.least, 0);
    EXPECT_EQ(health.unjoined, 8);
    EXPECT_EQ(health.unhealthy_because, "");
}

}  // namespace
}  // namespace capstan::engine::health
