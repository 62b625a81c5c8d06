/// A thread apart from the loop and from all threads of plugins. It handles signals, reports stuck
/// calls and stuck loops while they last, and ends a process that cannot go on.
///
///     Guard guard({});                      // first of all, before any other thread
///     guard.set_log(log);
///     guard.on_signal([&](int signal) { post to the loop ... });
///     guard.watch_loop(io, stuck_after);
///     guard.add_check([] { return too_much_memory(); });
#pragma once

#include <sys/stat.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>

#include <capstan/assert.hpp>
#include <capstan/time.hpp>

#include "plugin_runtime/guard/guard_log.hpp"
#include "plugin_runtime/guard/signal_trap.hpp"
#include "plugin_runtime/loop/call_watch.hpp"

namespace capstan::plugin_runtime::guard {

// Whether an event loop still runs what is posted to it.

/// Posts a function to the loop at each `beat`, and adds up the time in which it does not run. A
/// process that was suspended, as by a debugger, must not count as one with a loop that hangs, so
/// one beat adds two periods at most. [any thread]
class LoopPulse {
public:
    /// `io` is borrowed until `unwatch`.
    void watch(boost::asio::io_context& io);
    void unwatch();
    /// `passed`: the time since the last beat; beats are `period` apart. Returns for how long the
    /// loop has not answered. Zero: it has answered, or no loop is watched.
    Duration beat(Duration passed, Duration period);

private:
    std::mutex mutex_;
    boost::asio::io_context* io_ = nullptr;
    std::shared_ptr<std::atomic<bool>> has_answered_;  ///< NULL: no function is posted
    Duration silent_for_{};
};

/// One per process, constructed before the process's first thread. The guard's thread must always
/// be able to take the next signal, so the callbacks that it calls must not block. Times are real
/// time. [any thread]
class Guard {
public:
    struct Options {
        /// From the first stop signal to the end of the process. Kubernetes gives a pod 30 s.
        Duration stop_deadline = std::chrono::seconds(25);
        /// Between two rounds of checks.
        Duration period = std::chrono::seconds(1);
        /// Calls that have lasted for this time are named when the guard ends the process.
        Duration hang_after = std::chrono::seconds(1);
        /// Ends the process; NULL: std::_Exit. For tests.
        std::function<void(int code, const std::string& why)> end{};
        bool takes_signals = true;  ///< false: signals are not handled; for tests
    };
    using Check = std::function<std::optional<std::string>()>;
    using OnSignal = std::function<void(int signal)>;

    explicit Guard(Options options);
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    /// Signals have their default actions again and are unblocked in the calling thread.
    ~Guard();

    /// `check` is called about once a second on the guard's thread. When it returns a sentence, the
    /// sentence is written to standard error and the process ends with `exit_held_up`. A check owns
    /// or shares what it uses.
    void add_check(Check check);
    /// `on_signal` is called for each signal on the guard's thread, and must not call the guard.
    /// NULL, as in the beginning: a signal ends the process as without a guard. A second stop
    /// signal (TERM, INT, QUIT) is not passed on: if it comes later than `same_signal_within` after
    /// the first, it ends the process with a sentence that names what hangs. If the process still
    /// runs `stop_deadline` after the first stop signal, it ends in the same way.
    void on_signal(OnSignal on_signal);
    /// From now on the process ends when the loop has not answered for `stuck_after`, which must
    /// not be longer than the Lease lasts. `io` is borrowed until `unwatch_loop`.
    void watch_loop(boost::asio::io_context& io, Duration stuck_after);
    void unwatch_loop();
    /// The guard reports which of these calls are stuck, and names them when it ends the process.
    void watch_calls(std::shared_ptr<const loop::CallWatches> calls);
    void set_log(std::shared_ptr<services::Logger> log) { guard_log().set_log(std::move(log)); }
    /// `on_end` is called with the reason right before the guard ends the process, on the guard's
    /// thread. It must not block.
    void on_end(std::function<void(std::string_view why)> on_end);
    /// What the process is doing, named when it does not stop in time: "a pass is running".
    /// Empty: nothing that could hang.
    void set_stage(std::string stage);
    /// Whether a stop signal has come while `on_signal` was set.
    bool is_stopping() const;

private:
    void serve();
    void take(int signal);
    /// Makes all checks, once a period. `silent_for`: for how long the loop has not answered.
    void look(Duration silent_for);
    void look_at_loop(Duration silent_for);
    void look_at_calls();
    void look_at_checks();
    void look_at_stop();
    void look_at_files();
    void look_at_user();
    void end(int code, const std::string& why);
    /// Everything that hangs, as part of a sentence. Empty: nothing does.
    std::string describe_stuck_calls() const;
    GuardLog& guard_log() {
        CAPSTAN_ASSERT(log_, "there is no log");
        return *log_;
    }

    const Options options_;
    std::optional<SignalTrap> signals_;
    std::optional<GuardLog> log_;
    LoopPulse pulse_;
    // The guard's thread alone.
    HeldCallLog held_log_;
    Duration silence_told_{};
    bool has_ended_ = false;
    struct stat canary_file_{};
    const int canary_;  ///< a descriptor that only foreign code closes
    const uid_t user_;  ///< the effective user at the start

    mutable std::mutex mutex_;  ///< guards what follows
    std::condition_variable changed_;
    bool is_closing_ = false;
    Duration loop_limit_{};
    std::optional<Duration> first_signal_{};
    std::vector<Check> checks_;
    OnSignal on_signal_;
    std::function<void(std::string_view)> on_end_;
    std::shared_ptr<const loop::CallWatches> calls_;
    std::string stage_;
    std::thread thread_;
};

}  // namespace capstan::plugin_runtime::guard
