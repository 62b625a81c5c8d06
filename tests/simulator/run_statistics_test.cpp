#include "simulator/run_statistics.hpp"

#include <gtest/gtest.h>

#include "run_start.hpp"

namespace capstan::simulator {
namespace {

using namespace std::chrono_literals;

TEST(RunStatisticsTest, ComputesPercentilesOfPendingTimes) {
    RunStatistics statistics(start);
    for (int s = 100; s >= 1; --s) statistics.bound(std::chrono::seconds(s));
    const Summary summary = statistics.summary();
    EXPECT_EQ(summary.pending_p50, Duration(50s));
    EXPECT_EQ(summary.pending_p95, Duration(95s));
    EXPECT_EQ(summary.pending_max, Duration(100s));
    EXPECT_EQ(summary.pods_bound, 100);
}

TEST(RunStatisticsTest, HandlesOnePendingTimeAndNone) {
    RunStatistics statistics(start);
    EXPECT_EQ(statistics.summary().pending_p50, std::nullopt);
    statistics.bound(7s);
    EXPECT_EQ(statistics.summary().pending_p50, Duration(7s));
    EXPECT_EQ(statistics.summary().pending_p95, Duration(7s));
}

TEST(RunStatisticsTest, CountsNodeHoursFromJoinToDeletion) {
    RunStatistics statistics(start);
    statistics.node_joined("web", {});
    statistics.reach(start + 30min);
    statistics.node_joined("web", {});
    statistics.node_joined("", {});
    statistics.reach(start + 60min);
    statistics.node_vanished("web", {});
    statistics.reach(start + 90min);
    const Summary summary = statistics.summary();
    EXPECT_DOUBLE_EQ(summary.node_hours_of.at("web"), 0.5 + 1.0 + 0.5);
    EXPECT_DOUBLE_EQ(summary.node_hours_of.at(""), 1.0);
    EXPECT_DOUBLE_EQ(summary.node_hours, 3.0);
    EXPECT_EQ(summary.nodes_start, 1);
    EXPECT_EQ(summary.nodes_peak, 3);
    EXPECT_EQ(summary.nodes_end, 2);
}

TEST(RunStatisticsTest, KnowsTheCostOnlyIfEveryUsedGroupHasAPrice) {
    RunStatistics statistics(start);
    statistics.node_joined("a", {});
    statistics.node_joined("", {});  // in no group: not billed
    statistics.price("a", 0.5);
    statistics.price("unused", std::nullopt);
    statistics.reach(start + 2h);
    EXPECT_EQ(statistics.summary().cost, 1.0);
    statistics.node_joined("unused", {});
    statistics.reach(start + 3h);
    EXPECT_EQ(statistics.summary().cost, std::nullopt);
}

TEST(RunStatisticsTest, AveragesUtilizationOverTime) {
    RunStatistics statistics(start);
    statistics.node_joined("a", {.cpu = 4000, .memory = 0});
    statistics.requested({.cpu = 4000, .memory = 0});
    statistics.reach(start + 1h);
    statistics.released({.cpu = 4000, .memory = 0});
    statistics.reach(start + 4h);
    EXPECT_EQ(statistics.summary().cpu_used, 0.25);
    EXPECT_EQ(statistics.summary().memory_used, std::nullopt);
}

TEST(RunStatisticsTest, TakesTheLowerOfTwoMiddleTimes) {
    RunStatistics statistics(start);
    for (const Duration wait : {4s, 1s, 3s, 2s}) {
        statistics.bound(wait);
        statistics.removal_took(wait);
    }
    const Summary summary = statistics.summary();
    EXPECT_EQ(summary.pending_p50, Duration(2s));
    EXPECT_EQ(summary.pending_p95, Duration(4s));
    EXPECT_EQ(summary.removal_p50, Duration(2s));
    EXPECT_EQ(summary.removal_max, Duration(4s));
}

TEST(RunStatisticsTest, HasNoSharesAndNoCostWithoutNodes) {
    RunStatistics statistics(start);
    statistics.price("web", 2.0);
    statistics.reach(start + 1h);
    const Summary summary = statistics.summary();
    EXPECT_EQ(summary.cpu_used, std::nullopt);
    EXPECT_EQ(summary.memory_used, std::nullopt);
    EXPECT_EQ(summary.cost, std::nullopt);
    EXPECT_EQ(summary.node_hours, 0);
    EXPECT_EQ(summary.removal_p50, std::nullopt);
    EXPECT_EQ(summary.span, 1h);
}

TEST(RunStatisticsTest, CountsAsStartOnlyNodesOfTheFirstMoment) {
    RunStatistics statistics(start);
    statistics.node_joined("web", {});
    statistics.reach(start + 1ns);
    statistics.node_joined("web", {});
    statistics.node_vanished("web", {});
    const Summary summary = statistics.summary();
    EXPECT_EQ(summary.nodes_start, 1);
    EXPECT_EQ(summary.nodes_peak, 2);
    EXPECT_EQ(summary.nodes_end, 1);
}

}  // namespace
}  // namespace capstan::simulator
