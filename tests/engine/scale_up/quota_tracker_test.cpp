// What counts towards cluster limits in addition to nodes.
#include "engine/scale_up/quota_tracker.hpp"

#include <gtest/gtest.h>

#include "../pass_case.hpp"

namespace capstan::engine::scale_up {
namespace {

/// Three pods that need a node each, a group that can grow, and a limit.
PassCase three_pods(std::int64_t most_nodes) {
    PassCase out;
    out.group("steady", 0, 5);
    out.pods("web", 3, 3000);
    out.settings.nodes.max = most_nodes;
    return out;
}

TEST(QuotaTracker, CountsRequestsOfABackedOffGroup) {
    PassCase c = three_pods(3);
    c.group("spot", 0, 5).group.target = 2;
    EXPECT_EQ(growth(c.decide()), (Growths{{"steady", 1}}))
        << "two are upcoming, one more is needed";
    c.memory.backoffs[NodeGroupId("spot")] = {
        .since = noon, .until = noon + 5min, .length = 5min, .last_failure = noon};
    EXPECT_EQ(growth(c.decide()), (Growths{{"steady", 1}}))
        << "the two are not awaited, but may still join";
    c.settings.nodes.max = 2;
    EXPECT_EQ(growth(c.decide()), Growths());
}

TEST(QuotaTracker, CountsLateMachinesUntilTheTargetIsLowered) {
    PassCase c = three_pods(1);
    c.group("spot", 0, 5).group.target = 1;
    c.test_cluster.machine("spot", "spot-1");
    c.memory.unjoined[NodeGroupId("spot")][MachineId("spot-1")] = noon - 1h;
    const Decision decision = c.decide();
    EXPECT_EQ(decision.removals.size(), 1u) << "the late machine is removed in this pass";
    EXPECT_EQ(growth(decision), Growths()) << "the removal is not accepted yet";
    c.test_cluster.change_group("spot").group.target = 0;
    c.test_cluster.change_group("spot").machines[0].state = MachineState::deleting;
    EXPECT_EQ(growth(c.decide()), (Growths{{"spot", 1}})) << "the first of two equivalent groups";
}

TEST(QuotaTracker, CountsTheKeptRequestOfAnExhaustedGroup) {
    PassCase c = three_pods(3);
    c.settings.backoff = BackoffPolicy::until_joined;
    c.group("spot", 0, 5).group.target = 1;
    Machine& machine = c.test_cluster.machine("spot", "spot-1", MachineState::requested);
    machine.error = Error{.code = ErrorCode::out_of_capacity, .message = "none left"};
    EXPECT_EQ(growth(c.decide()), (Growths{{"steady", 2}}));
}

TEST(QuotaTracker, CountsAnUpcomingNodeWithoutATemplate) {
    PassCase c = three_pods(2);
    c.test_cluster.group("dark", 1);
    EXPECT_EQ(growth(c.decide()), (Growths{{"steady", 1}}));
}

TEST(QuotaTracker, CountsAJoinedNodeOnce) {
    PassCase c = three_pods(3);
    c.group("old", 2, 5);
    EXPECT_EQ(growth(c.decide()), (Growths{{"steady", 1}}));
}

TEST(QuotaTrackerDeathTest, RejectsGrowthBeyondTheMaximumOfAGroup) {
    PassCase c = three_pods(100);
    const Snapshot snapshot = c.test_cluster.snapshot();
    const pass_context::PassContext context =
        pass_context::make_pass_context(snapshot, c.memory, c.settings, noon);
    QuotaTracker tracker(context);
    tracker.take(0, 5);
    EXPECT_DEATH(tracker.take(0, 1), "a group grows beyond its maximum");
    EXPECT_DEATH(tracker.give_up(0, 6), "more nodes are given up than were taken");
}

}  // namespace
}  // namespace capstan::engine::scale_up
