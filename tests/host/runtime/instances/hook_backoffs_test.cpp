#include "runtime/instances/hook_gate.hpp"

#include <gtest/gtest.h>

namespace capstan::runtime::instances {
namespace {

using namespace std::chrono_literals;

/// An instance's hooks, with a clock that both its times go by.
struct HookRestsTest : testing::Test {
    HookBackoffs rests{true};
    Duration now{0};

    static Time wall(Duration at) { return Time(at); }
    /// A call of the hook overruns and returns at once; for how long the hook rests.
    Duration overrun(loop::Hook hook = loop::Hook::price) {
        const auto until = rests.overran(hook, now, wall(now));
        rests.returned(hook);
        return until ? *until - wall(now) : Duration(0);
    }
    bool is_called(loop::Hook hook = loop::Hook::price) const { return !rests.find(hook, now); }
};

TEST_F(HookRestsTest, CallEveryHookToBeginWith) {
    for (const loop::Hook hook : loop::decision_hooks)
        EXPECT_TRUE(is_called(hook)) << loop::name_of(hook);
}

TEST_F(HookRestsTest, LeaveAHookOutUntilItsAbandonedCallHasReturned) {
    EXPECT_FALSE(rests.overran(loop::Hook::price, now, wall(now)));
    ASSERT_TRUE(rests.find(loop::Hook::price, now));
    EXPECT_EQ(rests.find(loop::Hook::price, now)->not_returned, loop::Hook::price);
    EXPECT_EQ(rests.not_returned(), 1);
    rests.returned(loop::Hook::price);
    EXPECT_TRUE(is_called());
    EXPECT_EQ(rests.not_returned(), 0);
}

TEST_F(HookRestsTest, LeaveOutTheOtherHooksOfAnInstanceThatTakesOneCallAtATime) {
    rests.overran(loop::Hook::price, now, wall(now));
    ASSERT_TRUE(rests.find(loop::Hook::options, now));
    EXPECT_EQ(rests.find(loop::Hook::options, now)->not_returned, loop::Hook::price);
    rests.returned(loop::Hook::price);
    EXPECT_TRUE(is_called(loop::Hook::options));
}

TEST_F(HookRestsTest, CallTheOtherHooksOfAnInstanceThatTakesSeveral) {
    HookBackoffs parallel(false);
    parallel.overran(loop::Hook::price, now, wall(now));
    EXPECT_TRUE(parallel.find(loop::Hook::price, now));
    EXPECT_FALSE(parallel.find(loop::Hook::options, now));
}

TEST_F(HookRestsTest, LetAHookRestAfterThreeOverrunsWithinTenMinutes) {
    EXPECT_EQ(overrun(), 0s);
    now += 5min;
    EXPECT_EQ(overrun(), 0s);
    now += 5min;
    EXPECT_EQ(overrun(), 1min);
    now += 59s;
    EXPECT_FALSE(is_called());
    EXPECT_TRUE(is_called(loop::Hook::options)) << "of the instance the hook alone rests";
    now += 1s;
    EXPECT_TRUE(is_called());
}

TEST_F(HookRestsTest, LetNoHookRestForOverrunsThatAreFarBetween) {
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(overrun(), 0s);
        now += 5min + 1s;
    }
}

TEST_F(HookRestsTest, LetAHookRestTwiceAsLongEachTimeUpTo32Minutes) {
    overrun();
    overrun();
    for (const Duration rest : {1min, 2min, 4min, 8min, 16min, 32min, 32min}) {
        EXPECT_EQ(overrun(), rest);
        now += rest;
    }
}

TEST_F(HookRestsTest, BeginAnewAfterTenMinutesOfCallsInTime) {
    for (int i = 0; i < 3; ++i) overrun();
    now += 1min;
    rests.ended_in_time(loop::Hook::price, now);
    now += 9min + 59s;
    rests.ended_in_time(loop::Hook::price, now);
    EXPECT_EQ(overrun(), 2min) << "a second too early";
    now += 2min;
    rests.ended_in_time(loop::Hook::price, now);
    now += 10min;
    rests.ended_in_time(loop::Hook::price, now);
    EXPECT_EQ(overrun(), 0s);
    EXPECT_EQ(overrun(), 0s);
    EXPECT_EQ(overrun(), 1min);
}

TEST_F(HookRestsTest, TellUntilWhenByTheClockOnTheWall) {
    const Time noon = time_from_unix_ns(1'000'000'000);
    rests.overran(loop::Hook::filter, 1s, noon);
    rests.overran(loop::Hook::filter, 1s, noon);
    EXPECT_EQ(rests.overran(loop::Hook::filter, 1s, noon), noon + 1min);
    for (int i = 0; i < 3; ++i) rests.returned(loop::Hook::filter);
    ASSERT_TRUE(rests.find(loop::Hook::filter, 30s));
    EXPECT_EQ(rests.find(loop::Hook::filter, 30s)->backoff_until, noon + 1min);
}

}  // namespace
}  // namespace capstan::runtime::instances
