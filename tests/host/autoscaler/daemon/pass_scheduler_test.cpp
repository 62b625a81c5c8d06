#include "autoscaler/daemon/pass_scheduler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace capstan::autoscaler::daemon {
namespace {

using namespace std::chrono_literals;

/// Records when passes begin; they take no time.
struct PassSchedulerTest : ::testing::Test {
    boost::asio::io_context io;
    std::shared_ptr<io::ManualClock> clock = std::make_shared<io::ManualClock>();
    io::ManualLoop loop{io, clock};
    PassScheduler scheduler{loop, {}};
    Duration start = loop.monotonic();
    std::string events;  ///< "p0 p10000 i": passes with their milliseconds, interruptions
    std::optional<Time> wake_at;
    bool runs_passes = true;

    void wait() {
        scheduler.next(runs_passes, wake_at, [this](PassScheduler::Next next) {
            const auto at =
                std::chrono::duration_cast<std::chrono::milliseconds>(loop.monotonic() - start);
            events += events.empty() ? "" : " ";
            events += next == PassScheduler::Next::pass ? "p" + std::to_string(at.count()) : "i";
            loop.after(0s, [this] { wait(); });
        });
    }
};

TEST_F(PassSchedulerTest, StartsAPassAtOnceAndThenEveryInterval) {
    wait();
    loop.advance(25s);
    EXPECT_EQ(events, "p0 p10000 p20000");
}

TEST_F(PassSchedulerTest, StartsAPassSoonAfterPodsArrived) {
    wait();
    loop.advance(3s);
    scheduler.on_pods_changed();
    loop.advance(50ms);
    scheduler.on_pods_changed();
    loop.advance(11s);
    EXPECT_EQ(events, "p0 p3100 p13100");
}

TEST_F(PassSchedulerTest, StartsARequestedPassAtOnce) {
    wait();
    loop.advance(3s);
    EXPECT_TRUE(scheduler.want_pass());
    EXPECT_TRUE(events == "p0" || events == "p0 p3000") << events;
    loop.advance(11s);
    EXPECT_EQ(events, "p0 p3000 p13000");
}

TEST_F(PassSchedulerTest, LimitsTheRateOfRequestedPasses) {
    wait();
    loop.advance(1s);
    int taken = 0;
    for (int i = 0; i < 110; ++i) {
        taken += scheduler.want_pass() ? 1 : 0;
        loop.advance(100ms);
    }
    EXPECT_EQ(events, "p0 p1000 p6000 p11000");
    EXPECT_EQ(taken, 4) << "requests are combined";
}

TEST_F(PassSchedulerTest, IgnoresRequestsWhileNoPassesRun) {
    runs_passes = false;
    wait();
    scheduler.want_pass();
    loop.advance(1min);
    EXPECT_EQ(events, "");
}

TEST_F(PassSchedulerTest, LimitsTheRateOfPassesForPods) {
    wait();
    for (int i = 0; i < 90; ++i) {
        scheduler.on_pods_changed();
        loop.advance(20ms);
    }
    EXPECT_EQ(events, "p0 p500 p1000 p1500");
}

TEST_F(PassSchedulerTest, StartsAPassWhenTheLastOneRequestedIt) {
    wait();
    wake_at = clock->now() + 12s;  // the second pass requests a pass at this time
    loop.advance(12s);
    EXPECT_EQ(events, "p0 p10000 p12000");
}

TEST_F(PassSchedulerTest, ReportsInterruptionsWhileNoPassesRun) {
    runs_passes = false;
    wait();
    scheduler.on_pods_changed();
    loop.advance(1min);
    EXPECT_EQ(events, "");
    runs_passes = true;
    scheduler.interrupt();
    loop.advance(1s);
    EXPECT_EQ(events, "i p60000") << "that pass includes the pods";
}

TEST_F(PassSchedulerTest, AppliesANewInterval) {
    wait();
    loop.advance(1s);
    scheduler.set_interval(2s);
    loop.advance(4s);
    EXPECT_EQ(events, "p0 p2000 p4000");
}

TEST_F(PassSchedulerTest, KeepsAnEarlyInterruption) {
    runs_passes = false;
    scheduler.interrupt();
    wait();
    loop.settle();
    EXPECT_EQ(events, "i");
}

TEST_F(PassSchedulerTest, StartsPassesDespiteManyInterruptions) {
    wait();
    loop.settle();
    for (int i = 0; i < 2500; ++i) {
        scheduler.interrupt();
        loop.advance(10ms);
    }
    std::erase(events, 'i');
    events.erase(
        std::ranges::unique(events, [](char a, char b) { return a == ' ' && b == ' '; }).begin(),
        events.end());
    EXPECT_EQ(events, "p0 p10000 p20000 ");
}

}  // namespace
}  // namespace capstan::autoscaler::daemon
