#include "runtime/loop/strand.hpp"

#include <gtest/gtest.h>

#include <thread>

#include <boost/asio/io_context.hpp>

namespace capstan::runtime {
namespace {

using namespace std::chrono_literals;

TEST(Strand, RunsItsFunctionsOneAfterTheOtherOnSeveralThreads) {
    boost::asio::io_context io;
    const auto strand = std::make_shared<Strand>(io, Strand::Watchdog{});
    int count = 0;  // not atomic: the strand guards it
    for (int i = 0; i < 1000; ++i) strand->post([&] { ++count; });
    std::thread other([&] { io.run(); });
    io.run();
    other.join();
    EXPECT_EQ(count, 1000);
}

TEST(Strand, KnowsWhoIsOnItAndReportsWhoStaysTooLong) {
    boost::asio::io_context io;
    int reports = 0;
    const auto strand = std::make_shared<Strand>(
        io, Strand::Watchdog{.limit = Duration(-1), .report = [&](Duration) { ++reports; }});
    EXPECT_FALSE(strand->is_here());
    strand->post([&] {
        EXPECT_TRUE(strand->is_here());
        EXPECT_TRUE(strand->busy_for());
    });
    io.run();
    EXPECT_EQ(reports, 1);
    EXPECT_FALSE(strand->busy_for());
}

TEST(Strand, LeavesTheIoContextAloneOnceClosed) {
    auto io = std::make_unique<boost::asio::io_context>();
    const auto strand = std::make_shared<Strand>(*io, Strand::Watchdog{});
    const auto held = std::make_shared<int>();
    strand->post([held] { FAIL(); });
    strand->close();
    EXPECT_EQ(held.use_count(), 1);
    io = nullptr;
    strand->post([held] { FAIL(); });
}

TEST(Strand, FreesWhatIsQueuedWhenTheIoContextGoesFirst) {
    auto io = std::make_unique<boost::asio::io_context>();
    auto strand = std::make_shared<Strand>(*io, Strand::Watchdog{});
    const std::weak_ptr<Strand> gone = strand;
    strand->post([strand] {});  // holds the strand that holds it
    strand = nullptr;
    io = nullptr;
    EXPECT_TRUE(gone.expired());
}

}  // namespace
}  // namespace capstan::runtime
