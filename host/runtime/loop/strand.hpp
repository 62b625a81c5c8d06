/// The strand of one instance: functions one after the other, on a thread of its own or on whatever
/// thread runs the loop.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include <boost/asio/io_context.hpp>

#include <capstan/time.hpp>

#include "runtime/loop/blocking_pool.hpp"
#include "runtime/loop/call_watch.hpp"

namespace capstan::runtime::loop {

/// Unlike boost::asio::strand it knows how long its current function has been running, and it may
/// outlive the io_context: a hook that never returned keeps its instance, and with it this, until
/// the process ends. [any thread]
class Strand : public std::enable_shared_from_this<Strand> {
public:
    using Function = std::function<void()>;
    /// Told, on the strand, of a function that spent more than `limit` of real time inside the
    /// plugin, see PluginTime.
    struct Watchdog {
        Duration limit = std::chrono::milliseconds(50);
        std::function<void(Duration took)> report;
    };

    struct Options {
        Watchdog watchdog{};
        /// Told of each call into the plugin. NULL: one of its own.
        std::shared_ptr<CallWatch> calls{};
        /// In real time: a plugin that does not return holds up nothing but itself. The thread
        /// starts with the first function; where the system gives none, the loop's takes its place.
        bool has_thread = false;
    };

    /// Borrows `io`, which the posting functions alone use.
    Strand(boost::asio::io_context& io, Options options);

    /// Runs `function` after everything posted before, never inside this call. Dropped unrun if the
    /// io_context is destroyed first.
    void post(Function function);
    /// The same, but inside this call where that is on the strand already.
    void dispatch(Function function);
    /// The host's side of a call: what touches what the loop's thread owns, such as what becomes of
    /// an answer. Runs on the loop's thread; on the strand where that is on the loop itself, so
    /// that the order of all that happens is one.
    void post_to_host(Function function);
    /// The same, but inside this call where the strand is on the loop.
    void dispatch_to_host(Function function);
    bool has_thread() const noexcept { return has_thread_; }
    CallWatch& calls() const noexcept { return *calls_; }
    /// The call that keeps its thread for longer than a call may; until it returns, whatever is
    /// posted waits, so the instance is not asked. Nothing: there is none, or the strand is on the
    /// loop, where time may be virtual.
    std::optional<HeldCall> stuck() const;
    /// Drops what is queued and everything posted later; the io_context is not used any more.
    void close();
    /// Whether the calling thread is inside one of its functions.
    bool is_here() const noexcept { return runner_.load() == std::this_thread::get_id(); }

private:
    class Turn;
    void schedule();
    void take_turns();
    void run(const Function& function);
    void drop_all(bool close);

    boost::asio::io_context& io_;
    const Watchdog watchdog_;
    const std::shared_ptr<CallWatch> calls_;
    const bool has_thread_;
    std::mutex mutex_;
    std::deque<Function> queue_;
    bool scheduled_ = false;
    bool closed_ = false;
    std::atomic<std::thread::id> runner_{};
    BlockingPool thread_{{.threads = 1, .queue = 1}};  ///< starts when needed
};

}  // namespace capstan::runtime::loop
