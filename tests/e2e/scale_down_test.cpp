#include <csignal>
#include <regex>

#include "drain_fixture.hpp"

namespace capstan::e2e {
namespace {

using ControlPlaneScaleDown = DrainTest;

TEST_F(ControlPlaneScaleDown, FollowsADeploymentWithinItsBudget) {
    const Daemon daemon(*cluster, "scaled", cloud_in({"a", "b", "c"}));
    PodWatch watch(*cluster);
    cluster->apply(budget(5));
    cluster->apply(deployment(0, "900m"));
    scale(12);
    ASSERT_TRUE(becomes(120s, [&] { return watch.ready() == 12 && has_ready_nodes(3); }));
    watch.begin_counting();
    scale_to_two_a_node(watch);
    ASSERT_TRUE(becomes(180s, [&] { return has_ready_nodes(2) && watch.ready() == 6; }));
    EXPECT_EQ(watch.min_ready(), 5u);
    EXPECT_EQ(watch.seen().size(), 14u) << "the pods of one node were moved";
    EXPECT_TRUE(becomes(30s, [&] { return daemon.target() == 2; })) << daemon.target();
    scale(0);
    EXPECT_TRUE(becomes(120s, [&] { return cluster->nodes().empty(); }));
    EXPECT_TRUE(becomes(30s, [&] { return daemon.target() == 0; })) << daemon.target();
}

/// YAML of a hard spread of the Deployment "web".
std::string spread_over(const std::string& key, const std::string& more = {}) {
    return "topologySpreadConstraints: [{maxSkew: 1, topologyKey: " + key +
           ", whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}" + more +
           "}]";
}

/// Puts a pod of the Deployment "web" on each of `nodes` new nodes, which are almost empty then.
void spread_over_new_nodes(const ControlPlaneTest& test, PodWatch& watch, std::size_t nodes,
                           const std::string& spread) {
    const Cluster& cluster = *test.cluster;
    const int count = static_cast<int>(nodes);
    cluster.apply(std::regex_replace(deployment(count, "3"), std::regex("web"), "filler"));
    ASSERT_TRUE(becomes(120s, [&] { return watch.ready() == nodes; }));
    ASSERT_TRUE(test.has_ready_nodes(nodes));
    cluster.apply(deployment(count, "300m", {spread}));
    ASSERT_TRUE(becomes(60s, [&] { return watch.ready() == 2 * nodes; }));
    cluster.kubectl({"delete", "deployment", "filler"});
    ASSERT_TRUE(becomes(60s, [&] { return watch.present() == nodes; }));
    EXPECT_EQ(watch.ready_by_node().size(), nodes);
    watch.begin_counting();
}

TEST_F(ControlPlaneScaleDown, KeepsNodesWhosePodsTheSchedulerCouldNotPlaceDuringADrain) {
    const Daemon daemon(*cluster, "spread", cloud_in({"a"}, 20, "15s"));
    PodWatch watch(*cluster);
    spread_over_new_nodes(*this, watch, 3, spread_over("kubernetes.io/hostname"));
    EXPECT_FALSE(becomes(40s, [&] { return watch.min_ready() < 3 || !has_ready_nodes(3); }));
    EXPECT_EQ(daemon.target(), 3);
}

TEST_F(ControlPlaneScaleDown, RemovesNodesOneByOneIfTheSpreadDoesNotCountTaintedNodes) {
    const Daemon daemon(*cluster, "honor", cloud_in({"a"}, 20, "15s"));
    PodWatch watch(*cluster);
    spread_over_new_nodes(*this, watch, 3,
                          spread_over("kubernetes.io/hostname", ", nodeTaintsPolicy: Honor"));
    EXPECT_TRUE(becomes(120s, [&] { return has_ready_nodes(1) && watch.ready() == 3; }));
    EXPECT_TRUE(becomes(30s, [&] { return daemon.target() == 1; })) << daemon.target();
}

TEST_F(ControlPlaneScaleDown, LeavesOneNodeInEachZoneOfASpread) {
    const Daemon daemon(*cluster, "zones", cloud_in({"a", "b", "c"}, 20, "15s"));
    PodWatch watch(*cluster);
    spread_over_new_nodes(*this, watch, 6, spread_over("topology.kubernetes.io/zone"));
    EXPECT_TRUE(becomes(180s, [&] { return has_ready_nodes(3) && watch.ready() == 6; }));
    EXPECT_THAT(nodes_by_zone(), ::testing::Each(::testing::Pair(::testing::_, 1)));
    EXPECT_FALSE(becomes(20s, [&] { return !has_ready_nodes(3); }));
}

TEST_F(ControlPlaneScaleDown, CompletesADrainAfterTheDaemonIsKilled) {
    Daemon daemon(*cluster, "killed", cloud_in({"a"}));
    ASSERT_NO_FATAL_FAILURE(begin_drain(daemon));
    daemon.process().end(SIGKILL);
    release_pods();
    daemon.start();
    expect_drain_end(daemon);
}

}  // namespace
}  // namespace capstan::e2e
