#include <csignal>

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
