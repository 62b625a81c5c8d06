#include "plugin_runtime/loop/abandoned_threads.hpp"

#include <pthread.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <thread>

namespace capstan::plugin_runtime::instances {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr std::uint64_t mebibyte = 1 << 20;

/// Times and memory of the process are set by the test.
struct AbandonedThreadsTest : testing::Test {
    Duration now{1000s};
    std::map<clockid_t, Duration> cpu{{1, 0s}, {2, 0s}};
    std::uint64_t memory = 100 * mebibyte;

    std::shared_ptr<loop::AbandonedThreads> make_threads(loop::AbandonedLimits limits = {}) {
        return std::make_shared<loop::AbandonedThreads>(
            limits,
            loop::AbandonedThreads::Sources{
                .now = [this] { return now; },
                .cpu_time = [this](clockid_t clock) { return std::optional(cpu.at(clock)); },
                .memory = [this] { return memory; }});
    }
    /// Advances the time; the thread uses this much CPU time.
    void pass(Duration time, clockid_t clock, Duration used) {
        now += time;
        cpu.at(clock) += used;
    }
};

TEST_F(AbandonedThreadsTest, EndNoProcessWhileThereAreNone) {
    memory = 64'000 * mebibyte;
    EXPECT_EQ(make_threads({.memory = mebibyte})->reason_to_end(), std::nullopt);
}

TEST_F(AbandonedThreadsTest, MayWaitForever) {
    const auto threads = make_threads();
    const auto abandoned = threads->add("acme", loop::Hook::filter, 1);
    for (int i = 0; i < 100; ++i) {
        pass(10min, 1, 10ms);
        EXPECT_EQ(threads->reason_to_end(), std::nullopt);
    }
}

TEST_F(AbandonedThreadsTest, EndTheProcessIfOneUsesACoreForMinutes) {
    const auto threads = make_threads();
    const auto waiting = threads->add("other", loop::Hook::price, 2);
    const auto busy = threads->add("acme", loop::Hook::filter, 1);
    pass(179s, 1, 179s);
    EXPECT_EQ(threads->reason_to_end(), std::nullopt) << "too early";
    pass(1s, 1, 0s);
    EXPECT_EQ(threads->reason_to_end(),
              "plugin acme: filter timed out and has not returned for 180 s, and its thread has "
              "used 179 s of CPU time in the last 180 s");
}

TEST_F(AbandonedThreadsTest, EndTheProcessIfOneUsesACoreLater) {
    const auto threads = make_threads();
    const auto abandoned = threads->add("acme", loop::Hook::filter, 1);
    pass(4min, 1, 1s);
    EXPECT_EQ(threads->reason_to_end(), std::nullopt);
    pass(3min, 1, 3min);
    EXPECT_TRUE(threads->reason_to_end());
}

TEST_F(AbandonedThreadsTest, AreForgottenAfterTheyReturn) {
    const auto threads = make_threads();
    auto abandoned = threads->add("acme", loop::Hook::filter, 1);
    pass(4min, 1, 4min);
    memory = 64'000 * mebibyte;
    abandoned = nullptr;
    EXPECT_EQ(threads->reason_to_end(), std::nullopt);
}

TEST_F(AbandonedThreadsTest, EndTheProcessAtTheMemoryLimit) {
    const auto threads = make_threads({.memory = 900 * mebibyte});
    const auto abandoned = threads->add("acme", loop::Hook::price, 1);
    memory = 899 * mebibyte;
    EXPECT_EQ(threads->reason_to_end(), std::nullopt);
    memory = 900 * mebibyte;
    pass(12s, 1, 0s);
    EXPECT_EQ(threads->reason_to_end(),
              "plugin acme: price timed out and has not returned for 12 s, and the memory of the "
              "process has reached 900 MiB; the limit is 900 MiB");
}

TEST_F(AbandonedThreadsTest, EndTheProcessIfMemoryGrowsByAGibibyte) {
    const auto threads = make_threads();
    const auto abandoned = threads->add("acme", loop::Hook::price, 1);
    memory += 1024 * mebibyte - 1;
    EXPECT_EQ(threads->reason_to_end(), std::nullopt);
    memory += 1;
    EXPECT_THAT(threads->reason_to_end().value_or(""),
                HasSubstr("memory of the process has grown from 100 MiB to 1124 MiB since"));
}

TEST_F(AbandonedThreadsTest, MeasureTheGrowthSinceEachWasAbandoned) {
    const auto threads = make_threads();
    auto first = threads->add("first", loop::Hook::price, 1);
    memory += 600 * mebibyte;
    const auto second = threads->add("second", loop::Hook::filter, 2);
    memory += 600 * mebibyte;
    EXPECT_THAT(threads->reason_to_end().value_or(""), HasSubstr("plugin first: price"));
    first = nullptr;
    EXPECT_EQ(threads->reason_to_end(), std::nullopt) << "600 MiB since the second one";
    memory += 424 * mebibyte;
    EXPECT_THAT(threads->reason_to_end().value_or(""),
                HasSubstr("has grown from 700 MiB to 1724 MiB since"));
}

TEST_F(AbandonedThreadsTest, NameTheOldestAtTheMemoryLimit) {
    const auto threads = make_threads({.memory = 900 * mebibyte});
    const auto first = threads->add("first", loop::Hook::price, 1);
    now += 1min;
    const auto second = threads->add("second", loop::Hook::filter, 2);
    memory = 1000 * mebibyte;
    EXPECT_THAT(threads->reason_to_end().value_or(""),
                HasSubstr("plugin first: price timed out and has not returned for 60 s"));
}

TEST_F(AbandonedThreadsTest, MayUseACoreForAShortTime) {
    const auto threads = make_threads({.busy_time = 1min});
    const auto abandoned = threads->add("acme", loop::Hook::filter, 1);
    for (int i = 0; i < 3; ++i) {
        pass(59s, 1, 3s);
        EXPECT_EQ(threads->reason_to_end(), std::nullopt);
        pass(1min, 1, 0s);
        EXPECT_EQ(threads->reason_to_end(), std::nullopt);
    }
}

TEST(EndedAbandonedThreads, AreNotBusy) {
    Duration now{1000s};
    const auto threads = std::make_shared<loop::AbandonedThreads>(
        loop::AbandonedLimits{},
        loop::AbandonedThreads::Sources{.now = [&] { return now; },
                                        .cpu_time = [](clockid_t) { return std::nullopt; },
                                        .memory = [] { return 100 * mebibyte; }});
    const auto abandoned = threads->add("acme", loop::Hook::filter, 1);
    now += 1h;
    EXPECT_EQ(threads->reason_to_end(), std::nullopt);
}

TEST(RealAbandonedThreads, AreMeasuredByTheirCpuClocks) {
    std::atomic<bool> is_over{false};
    std::atomic<std::uint64_t> turns{0};
    std::thread busy([&] {
        while (!is_over) ++turns;
    });
    clockid_t clock{};
    ASSERT_EQ(::pthread_getcpuclockid(busy.native_handle(), &clock), 0);
    const auto threads =
        std::make_shared<loop::AbandonedThreads>(loop::AbandonedLimits{.busy_time = 1ns});
    const auto abandoned = threads->add("acme", loop::Hook::filter, clock);
    // The thread gets a core sooner or later.
    std::optional<std::string> reason;
    while (!reason) reason = threads->reason_to_end();
    EXPECT_THAT(*reason, HasSubstr("plugin acme: filter"));
    is_over = true;
    busy.join();
}

}  // namespace
}  // namespace capstan::plugin_runtime::instances
