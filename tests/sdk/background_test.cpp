#include <capstan/background.hpp>

#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/http.hpp>
#include <capstan/testing/fake_host.hpp>
#include <capstan/testing/run_task.hpp>

namespace {

using namespace std::chrono_literals;
using capstan::Background;
using capstan::ErrorCode;
using capstan::Host;
using capstan::Task;
using capstan::testing::FakeHost;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Task<void> tick(Host host, int& ticks) {
    for (;;) {
        co_await capstan::sleep_for(host, 30min);
        ++ticks;
    }
}

TEST(Background, RunsOutsideCalls) {
    FakeHost host;
    int ticks = 0;
    Background background(host.host());
    background.spawn("ticks", tick(host.host(), ticks));
    EXPECT_EQ(ticks, 0);
    host.advance(24h);
    EXPECT_EQ(ticks, 48);
    EXPECT_EQ(background.running(), 1u);
}

TEST(Background, EndsWithTheInstanceWithoutAnError) {
    FakeHost host;
    int ticks = 0;
    Background background(host.host());
    background.spawn("a", tick(host.host(), ticks));
    background.spawn("b", tick(host.host(), ticks));
    ASSERT_TRUE(host.stop());
    EXPECT_EQ(background.running(), 0u);
    EXPECT_FALSE(background.failure());
    EXPECT_THAT(host.log_lines(), IsEmpty());
}

TEST(Background, CancelsRequestsWithTheInstance) {
    FakeHost host;
    host.http().on({.url = "https://api.example/token", .latency = 1h});
    const auto ask = [](Host h) -> Task<void> {
        co_await capstan::send(h, {"GET", "https://api.example/token"});
    };
    Background background(host.host());
    background.spawn("token", ask(host.host()));
    ASSERT_TRUE(host.stop());
    EXPECT_EQ(background.running(), 0u);
    EXPECT_FALSE(background.failure());
}

TEST(Background, LogsAnEscapingErrorOnce) {
    FakeHost host;
    const auto fail_after = [](Host h) -> Task<void> {
        co_await capstan::sleep_for(h, 1s);
        throw capstan::Failure(ErrorCode::unauthenticated, "the key was revoked");
    };
    Background background(host.host());
    background.spawn("renewal", fail_after(host.host()));
    EXPECT_FALSE(background.failure());
    host.advance(1h);
    ASSERT_TRUE(background.failure());
    EXPECT_EQ(background.failure()->code, ErrorCode::unauthenticated);
    EXPECT_THAT(host.log_lines(),
                ElementsAre(capstan::testing::LogLine{CAPSTAN_LOG_ERROR,
                                                      "background task failed: the key was revoked",
                                                      {{"task", "renewal"}}}));
    EXPECT_EQ(background.running(), 0u);
}

TEST(Background, CanBeAwaitedByStop) {
    FakeHost host;
    int ticks = 0;
    Background background(host.host());
    background.spawn("ticks", tick(host.host(), ticks));
    bool was_running = true;
    const auto stop = [&]() -> Task<void> {
        co_await background.ended();
        was_running = background.running() != 0;
    };
    const auto stopping = host.call<void>(
        [&](capstan_op op) { return capstan::detail::run_operation<void>(host.host(), op, stop); });
    EXPECT_FALSE(stopping.is_done());
    std::ignore = host.stop();
    EXPECT_FALSE(was_running);
}

TEST(Background, HasEndedIfNothingRuns) {
    FakeHost host;
    Background background(host.host());
    const auto stop = [&]() -> Task<void> { co_await background.ended(); };
    EXPECT_TRUE(capstan::testing::run(host, stop()));
}

}  // namespace
