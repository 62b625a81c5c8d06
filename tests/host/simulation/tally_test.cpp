#include "simulation/tally.hpp"

#include <gtest/gtest.h>

#include "story_start.hpp"

namespace capstan::simulation {
namespace {

using namespace std::chrono_literals;

TEST(RunStatistics, TakesTheSmallestWaitThatSoManyPodsDoNotExceed) {
    RunStatistics tally(start);
    for (int s = 100; s >= 1; --s) tally.bound(std::chrono::seconds(s));
    const Summary summary = tally.summary();
    EXPECT_EQ(summary.pending_p50, Duration(50s));
    EXPECT_EQ(summary.pending_p95, Duration(95s));
    EXPECT_EQ(summary.pending_max, Duration(100s));
    EXPECT_EQ(summary.pods_bound, 100);
}

TEST(RunStatistics, OneWaitIsEveryPercentileAndNoneIsNone) {
    RunStatistics tally(start);
    EXPECT_EQ(tally.summary().pending_p50, std::nullopt);
    tally.bound(7s);
    EXPECT_EQ(tally.summary().pending_p50, Duration(7s));
    EXPECT_EQ(tally.summary().pending_p95, Duration(7s));
}

TEST(RunStatistics, CountsNodeHoursByGroupFromWhenTheyJoinUntilTheyVanish) {
    RunStatistics tally(start);
    tally.node_joined("web", {});
    tally.reach(start + 30min);
    tally.node_joined("web", {});
    tally.node_joined("", {});
    tally.reach(start + 60min);
    tally.node_vanished("web", {});
    tally.reach(start + 90min);
    const Summary summary = tally.summary();
    EXPECT_DOUBLE_EQ(summary.node_hours_of.at("web"), 0.5 + 1.0 + 0.5);
    EXPECT_DOUBLE_EQ(summary.node_hours_of.at(""), 1.0);
    EXPECT_DOUBLE_EQ(summary.node_hours, 3.0);
    EXPECT_EQ(summary.nodes_start, 1);
    EXPECT_EQ(summary.nodes_peak, 3);
    EXPECT_EQ(summary.nodes_end, 2);
}

TEST(RunStatistics, CostIsKnownOnlyWhenEveryGroupThatHadNodesHasAPrice) {
    RunStatistics tally(start);
    tally.node_joined("a", {});
    tally.node_joined("", {});  // in no group: nobody's bill
    tally.price("a", 0.5);
    tally.price("unused", std::nullopt);
    tally.reach(start + 2h);
    EXPECT_EQ(tally.summary().cost, 1.0);
    tally.node_joined("unused", {});
    tally.reach(start + 3h);
    EXPECT_EQ(tally.summary().cost, std::nullopt);
}

TEST(RunStatistics, UseIsAMeanOverTimeNotOverNodes) {
    RunStatistics tally(start);
    tally.node_joined("a", {.cpu = 4000, .memory = 0});
    tally.requested({.cpu = 4000, .memory = 0});
    tally.reach(start + 1h);
    tally.released({.cpu = 4000, .memory = 0});
    tally.reach(start + 4h);
    EXPECT_EQ(tally.summary().cpu_used, 0.25);
    EXPECT_EQ(tally.summary().memory_used, std::nullopt);
}

}  // namespace
}  // namespace capstan::simulation
