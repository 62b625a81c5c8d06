#include "runtime/loop/abandoned_threads.hpp"

#include <pthread.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <thread>

namespace capstan::runtime::instances {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr std::uint64_t mebibyte = 1 << 20;

/// A process whose figures the test sets.
struct AbandonedThreadsTest : testing::Test {
    Duration now{1000s};
    std::map<clockid_t, Duration> cpu{{1, 0s}, {2, 0s}};
    std::uint64_t memory = 100 * mebibyte;

    std::shared_ptr<loop::AbandonedThreads> make(loop::AbandonedLimits limits = {}) {
        return std::make_shared<loop::AbandonedThreads>(
            limits,
            loop::AbandonedThreads::Sources{
                .now = [this] { return now; },
                .cpu_time = [this](clockid_t clock) { return std::optional(cpu.at(clock)); },
                .memory = [this] { return memory; }});
    }
    /// Time passes, of which the thread has so much CPU.
    void pass(Duration time, clockid_t clock, Duration used) {
        now += time;
        cpu.at(clock) += used;
    }
};

TEST_F(AbandonedThreadsTest, AreNoReasonToEndWhileThereAreNone) {
    memory = 64'000 * mebibyte;
    EXPECT_EQ(make({.memory = mebibyte})->reason_to_end(), std::nullopt);
}

TEST_F(AbandonedThreadsTest, MayWaitForEver) {
    const auto threads = make();
    const auto abandoned = threads->add("acme", loop::Hook::filter, 1);
    for (int i = 0; i < 100; ++i) {
        pass(10min, 1, 10ms);
        EXPECT_EQ(threads->reason_to_end(), std::nullopt);
    }
}

TEST_F(AbandonedThreadsTest, EndTheProcessWhenOneBurnsACoreForMinutes) {
    const auto threads = make();
    const auto waits = threads->add("other", loop::Hook::price, 2);
    const auto burns = threads->add("acme", loop::Hook::filter, 1);
    pass(179s, 1, 179s);
    EXPECT_EQ(threads->reason_to_end(), std::nullopt) << "not yet";
    pass(1s, 1, 0s);
    EXPECT_EQ(threads->reason_to_end(),
              "plugin acme: filter timed out and has not returned for 180 s, and its thread has "
              "used 179 s of CPU time in the last 180 s");
}

TEST_F(AbandonedThreadsTest, EndTheProcessWhenOneBeginsToBurnACoreLater) {
    const auto threads = make();
    const auto abandoned = threads->add("acme", loop::Hook::filter, 1);
    pass(4min, 1, 1s);
    EXPECT_EQ(threads->reason_to_end(), std::nullopt);
    pass(3min, 1, 3min);
    EXPECT_TRUE(threads->reason_to_end());
}

TEST_F(AbandonedThreadsTest, AreForgottenOnceTheyHaveComeBack) {
    const auto threads = make();
    auto abandoned = threads->add("acme", loop::Hook::filter, 1);
    pass(4min, 1, 4min);
    memory = 64'000 * mebibyte;
    abandoned = nullptr;
    EXPECT_EQ(threads->reason_to_end(), std::nullopt);
}

TEST_F(AbandonedThreadsTest, EndTheProcessWhenItsMemoryPassesTheLimitBesideOne) {
    const auto threads = make({.memory = 900 * mebibyte});
    const auto abandoned = threads->add("acme", loop::Hook::price, 1);
    memory = 899 * mebibyte;
    EXPECT_EQ(threads->reason_to_end(), std::nullopt);
    memory = 900 * mebibyte;
    pass(12s, 1, 0s);
    EXPECT_EQ(threads->reason_to_end(),
              "plugin acme: price timed out and has not returned for 12 s, and the memory of the "
              "process has reached 900 MiB, above the limit of 900 MiB");
}

TEST_F(AbandonedThreadsTest, EndTheProcessWhenItsMemoryGrowsByAGibibyteBesideOne) {
    const auto threads = make();
    const auto abandoned = threads->add("acme", loop::Hook::price, 1);
    memory += 1024 * mebibyte - 1;
    EXPECT_EQ(threads->reason_to_end(), std::nullopt);
    memory += 1;
    EXPECT_THAT(threads->reason_to_end().value_or(""),
                HasSubstr("memory of the process has grown from 100 MiB to 1124 MiB since"));
}

TEST(AbandonedThreadsOfTheMachine, AreReadByTheirOwnCpuClocks) {
    std::atomic<bool> is_over{false};
    std::atomic<std::uint64_t> turns{0};
    std::thread burns([&] {
        while (!is_over) ++turns;
    });
    clockid_t clock{};
    ASSERT_EQ(::pthread_getcpuclockid(burns.native_handle(), &clock), 0);
    const auto threads =
        std::make_shared<loop::AbandonedThreads>(loop::AbandonedLimits{.busy_time = 1ns});
    const auto abandoned = threads->add("acme", loop::Hook::filter, clock);
    // Sooner or later the machine lets it have a core for a moment.
    std::optional<std::string> reason;
    while (!reason) reason = threads->reason_to_end();
    EXPECT_THAT(*reason, HasSubstr("plugin acme: filter"));
    is_over = true;
    burns.join();
}

}  // namespace
}  // namespace capstan::runtime::instances
