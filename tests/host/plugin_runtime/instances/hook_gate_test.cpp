#include "plugin_runtime/instances/hook_gate.hpp"

#include <gtest/gtest.h>

namespace capstan::plugin_runtime::instances {
namespace {

using namespace std::chrono_literals;

/// The back-offs of the hooks of an instance, with one clock for both times.
struct HookBackoffsTest : testing::Test {
    HookBackoffs backoffs{true};
    Duration now{0};

    static Time wall(Duration at) { return Time(at); }
    /// Reports that a call timed out and then returned. Returns the duration of the back-off.
    Duration overrun(loop::Hook hook = loop::Hook::price) {
        const auto until = backoffs.overran(hook, now, wall(now));
        backoffs.returned(hook);
        return until ? *until - wall(now) : Duration(0);
    }
    bool is_called(loop::Hook hook = loop::Hook::price) const { return !backoffs.find(hook, now); }
};

TEST_F(HookBackoffsTest, DoNotApplyInitially) {
    for (const loop::Hook hook : loop::decision_hooks)
        EXPECT_TRUE(is_called(hook)) << loop::name_of(hook);
}

TEST_F(HookBackoffsTest, SkipAHookUntilItsAbandonedCallReturns) {
    EXPECT_FALSE(backoffs.overran(loop::Hook::price, now, wall(now)));
    ASSERT_TRUE(backoffs.find(loop::Hook::price, now));
    EXPECT_EQ(backoffs.find(loop::Hook::price, now)->not_returned, loop::Hook::price);
    EXPECT_EQ(backoffs.not_returned(), 1);
    backoffs.returned(loop::Hook::price);
    EXPECT_TRUE(is_called());
    EXPECT_EQ(backoffs.not_returned(), 0);
}

TEST_F(HookBackoffsTest, SkipAllHooksOfASerialInstance) {
    backoffs.overran(loop::Hook::price, now, wall(now));
    ASSERT_TRUE(backoffs.find(loop::Hook::options, now));
    EXPECT_EQ(backoffs.find(loop::Hook::options, now)->not_returned, loop::Hook::price);
    backoffs.returned(loop::Hook::price);
    EXPECT_TRUE(is_called(loop::Hook::options));
}

TEST_F(HookBackoffsTest, SkipOneHookOfAParallelInstance) {
    HookBackoffs parallel(false);
    parallel.overran(loop::Hook::price, now, wall(now));
    EXPECT_TRUE(parallel.find(loop::Hook::price, now));
    EXPECT_FALSE(parallel.find(loop::Hook::options, now));
}

TEST_F(HookBackoffsTest, BeginAfterThreeTimeoutsInTenMinutes) {
    EXPECT_EQ(overrun(), 0s);
    now += 5min;
    EXPECT_EQ(overrun(), 0s);
    now += 5min;
    EXPECT_EQ(overrun(), 1min);
    now += 59s;
    EXPECT_FALSE(is_called());
    EXPECT_TRUE(is_called(loop::Hook::options)) << "only this hook is backed off";
    now += 1s;
    EXPECT_TRUE(is_called());
}

TEST_F(HookBackoffsTest, DoNotBeginForRareTimeouts) {
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(overrun(), 0s);
        now += 5min + 1s;
    }
}

TEST_F(HookBackoffsTest, DoubleUpTo32Minutes) {
    overrun();
    overrun();
    for (const Duration backoff : {1min, 2min, 4min, 8min, 16min, 32min, 32min}) {
        EXPECT_EQ(overrun(), backoff);
        now += backoff;
    }
}

TEST_F(HookBackoffsTest, ResetAfterTenMinutesWithoutTimeouts) {
    for (int i = 0; i < 3; ++i) overrun();
    now += 1min;
    backoffs.ended_in_time(loop::Hook::price, now);
    now += 9min + 59s;
    backoffs.ended_in_time(loop::Hook::price, now);
    EXPECT_EQ(overrun(), 2min) << "one second too early";
    now += 2min;
    backoffs.ended_in_time(loop::Hook::price, now);
    now += 10min;
    backoffs.ended_in_time(loop::Hook::price, now);
    EXPECT_EQ(overrun(), 0s);
    EXPECT_EQ(overrun(), 0s);
    EXPECT_EQ(overrun(), 1min);
}

TEST_F(HookBackoffsTest, EndAtAWallClockTime) {
    const Time noon = time_from_unix_ns(1'000'000'000);
    backoffs.overran(loop::Hook::filter, 1s, noon);
    backoffs.overran(loop::Hook::filter, 1s, noon);
    EXPECT_EQ(backoffs.overran(loop::Hook::filter, 1s, noon), noon + 1min);
    for (int i = 0; i < 3; ++i) backoffs.returned(loop::Hook::filter);
    ASSERT_TRUE(backoffs.find(loop::Hook::filter, 30s));
    EXPECT_EQ(backoffs.find(loop::Hook::filter, 30s)->backoff_until, noon + 1min);
}

}  // namespace
}  // namespace capstan::plugin_runtime::instances
