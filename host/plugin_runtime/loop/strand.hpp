/// The strand of one instance: runs functions one after the other, on a thread of its own or on the
/// thread that runs the loop.
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

#include "plugin_runtime/loop/blocking_pool.hpp"
#include "plugin_runtime/loop/call_watch.hpp"

namespace capstan::plugin_runtime::loop {

/// Unlike boost::asio::strand it knows how long its current call into the plugin has lasted, and it
/// may outlive the io_context: a hook that never returns keeps its instance and this strand until
/// the process ends. [any thread]
class Strand : public std::enable_shared_from_this<Strand> {
public:
    using Function = std::function<void()>;
    /// `report` is called on the strand after a function that spent more than `limit` of real time
    /// inside the plugin, see PluginTime.
    struct Watchdog {
        Duration limit = std::chrono::milliseconds(50);
        std::function<void(Duration took)> report;
    };

    struct Options {
        Watchdog watchdog{};
        /// The watch of calls into the plugin. NULL: a watch of its own.
        std::shared_ptr<CallWatch> calls{};
        /// For real time: the strand has a thread of its own, so that a plugin that does not return
        /// blocks nothing but itself. The thread starts with the first function. If no thread can
        /// be created, functions run on the loop's thread.
        bool has_thread = false;
    };

    /// Borrows `io`, which only the functions that post use.
    Strand(boost::asio::io_context& io, Options options);

    /// Runs `function` after all functions posted before, never inside this call. It is dropped if
    /// the io_context is destroyed first.
    void post(Function function);
    /// As `post`, but inside this call if the caller is on the strand already.
    void dispatch(Function function);
    /// Runs the host's part of a call, such as the handling of a result, on the loop's thread,
    /// because it uses data of that thread. If the strand has no thread of its own, `function` runs
    /// on the strand, so that everything has one order.
    void post_to_host(Function function);
    /// As `post_to_host`, but inside this call if the strand has no thread of its own.
    void dispatch_to_host(Function function);
    bool has_thread() const noexcept { return has_thread_; }
    CallWatch& calls() const noexcept { return *calls_; }
    /// The call that has kept the strand's thread for CallWatch::Options::stuck_after. Until it
    /// returns, posted functions wait, so the instance gets no other call. Absent: there is no such
    /// call, or the strand has no thread of its own; time may be virtual then.
    std::optional<HeldCall> stuck() const;
    /// Drops queued functions and functions posted later. The io_context is not used any more.
    void close();
    /// Whether the calling thread is inside a function of this strand.
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

}  // namespace capstan::plugin_runtime::loop
