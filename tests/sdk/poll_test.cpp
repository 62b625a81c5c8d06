#include <capstan/poll.hpp>

#include <optional>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/testing/fake_host.hpp>
#include <capstan/testing/run_task.hpp>

namespace {

using namespace std::chrono_literals;
using capstan::Duration;
using capstan::ErrorCode;
using capstan::Task;
using capstan::testing::FakeHost;
using capstan::testing::run;
using ::testing::ElementsAre;

/// An operation of a cloud that ends after a while.
struct Resizing {
    FakeHost host;
    Duration begin = host.monotonic(), takes{};
    std::vector<Duration> polls{};

    explicit Resizing(Duration time) : takes(time) {}
    Task<std::optional<int>> ask() {
        polls.push_back(host.monotonic() - begin);
        if (polls.back() < takes) co_return std::optional<int>();
        co_return std::optional<int>(7);
    }
    Task<std::optional<int>> wait(capstan::PollTimes times) {
        const auto question = [this] { return ask(); };
        co_return co_await capstan::poll(host.host(), question, times);
    }
};

TEST(Poll, EndsWithTheFirstResult) {
    Resizing at_once(0s), later(20s);
    EXPECT_EQ(run(at_once.host, at_once.wait({})).value(), 7);
    EXPECT_THAT(at_once.polls, ElementsAre(0s));
    EXPECT_EQ(run(later.host, later.wait({})).value(), 7);
    EXPECT_GE(later.polls.back(), 20s);
    EXPECT_LT(later.polls.back(), 35s);
}

TEST(Poll, PollsLessAndLessOftenUpToALimit) {
    Resizing resizing(10min);
    ASSERT_TRUE(run(resizing.host,
                    resizing.wait({.delay = 1s, .growth = 2, .delay_max = 8s, .at_most = 1min})));
    std::vector<Duration> most{1s, 2s, 4s, 8s, 8s, 8s};
    ASSERT_GT(resizing.polls.size(), most.size());
    for (std::size_t i = 0; i < most.size(); ++i) {
        const Duration gap = resizing.polls[i + 1] - resizing.polls[i];
        EXPECT_LE(gap, most[i]);
        EXPECT_GE(gap, most[i] * 3 / 4);
    }
}

TEST(Poll, ReturnsNothingAfterTheTimeout) {
    Resizing resizing(10min);
    EXPECT_EQ(run(resizing.host, resizing.wait({.at_most = 30s})).value(), std::nullopt);
    EXPECT_LE(resizing.host.monotonic() - resizing.begin, 30s);
}

TEST(Poll, LeavesTheOperationAMargin) {
    Resizing resizing(10min);
    EXPECT_EQ(run(resizing.host, resizing.wait({.at_most = 1h, .margin = 2s}), 20s).value(),
              std::nullopt);
    EXPECT_LE(resizing.host.monotonic() - resizing.begin, 18s);
}

TEST(Poll, AcceptsABooleanResult) {
    FakeHost host;
    int left = 3;
    const auto is_done = [&left]() -> Task<bool> { co_return --left == 0; };
    EXPECT_EQ(run(host, capstan::poll(host.host(), is_done)), true);
    left = 1000;
    EXPECT_EQ(run(host, capstan::poll(host.host(), is_done, {.at_most = 5s})), false);
}

TEST(Poll, FailsIfThePolledFunctionFails) {
    FakeHost host;
    const auto refuse = []() -> Task<bool> {
        co_return capstan::fail(ErrorCode::out_of_capacity, "ZONE_EXHAUSTED");
    };
    EXPECT_EQ(run(host, capstan::poll(host.host(), refuse)),
              capstan::fail(ErrorCode::out_of_capacity, "ZONE_EXHAUSTED"));
}

}  // namespace
