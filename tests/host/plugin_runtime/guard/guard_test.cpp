#include "plugin_runtime/guard/guard.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <future>
#include <mutex>

#include "plugin_runtime/guard/signal_trap.hpp"

namespace capstan::plugin_runtime::guard {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

/// Records the end of the process instead of ending it.
struct GuardTest : testing::Test {
    using End = std::pair<int, std::string>;
    std::promise<End> ended;

    Guard::Options options(bool takes_signals = false) {
        return {
            .stop_deadline = 1h,
            .period = 1ms,
            .end = [this](int code, const std::string& reason) { ended.set_value({code, reason}); },
            .takes_signals = takes_signals};
    }
    End end() { return ended.get_future().get(); }
};

TEST_F(GuardTest, EndsTheProcessWithTheReasonOfACheck) {
    Guard guard(options());
    guard.add_check([] { return std::optional<std::string>(); });
    guard.add_check([] { return std::optional<std::string>("memory is above 2Gi"); });
    EXPECT_EQ(end(), End(exit_held_up, "memory is above 2Gi"));
}

TEST_F(GuardTest, EndsTheProcessIfTheLoopDoesNotRespond) {
    boost::asio::io_context not_running;
    Guard guard(options());
    guard.watch_loop(not_running, 5ms);
    const auto [code, reason] = end();
    EXPECT_EQ(code, exit_held_up);
    EXPECT_THAT(reason, StartsWith("the event loop has not responded for "));
}

TEST_F(GuardTest, EndsTheProcessIfItsUserChanges) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can change the user";
    Guard guard(options());
    ASSERT_EQ(::seteuid(65534), 0);
    const auto [code, reason] = end();
    ASSERT_EQ(::seteuid(0), 0);
    EXPECT_EQ(code, exit_held_up);
    EXPECT_THAT(reason, HasSubstr("changed the user id of capstan from 0 to 65534: exiting now"));
}

TEST_F(GuardTest, NamesTheRunningCallAndTheStage) {
    loop::CallWatches calls(0s);
    const auto call = calls.add("aws", "capstan.cloud/1");
    loop::CallMarkers markers;
    const loop::StrandCall under_way(*call, markers, loop::Hook::refresh);
    const auto shared = std::shared_ptr<loop::CallWatches>(&calls, [](loop::CallWatches*) {});
    Guard::Options soon = options(true);
    soon.hang_after = 0s;
    Guard guard(soon);
    guard.watch_calls(shared);
    guard.set_stage("a pass is running");
    guard.on_signal([](int) {});
    const auto began = std::chrono::steady_clock::now();
    ::kill(::getpid(), SIGTERM);
    while (!guard.is_stopping()) std::this_thread::yield();
    // A repetition within a second counts as the first signal.
    std::future<End> soon_over = ended.get_future();
    do ::kill(::getpid(), SIGINT);
    while (soon_over.wait_for(10ms) != std::future_status::ready);
    const auto [code, reason] = soon_over.get();
    EXPECT_GE(std::chrono::steady_clock::now() - began, same_signal_within);
    EXPECT_EQ(code, 1);
    EXPECT_THAT(
        reason,
        StartsWith(
            "second stop signal: exiting now; plugin aws: refresh has blocked its thread for "));
    EXPECT_THAT(reason, HasSubstr(", a pass is running"));
}

TEST_F(GuardTest, EndsTheProcessIfShutdownTakesTooLong) {
    Guard::Options hasty = options(true);
    hasty.stop_deadline = 0s;
    Guard guard(hasty);
    std::promise<int> received;
    guard.on_signal([&](int signal) { received.set_value(signal); });
    ::kill(::getpid(), SIGTERM);
    EXPECT_EQ(received.get_future().get(), SIGTERM);
    EXPECT_EQ(end(), End(exit_held_up, "shutdown did not finish within 0s"));
}

TEST_F(GuardTest, ReceivesSignalsThatAPluginIgnores) {
    Guard guard(options(true));
    std::promise<int> received;
    std::once_flag once;
    guard.on_signal([&](int signal) { std::call_once(once, [&] { received.set_value(signal); }); });
    std::signal(SIGHUP, SIG_IGN);
    // A thread of another test that does not block the signal discards it until the guard has
    // restored the handler.
    std::future<int> first = received.get_future();
    do ::kill(::getpid(), SIGHUP);
    while (first.wait_for(10ms) != std::future_status::ready);
    EXPECT_EQ(first.get(), SIGHUP);
}

TEST_F(GuardTest, EndsTheProcessIfItsDescriptorsAreClosed) {
    const int lowest_free = ::open("/dev/null", O_RDONLY);
    ::close(lowest_free);
    Guard guard(options());
    ::close(lowest_free);
    EXPECT_EQ(end(), End(exit_held_up,
                         "a plugin or library closed file descriptors of capstan: exiting now"));
}

TEST(SignalTrap, ReceivesASignalThatAThreadUnblocked) {
    const SignalTrap trap;
    std::thread([] {
        sigset_t all;
        ::sigemptyset(&all);
        ::sigaddset(&all, SIGTERM);
        ::pthread_sigmask(SIG_UNBLOCK, &all, nullptr);
        std::raise(SIGTERM);
    }).join();
    EXPECT_EQ(trap.wait(0s), SIGTERM);
    EXPECT_EQ(trap.wait(0s), std::nullopt);
}

TEST(SignalTrap, RestoresHandlers) {
    const SignalTrap trap;
    EXPECT_TRUE(trap.mend_handlers().empty());
    std::signal(SIGTERM, SIG_IGN);
    EXPECT_THAT(trap.mend_handlers(), testing::ElementsAre(SIGTERM));
    EXPECT_TRUE(trap.mend_handlers().empty());
}

TEST(LoopPulse, CountsSilenceButNotTimeInWhichTheProcessWasStopped) {
    boost::asio::io_context io;
    LoopPulse pulse;
    EXPECT_EQ(pulse.beat(1s, 1s), 0s) << "no loop is watched";
    pulse.watch(io);
    EXPECT_EQ(pulse.beat(1s, 1s), 0s) << "the loop was asked";
    EXPECT_EQ(pulse.beat(1s, 1s), 1s);
    EXPECT_EQ(pulse.beat(1h, 1s), 3s) << "the process was stopped meanwhile";
    io.poll();
    EXPECT_EQ(pulse.beat(1s, 1s), 0s);
    EXPECT_EQ(pulse.beat(1s, 1s), 1s);
    pulse.unwatch();
    EXPECT_EQ(pulse.beat(1s, 1s), 0s);
}

}  // namespace
}  // namespace capstan::plugin_runtime::guard
