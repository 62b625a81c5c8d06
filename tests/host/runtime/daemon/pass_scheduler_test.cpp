#include "runtime/daemon/pass_scheduler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace capstan::runtime::daemon {
namespace {

using namespace std::chrono_literals;

/// Passes that take no time, and when each began.
struct Passes : ::testing::Test {
    boost::asio::io_context io;
    std::shared_ptr<io::ManualClock> clock = std::make_shared<io::ManualClock>();
    io::ManualLoop loop{io, clock};
    PassScheduler waiting{loop, {}};
    Duration start = loop.monotonic();
    std::string seen;  ///< "p0 p10000 i": passes with their milliseconds, interruptions
    std::optional<Time> wake_at;
    bool wants_passes = true;

    void wait() {
        waiting.next(wants_passes, wake_at, [this](PassScheduler::Next next) {
            const auto at =
                std::chrono::duration_cast<std::chrono::milliseconds>(loop.monotonic() - start);
            seen += seen.empty() ? "" : " ";
            seen += next == PassScheduler::Next::pass ? "p" + std::to_string(at.count()) : "i";
            loop.after(0s, [this] { wait(); });
        });
    }
};

TEST_F(Passes, BeginAtOnceAndThenEveryInterval) {
    wait();
    loop.advance(25s);
    EXPECT_EQ(seen, "p0 p10000 p20000");
}

TEST_F(Passes, BeginSoonAfterPodsHaveComeTogether) {
    wait();
    loop.advance(3s);
    waiting.see_pods();
    loop.advance(50ms);
    waiting.see_pods();
    loop.advance(11s);
    EXPECT_EQ(seen, "p0 p3100 p13100");
}

TEST_F(Passes, BeginAtOnceWhereACloudWantsThemTo) {
    wait();
    loop.advance(3s);
    EXPECT_TRUE(waiting.want_pass());
    EXPECT_TRUE(seen == "p0" || seen == "p0 p3000") << seen;
    loop.advance(11s);
    EXPECT_EQ(seen, "p0 p3000 p13000");
}

TEST_F(Passes, BeginEveryFewSecondsHoweverOftenACloudWantsThemTo) {
    wait();
    loop.advance(1s);
    int taken = 0;
    for (int i = 0; i < 110; ++i) {
        taken += waiting.want_pass() ? 1 : 0;
        loop.advance(100ms);
    }
    EXPECT_EQ(seen, "p0 p1000 p6000 p11000");
    EXPECT_EQ(taken, 4) << "wishes become one";
}

TEST_F(Passes, ThatACloudWantsAreNotMadeByAHostThatMakesNone) {
    wants_passes = false;
    wait();
    waiting.want_pass();
    loop.advance(1min);
    EXPECT_EQ(seen, "");
}

TEST_F(Passes, PauseHoweverManyPodsCome) {
    wait();
    for (int i = 0; i < 90; ++i) {
        waiting.see_pods();
        loop.advance(20ms);
    }
    EXPECT_EQ(seen, "p0 p500 p1000 p1500");
}

TEST_F(Passes, BeginWhenTheLastOneWantsThemTo) {
    wait();
    wake_at = clock->now() + 12s;  // the second one's
    loop.advance(12s);
    EXPECT_EQ(seen, "p0 p10000 p12000");
}

TEST_F(Passes, AreNotMadeWhereNobodyWantsThemAndInterruptionsAreTold) {
    wants_passes = false;
    wait();
    waiting.see_pods();
    loop.advance(1min);
    EXPECT_EQ(seen, "");
    wants_passes = true;
    waiting.interrupt();
    loop.advance(1s);
    EXPECT_EQ(seen, "i p60000") << "which has looked at those pods";
}

TEST_F(Passes, FollowAnotherInterval) {
    wait();
    loop.advance(1s);
    waiting.set_interval(2s);
    loop.advance(4s);
    EXPECT_EQ(seen, "p0 p2000 p4000");
}

TEST_F(Passes, AnInterruptionThatNobodyWaitsForIsKept) {
    wants_passes = false;
    waiting.interrupt();
    wait();
    loop.settle();
    EXPECT_EQ(seen, "i");
}

TEST_F(Passes, AreMadeThoughThereIsAlwaysSomethingElseToDo) {
    wait();
    loop.settle();
    for (int i = 0; i < 2500; ++i) {
        waiting.interrupt();
        loop.advance(10ms);
    }
    std::erase(seen, 'i');
    seen.erase(
        std::ranges::unique(seen, [](char a, char b) { return a == ' ' && b == ' '; }).begin(),
        seen.end());
    EXPECT_EQ(seen, "p0 p10000 p20000 ");
}

}  // namespace
}  // namespace capstan::runtime::daemon
