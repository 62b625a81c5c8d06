/// A thread outside the loop and all threads of plugins: takes signals, says what is held up while
/// it lasts, and ends the process when it cannot go on.
///
///     Guard guard({});                      // first of all, before any other thread
///     guard.set_log(log);
///     guard.on_signal([&](int signal) { post to the loop ... });
///     guard.watch_loop(io);
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

#include <capstan/time.hpp>

#include "runtime/guard/guard_voice.hpp"
#include "runtime/guard/signal_trap.hpp"
#include "runtime/loop/call_watch.hpp"

namespace capstan::runtime::guard {

// Whether an event loop still runs what is posted to it.

/// Counts the time that passed between `beat`s while a posted function did not run. A process that
/// was stopped, as by a debugger, is not late: no beat counts for more than two periods. [any
/// thread]
class LoopPulse {
public:
    /// Borrowed until `unwatch`.
    void watch(boost::asio::io_context& io);
    void unwatch();
    /// `passed` since the last beat, which was due after `period`. For how long the loop has not
    /// answered; zero: it has, or none is watched.
    Duration beat(Duration passed, Duration period);

private:
    std::mutex mutex_;
    boost::asio::io_context* io_ = nullptr;
    std::shared_ptr<std::atomic<bool>> has_answered_;  ///< NULL: none is asked
    Duration silent_for_{};
};

/// One per process, made before its first thread. Its thread waits for nothing but signals and
/// time, so what it is given to call must not block. Times are the machine's. [any thread]
class Guard {
public:
    struct Options {
        /// From the first signal to the end of the process; a pod has 30 s.
        Duration stop_deadline = std::chrono::seconds(25);
        /// Between two rounds of checks.
        Duration period = std::chrono::seconds(1);
        /// Calls that have lasted so long are named where the process ends.
        Duration hang_after = std::chrono::seconds(1);
        /// Ends the process; NULL: std::_Exit. For tests.
        std::function<void(int code, const std::string& why)> end{};
        bool takes_signals = true;  ///< otherwise they are left as they are; for tests
    };
    using Check = std::function<std::optional<std::string>()>;
    using OnSignal = std::function<void(int signal)>;

    explicit Guard(Options options);
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    /// Signals are as they were before.
    ~Guard();

    /// Asked about once a second on the guard's thread. A sentence: this process must end and start
    /// anew; it is written to standard error and the process ends with `exit_held_up`. What a check
    /// uses it keeps alive.
    void add_check(Check check);
    /// Told of each signal on the guard's thread, and calls nothing of the guard; NULL, as in the
    /// beginning: a signal ends the process as if there were no guard. The second stop signal
    /// (TERM, INT, QUIT), and `stop_deadline` after the first one, end the process here, with a
    /// sentence that names what hangs; so nothing is told of them.
    void on_signal(OnSignal on_signal);
    /// The loop has to answer from now on; one that has not for `stuck_after` ends the process.
    /// Less than the Lease lasts. Borrowed until `unwatch_loop`.
    void watch_loop(boost::asio::io_context& io, Duration stuck_after);
    void unwatch_loop();
    /// Says which of these calls are stuck, and names them where the process ends here.
    void watch_calls(std::shared_ptr<const loop::CallWatches> calls);
    void set_log(std::shared_ptr<services::Logger> log) { voice_->set_log(std::move(log)); }
    /// Told of the reason right before the guard ends the process, on its thread; must not block.
    void on_end(std::function<void(std::string_view why)> on_end);
    /// What the process is about, named when it does not stop in time: "waits for the pass under
    /// way".
    void set_stage(std::string stage);
    /// Whether a stop signal has come.
    bool is_stopping() const;

private:
    void serve();
    void take(int signal);
    /// What hangs or is wrong, once a period; `silent_for`: the loop has not answered for so long.
    void look(Duration silent_for);
    void look_at_loop(Duration silent_for);
    void look_at_calls();
    void look_at_checks();
    void look_at_stop();
    void look_at_files();
    void end(int code, const std::string& why);
    /// All that is known to hang, as part of a sentence; empty: nothing.
    std::string hangs() const;

    const Options options_;
    std::optional<SignalTrap> signals_;
    std::optional<GuardVoice> voice_;
    LoopPulse pulse_;
    // The guard's thread alone.
    HeldCallLog held_log_;
    Duration silence_told_{};
    bool has_ended_ = false;
    struct stat canary_file_{};
    const int canary_;  ///< a low descriptor, which only foreign code closes

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

}  // namespace capstan::runtime::guard
