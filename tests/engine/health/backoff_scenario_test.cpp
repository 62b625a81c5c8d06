#include "backoff_scenario.hpp"

#include <gmock/gmock.h>

namespace capstan::engine::health {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Error stock_out() { return {.code = ErrorCode::out_of_capacity, .message = "no machines"}; }

TEST(BackoffScenario, UntilJoinedTriesExhaustedGroupsOnceAndKeepsOneRequest) {
    BackoffScenario scenario;
    scenario.add({"ng-3", "ng-2", "ng-1", "fallback"});
    scenario.run_until(10);
    scenario.pending_pods = 2;
    scenario.run_until(1330);
    EXPECT_THAT(scenario.take_commands(),
                ElementsAre("+ng-3:2 @10", "-ng-3:1 @440", "+ng-2:2 @440", "-ng-2:1 @870",
                            "+ng-1:2 @870", "-ng-1:1 @1300", "+fallback:2 @1300"));
    scenario.pending_pods = 0;
    scenario.group("fallback").nodes = {"i-1", "i-2"};
    scenario.run_until(2230);
    EXPECT_THAT(scenario.take_commands(), IsEmpty());
    for (const char* id : {"ng-1", "ng-2", "ng-3"}) {
        EXPECT_TRUE(scenario.is_backed_off(id)) << id;
        EXPECT_EQ(scenario.group(id).target, 1) << id;
    }
    EXPECT_FALSE(scenario.is_backed_off("fallback"));

    scenario.group("ng-1").nodes = {"i-3"};
    scenario.group("ng-2").target = 0;
    scenario.run_until(2240);
    EXPECT_FALSE(scenario.is_backed_off("ng-1"));
    EXPECT_FALSE(scenario.is_backed_off("ng-2"));
    EXPECT_TRUE(scenario.is_backed_off("ng-3"));
    EXPECT_THAT(scenario.take_commands(), IsEmpty());
}

TEST(BackoffScenario, ExponentialReachesTheFallbackAfterNearlyAnHour) {
    BackoffScenario scenario;
    scenario.settings.backoff = BackoffPolicy::exponential;
    scenario.add({"ng-3", "ng-2", "ng-1", "fallback"});
    scenario.run_until(10);
    scenario.pending_pods = 2;
    scenario.run_until(440);
    EXPECT_THAT(scenario.take_commands(), ElementsAre("+ng-3:2 @10"));
    scenario.run_until(450);
    EXPECT_THAT(scenario.take_commands(), ElementsAre("-ng-3:2 @440", "+ng-2:2 @440"));
    scenario.run_until(3700);
    EXPECT_THAT(scenario.take_increases(),
                ElementsAre("+ng-3:2 @870", "+ng-2:2 @1300", "+ng-1:2 @1730", "+ng-3:2 @2160",
                            "+ng-2:2 @2590", "+ng-1:2 @3020", "+fallback:2 @3450"));
    for (const char* id : {"ng-1", "ng-2", "ng-3"}) EXPECT_EQ(scenario.group(id).target, 0) << id;
}

TEST(BackoffScenario, UntilJoinedTimesOutAMachineThatAnotherClientRequested) {
    for (const bool listed : {true, false}) {
        BackoffScenario scenario;
        scenario.add({"ng-1", "fallback"});
        scenario.group("ng-1").target = 1;
        scenario.group("ng-1").lists_requests = listed;
        scenario.pending_pods = 1;
        scenario.run_until(1200);
        EXPECT_THAT(scenario.take_commands(), ElementsAre("+fallback:1 @430")) << listed;
        EXPECT_TRUE(scenario.is_backed_off("ng-1")) << listed;
    }
}

TEST(BackoffScenario, UntilJoinedDoesNotEndWhenANodeIsRemoved) {
    BackoffScenario scenario;
    scenario.add({"ng-1", "fallback"});
    scenario.pending_pods = 1;
    scenario.run_until(10);
    scenario.group("ng-1").nodes = {"i-1"};
    scenario.run_until(1000);
    EXPECT_THAT(scenario.take_commands(),
                ElementsAre("+ng-1:1 @0", "+ng-1:1 @10", "+fallback:1 @440"));
    scenario.pending_pods = 0;
    scenario.group("fallback").nodes = {"i-2"};
    EXPECT_EQ(scenario.group("ng-1").target, 2);

    // The cloud accepted the removal of i-1, and its node still exists for a while.
    scenario.memory.removals["i-1"] = {
        .group = NodeGroupId("ng-1"), .machine = MachineId("i-1"), .phase = RemovalPhase::removed};
    scenario.group("ng-1").target = 1;
    scenario.run_until(1060);
    scenario.group("ng-1").nodes.clear();
    scenario.memory.removals.clear();
    scenario.run_until(4600);
    EXPECT_THAT(scenario.take_commands(), IsEmpty());
    EXPECT_TRUE(scenario.is_backed_off("ng-1"));
    EXPECT_EQ(scenario.group("ng-1").target, 1);
}

TEST(BackoffScenario, UntilJoinedFallsBackAtOnceOnErrorsAndKeepsOneRequest) {
    BackoffScenario scenario;
    scenario.add({"ng-1", "fallback"});
    scenario.pending_pods = 3;
    scenario.run_until(70);
    scenario.group("ng-1").error = stock_out();
    scenario.run_until(80);
    EXPECT_THAT(scenario.take_commands(),
                ElementsAre("+ng-1:3 @0", "-ng-1:2 @70", "+fallback:3 @70"));
    EXPECT_TRUE(scenario.is_backed_off("ng-1"));
    scenario.pending_pods = 0;
    scenario.group("fallback").nodes = {"i-1", "i-2", "i-3"};
    scenario.run_until(3690);
    EXPECT_THAT(scenario.take_commands(), IsEmpty());
    EXPECT_EQ(scenario.group("ng-1").target, 1);

    scenario.group("ng-1").error.reset();
    scenario.group("ng-1").nodes = {"i-4"};
    scenario.run_until(3700);
    EXPECT_FALSE(scenario.is_backed_off("ng-1"));
    EXPECT_THAT(scenario.take_commands(), IsEmpty());
}

TEST(BackoffScenario, UntilJoinedTimesOutANodeThatNeverBecomesReady) {
    BackoffScenario scenario;
    scenario.add({"ng-2", "ng-1"});
    scenario.pending_pods = 1;
    scenario.run_until(10);
    scenario.group("ng-2").tainted = {"i-1"};
    scenario.run_until(440);
    EXPECT_THAT(scenario.take_commands(), ElementsAre("+ng-2:1 @0", "+ng-1:1 @430"));
    EXPECT_TRUE(scenario.is_backed_off("ng-2"));
    scenario.pending_pods = 0;
    scenario.group("ng-1").nodes = {"i-2"};
    scenario.run_until(1220);
    EXPECT_THAT(scenario.take_commands(), IsEmpty());
    scenario.group("ng-2") = {.id = "ng-2"};  // the node was removed
    scenario.run_until(1230);
    EXPECT_FALSE(scenario.is_backed_off("ng-2"));
}

TEST(BackoffScenario, UntilJoinedSurvivesARestart) {
    BackoffScenario once;
    once.add({"ng-3", "ng-2", "ng-1", "fallback"});
    once.pending_pods = 2;
    BackoffScenario again = once;
    once.run_until(1600);
    for (int t = 100; t <= 1600; t += 100) {
        again.run_until(t);
        again.memory = Memory(again.memory);
    }
    EXPECT_EQ(once.commands, again.commands);
    EXPECT_EQ(once.memory, again.memory);
}

}  // namespace
}  // namespace capstan::engine::health
