#include "simulator/page/history.hpp"

#include <utility>

#include <gmock/gmock.h>

#include "../../engine/test_cluster.hpp"

namespace capstan::simulator::page {
namespace {

using engine::noon;
using engine::TestCluster;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace std::chrono_literals;

const NodeGroupId web("web");

/// Adds passes to the history of a run that begins at noon.
struct PassHistoryTest : ::testing::Test {
    void pass(Time at) {
        const engine::Snapshot seen = test_cluster.snapshot();
        autoscaler::PassReport report({.snapshot = seen, .call_context = {.now = at}});
        report.result.outcome.memory = memory;
        report.result.groups = seen.groups;
        pass_history.on_decision(report);
    }
    void back_off(Time since, std::optional<Time> until, std::string because) {
        memory.backoffs[web] = {
            .since = since, .until = until, .last_failure = since, .because = std::move(because)};
    }
    std::vector<Band> bands(Duration end) { return pass_history.take(end).groups["web"].back_offs; }

    TestCluster test_cluster;
    engine::Memory memory;
    PassHistory pass_history{noon};
};

TEST_F(PassHistoryTest, KeepsLevelsOnlyIfTheyChange) {
    test_cluster.group("web", 1);
    test_cluster.node("web-1", "web");
    pass(noon);
    pass(noon + 10s);
    test_cluster.change_group("web").group.target = 3;
    pass(noon + 20s);
    const History history = pass_history.take(1min);
    EXPECT_THAT(history.groups.at("web").levels,
                ElementsAre(Since<GroupLevel>{0s, {.target = 1, .ready = 1}},
                            Since<GroupLevel>{20s, {.target = 3, .ready = 1, .upcoming = 2}}));
    EXPECT_EQ(history.group_of.at("web-1"), "web");
    EXPECT_EQ(history.end, 1min);
}

TEST_F(PassHistoryTest, CountsPendingPods) {
    pass(noon);
    test_cluster.pod("a");
    test_cluster.pod("b");
    pass(noon + 10s);
    EXPECT_THAT(pass_history.take(1min).pending,
                ElementsAre(Since<int>{0s, 0}, Since<int>{10s, 2}));
}

TEST_F(PassHistoryTest, EndsABackOffWhenItExpires) {
    test_cluster.group("web", 0);
    pass(noon);
    back_off(noon + 5s, noon + 5min, "no capacity");
    pass(noon + 10s);
    pass(noon + 10min);
    EXPECT_THAT(bands(1h), ElementsAre(Band{5s, 5min, "no capacity"}));
}

TEST_F(PassHistoryTest, EndsABackOffWhenItIsRemoved) {
    test_cluster.group("web", 0);
    back_off(noon, std::nullopt, "2 machines did not join");
    pass(noon);
    pass(noon + 10min);
    memory.backoffs.clear();
    pass(noon + 20min);
    EXPECT_THAT(bands(1h), ElementsAre(Band{0s, 20min, "2 machines did not join"}));
}

TEST_F(PassHistoryTest, EndsABackOffAtTheEndOfTheRun) {
    test_cluster.group("web", 0);
    back_off(noon, std::nullopt, "2 machines did not join");
    pass(noon);
    EXPECT_THAT(bands(1h), ElementsAre(Band{0s, 1h, "2 machines did not join"}));
}

TEST_F(PassHistoryTest, ExtendsABackOffAtAFailure) {
    test_cluster.group("web", 0);
    back_off(noon, noon + 5min, "quota");
    pass(noon);
    back_off(noon + 1min, noon + 11min, "no capacity");
    pass(noon + 1min);
    EXPECT_THAT(bands(1h), ElementsAre(Band{0s, 11min, "no capacity"}));
}

TEST_F(PassHistoryTest, StartsANewBackOffAfterTheFirst) {
    test_cluster.group("web", 0);
    back_off(noon, noon + 5min, "quota");
    pass(noon);
    back_off(noon + 10min, noon + 20min, "no capacity");
    pass(noon + 10min);
    EXPECT_THAT(bands(1h), ElementsAre(Band{0s, 5min, "quota"}, Band{10min, 20min, "no capacity"}));
}

TEST_F(PassHistoryTest, KeepsTimesInOrderIfTheClockIsSetBack) {
    test_cluster.group("web", 0);
    pass(noon + 10min);
    test_cluster.change_group("web").group.target = 1;
    pass(noon + 12min);
    test_cluster.change_group("web").group.target = 2;
    pass(noon + 5min);
    const auto levels = pass_history.take(1h).groups.at("web").levels;
    ASSERT_THAT(levels, SizeIs(2));
    EXPECT_LE(levels[0].at, levels[1].at);
}

TEST_F(PassHistoryTest, IsEmptyWithoutPasses) {
    const History history = pass_history.take(1h);
    EXPECT_THAT(history.groups, IsEmpty());
    EXPECT_THAT(history.pending, IsEmpty());
    EXPECT_EQ(history.end, 1h);
}

}  // namespace
}  // namespace capstan::simulator::page
