#include "io/loop.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include <boost/asio/post.hpp>

namespace capstan::io {
namespace {

using namespace std::chrono_literals;

struct ManualLoopTest : testing::Test {
    boost::asio::io_context io;
    std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>();
    ManualLoop loop{io, clock};
    std::string seen;
    TimerQueue::Handler note(char c) {
        return [this, c] { seen += c; };
    }
};

TEST_F(ManualLoopTest, FiresTimersByTimeThenByOrderOfCreation) {
    loop.after(2s, note('c'));
    loop.after(1s, note('a'));
    loop.after(1s, note('b'));
    loop.advance(1s);
    EXPECT_EQ(seen, "ab");
    loop.advance(1s);
    EXPECT_EQ(seen, "abc");
}

TEST_F(ManualLoopTest, SetsTheClockToTheTimeOfEachTimer) {
    const Duration begin = loop.monotonic();
    Duration at_first{};
    loop.after(1s, [&] { at_first = loop.monotonic(); });
    loop.advance(1h);
    EXPECT_EQ(at_first - begin, 1s);
    EXPECT_EQ(loop.monotonic() - begin, 1h);
}

TEST_F(ManualLoopTest, FiresTimersSetByTimers) {
    loop.after(1s, [&] { loop.after(1s, note('b')); });
    loop.advance(10s);
    EXPECT_EQ(seen, "b");
}

TEST_F(ManualLoopTest, RunsHandlersThatATimerPostedBeforeItFiresTheNextTimer) {
    loop.after(1s, [&] { boost::asio::post(io, note('a')); });
    loop.after(2s, note('b'));
    loop.advance(10s);
    EXPECT_EQ(seen, "ab");
}

TEST_F(ManualLoopTest, DoesNotFireACancelledTimer) {
    const TimerId timer = loop.after(1s, note('a'));
    EXPECT_TRUE(loop.cancel(timer));
    EXPECT_FALSE(loop.cancel(timer));
    loop.advance(10s);
    EXPECT_EQ(seen, "");
}

TEST_F(ManualLoopTest, AcceptsExtremeDelays) {
    loop.after(Duration::max(), note('a'));
    loop.after(Duration::min(), note('b'));
    loop.advance(1h);
    EXPECT_EQ(seen, "b");
}

TEST_F(ManualLoopTest, WaitsForResultsOfOtherThreads) {
    auto outside = std::make_shared<Loop::ExternalWork>(loop);
    std::thread worker([&, outside = std::move(outside)]() mutable {
        boost::asio::post(io, [this, outside = std::move(outside)] { seen += "w"; });
    });
    loop.after(1s, note('t'));
    loop.advance(1s);
    worker.join();
    EXPECT_EQ(seen, "wt");
}

TEST(Loop, FiresTimersInOrderOfTheSystemClock) {
    boost::asio::io_context io;
    Loop loop(io);
    std::string seen;
    const Duration now =
        loop.monotonic();  // read once: two calls may be far apart on a busy machine
    loop.at(now + 2ms, [&] { seen += 'b'; });
    loop.at(now + 1ms, [&] { seen += 'a'; });
    loop.at(now + 1h, [&] { seen += 'x'; });
    loop.at(now + 3ms, [&] { io.stop(); });
    io.run();
    EXPECT_EQ(seen, "ab");
}

TEST(Loop, MayBeDestroyedBeforeItsIoContextRuns) {
    boost::asio::io_context io;
    bool fired = false;
    {
        Loop loop(io);
        loop.after(0s, [&] { fired = true; });
    }
    io.run();
    EXPECT_FALSE(fired);
}

TEST(RandomSource, RepeatsItsNumbersForTheSameSeed) {
    RandomSource a(seed_for(7, "aws")), b(seed_for(7, "aws")), c(seed_for(7, "gce"));
    const std::uint64_t first = a.next();
    EXPECT_EQ(first, b.next());
    EXPECT_NE(first, c.next());
    EXPECT_NE(first, a.next());
}

}  // namespace
}  // namespace capstan::io
