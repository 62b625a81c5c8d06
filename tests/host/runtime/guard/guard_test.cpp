#include "runtime/guard/guard.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <future>
#include <mutex>

#include "runtime/guard/signal_trap.hpp"

namespace capstan::runtime::guard {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

/// The end of a process that goes on.
struct GuardedProcess : testing::Test {
    using End = std::pair<int, std::string>;
    std::promise<End> ended;

    Guard::Options options(bool takes_signals = false) {
        return {.stop_deadline = 1h,
                .period = 1ms,
                .end = [this](int code, const std::string& why) { ended.set_value({code, why}); },
                .takes_signals = takes_signals};
    }
    End end() { return ended.get_future().get(); }
};

TEST_F(GuardedProcess, EndsForACheckThatSaysWhy) {
    Guard guard(options());
    guard.add_check([] { return std::optional<std::string>(); });
    guard.add_check([] { return std::optional<std::string>("memory is above 2Gi"); });
    EXPECT_EQ(end(), End(exit_held_up, "memory is above 2Gi"));
}

TEST_F(GuardedProcess, EndsWhenItsLoopDoesNotAnswer) {
    boost::asio::io_context nobody_runs_it;
    Guard guard(options());
    guard.watch_loop(nobody_runs_it, 5ms);
    const auto [code, why] = end();
    EXPECT_EQ(code, exit_held_up);
    EXPECT_THAT(why, StartsWith("the event loop has not responded for "));
}

TEST_F(GuardedProcess, NamesTheCallThatIsUnderWayAndTheStage) {
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
    // Within a second it is the first once more.
    std::future<End> soon_over = ended.get_future();
    do ::kill(::getpid(), SIGINT);
    while (soon_over.wait_for(10ms) != std::future_status::ready);
    const auto [code, why] = soon_over.get();
    EXPECT_GE(std::chrono::steady_clock::now() - began, same_signal_within);
    EXPECT_EQ(code, 1);
    EXPECT_THAT(
        why,
        StartsWith(
            "second stop signal: exiting now; plugin aws: refresh has blocked its thread for "));
    EXPECT_THAT(why, HasSubstr(", a pass is running"));
}

TEST_F(GuardedProcess, EndsThatDoesNotStopInTime) {
    Guard::Options hasty = options(true);
    hasty.stop_deadline = 0s;
    Guard guard(hasty);
    std::promise<int> told;
    guard.on_signal([&](int signal) { told.set_value(signal); });
    ::kill(::getpid(), SIGTERM);
    EXPECT_EQ(told.get_future().get(), SIGTERM);
    EXPECT_EQ(end(), End(exit_held_up, "shutdown did not finish within 0s"));
}

TEST_F(GuardedProcess, TakesSignalsThoughCodeInItIgnoresThem) {
    Guard guard(options(true));
    std::promise<int> told;
    std::once_flag once;
    guard.on_signal([&](int signal) { std::call_once(once, [&] { told.set_value(signal); }); });
    std::signal(SIGHUP, SIG_IGN);
    // A thread of another test that does not block the signal drops it until the guard has taken
    // the handler back.
    std::future<int> first = told.get_future();
    do ::kill(::getpid(), SIGHUP);
    while (first.wait_for(10ms) != std::future_status::ready);
    EXPECT_EQ(first.get(), SIGHUP);
}

TEST_F(GuardedProcess, EndsWhenForeignCodeClosesItsDescriptors) {
    const int lowest_free = ::open("/dev/null", O_RDONLY);
    ::close(lowest_free);
    Guard guard(options());
    ::close(lowest_free);
    EXPECT_EQ(end(), End(exit_held_up,
                         "a plugin or library closed file descriptors of capstan: exiting now"));
}

TEST(SignalTrap, TakesASignalThatAThreadUnblocked) {
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

TEST(SignalTrap, TakesHandlersBack) {
    const SignalTrap trap;
    EXPECT_TRUE(trap.mend_handlers().empty());
    std::signal(SIGTERM, SIG_IGN);
    EXPECT_THAT(trap.mend_handlers(), testing::ElementsAre(SIGTERM));
    EXPECT_TRUE(trap.mend_handlers().empty());
}

TEST(LoopPulse, CountsSilenceAndForgivesAProcessThatWasStopped) {
    boost::asio::io_context io;
    LoopPulse pulse;
    EXPECT_EQ(pulse.beat(1s, 1s), 0s) << "none is watched";
    pulse.watch(io);
    EXPECT_EQ(pulse.beat(1s, 1s), 0s) << "it is asked";
    EXPECT_EQ(pulse.beat(1s, 1s), 1s);
    EXPECT_EQ(pulse.beat(1h, 1s), 3s) << "the process did not run either";
    io.poll();
    EXPECT_EQ(pulse.beat(1s, 1s), 0s);
    EXPECT_EQ(pulse.beat(1s, 1s), 1s);
    pulse.unwatch();
    EXPECT_EQ(pulse.beat(1s, 1s), 0s);
}

}  // namespace
}  // namespace capstan::runtime::guard
