#include "plugin_runtime/loop/strand.hpp"

#include <gtest/gtest.h>

#include <future>
#include <string>
#include <thread>

#include <boost/asio/io_context.hpp>

namespace capstan::plugin_runtime::loop {
namespace {

using namespace std::chrono_literals;

TEST(Strand, RunsItsFunctionsOneAtATimeOnSeveralThreads) {
    boost::asio::io_context io;
    const auto strand = std::make_shared<Strand>(io, Strand::Options{});
    int count = 0;  // not atomic: the strand guards it
    for (int i = 0; i < 1000; ++i) strand->post([&] { ++count; });
    std::thread other([&] { io.run(); });
    io.run();
    other.join();
    EXPECT_EQ(count, 1000);
}

TEST(Strand, KnowsWhetherItIsRunningAndReportsLongFunctions) {
    boost::asio::io_context io;
    int reports = 0;
    const auto strand = std::make_shared<Strand>(
        io, Strand::Options{
                .watchdog = {.limit = Duration(-1), .report = [&](Duration) { ++reports; }}});
    EXPECT_FALSE(strand->is_here());
    strand->post([&] { EXPECT_TRUE(strand->is_here()); });
    io.run();
    EXPECT_EQ(reports, 1);
}

TEST(Strand, RunsADispatchedFunctionAtOnceOnlyIfTheCallerIsOnTheStrand) {
    boost::asio::io_context io;
    const auto strand = std::make_shared<Strand>(io, Strand::Options{});
    std::string order;
    strand->dispatch([&] {
        order += "a";
        strand->post([&] { order += "d"; });
        strand->dispatch([&] { order += "b"; });
        order += "c";
    });
    EXPECT_EQ(order, "") << "the caller is not on the strand";
    io.run();
    EXPECT_EQ(order, "abcd");
}

TEST(Strand, WithoutAThreadRunsTheHostsFunctionsInOneOrderWithTheOthers) {
    boost::asio::io_context io;
    const auto strand = std::make_shared<Strand>(io, Strand::Options{});
    std::string order;
    strand->post([&] { order += "a"; });
    strand->post_to_host([&] {
        EXPECT_TRUE(strand->is_here());
        order += "b";
    });
    strand->post([&] { order += "c"; });
    strand->dispatch_to_host([&] { order += "at once "; });
    io.run();
    EXPECT_EQ(order, "at once abc");
}

TEST(Strand, LetsOtherStrandsRunAfter32Functions) {
    boost::asio::io_context io;
    const auto first = std::make_shared<Strand>(io, Strand::Options{});
    const auto other = std::make_shared<Strand>(io, Strand::Options{});
    std::string order;
    for (int i = 0; i < 33; ++i) first->post([&] { order += "f"; });
    other->post([&] { order += "o"; });
    io.run();
    EXPECT_EQ(order, std::string(32, 'f') + "of");
}

TEST(Strand, DropsTheRestIfAFunctionClosesIt) {
    boost::asio::io_context io;
    const auto strand = std::make_shared<Strand>(io, Strand::Options{});
    int count = 0;
    strand->post([&] {
        ++count;
        strand->close();
        strand->post([&] { ++count; });
    });
    strand->post([&] { ++count; });
    io.run();
    EXPECT_EQ(count, 1);
}

TEST(Strand, WithAThreadPassesNothingToTheHostOnceClosed) {
    boost::asio::io_context io;
    const auto strand = std::make_shared<Strand>(io, Strand::Options{.has_thread = true});
    strand->close();
    strand->post_to_host([] { FAIL(); });
    strand->dispatch_to_host([] { FAIL(); });
    io.run();
}

TEST(Strand, WithoutAThreadIsNeverStuck) {
    boost::asio::io_context io;
    CallWatches watches(0s);
    const auto strand = std::make_shared<Strand>(
        io, Strand::Options{.calls = watches.add("aws", "capstan.cloud/1")});
    CallMarkers markers;
    strand->post([&] {
        const StrandCall under_way(strand->calls(), markers, Hook::refresh);
        EXPECT_EQ(strand->stuck(), std::nullopt) << "time may be virtual";
    });
    io.run();
}

TEST(Strand, WithAThreadRunsApartFromTheLoop) {
    boost::asio::io_context io;
    const auto strand = std::make_shared<Strand>(io, Strand::Options{.has_thread = true});
    const std::thread::id loop = std::this_thread::get_id();
    std::promise<std::thread::id> ran_on;
    bool is_inline = false;
    strand->post([&] {
        strand->dispatch([&] { is_inline = true; });
        ran_on.set_value(std::this_thread::get_id());
    });
    EXPECT_NE(ran_on.get_future().get(), loop) << "the loop is not running";
    EXPECT_TRUE(is_inline);
    std::thread::id answered_on;
    strand->post_to_host([&] { answered_on = std::this_thread::get_id(); });
    io.run();
    EXPECT_EQ(answered_on, loop);
}

TEST(Strand, WithAThreadReportsACallThatDoesNotReturn) {
    boost::asio::io_context io;
    CallWatches watches(0s);
    const auto strand = std::make_shared<Strand>(
        io, Strand::Options{.calls = watches.add("aws", "capstan.cloud/1"), .has_thread = true});
    CallMarkers markers;
    std::promise<void> entered, may_return;
    EXPECT_EQ(strand->stuck(), std::nullopt);
    strand->post([&] {
        const StrandCall under_way(strand->calls(), markers, Hook::refresh);
        entered.set_value();
        may_return.get_future().get();
    });
    entered.get_future().get();
    EXPECT_EQ(strand->stuck()->plugin, "aws");
    EXPECT_EQ(strand->stuck()->hook, Hook::refresh);
    EXPECT_EQ(watches.stuck().size(), 1u);
    may_return.set_value();
    while (strand->stuck()) std::this_thread::yield();
}

TEST(Strand, DoesNotUseTheIoContextOnceClosed) {
    auto io = std::make_unique<boost::asio::io_context>();
    const auto strand = std::make_shared<Strand>(*io, Strand::Options{});
    const auto held = std::make_shared<int>();
    strand->post([held] { FAIL(); });
    strand->close();
    EXPECT_EQ(held.use_count(), 1);
    io = nullptr;
    strand->post([held] { FAIL(); });
}

TEST(Strand, ReleasesQueuedFunctionsWhenTheIoContextIsDestroyed) {
    auto io = std::make_unique<boost::asio::io_context>();
    auto strand = std::make_shared<Strand>(*io, Strand::Options{});
    const std::weak_ptr<Strand> gone = strand;
    strand->post([strand] {});  // a reference cycle
    strand = nullptr;
    io = nullptr;
    EXPECT_TRUE(gone.expired());
}

}  // namespace
}  // namespace capstan::plugin_runtime::loop
