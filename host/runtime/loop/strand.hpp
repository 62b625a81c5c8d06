/// The strand of one instance: functions one after the other, on whatever thread runs the loop.
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

namespace capstan::runtime {

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

    /// Borrows `io`, which is used by `post` only.
    Strand(boost::asio::io_context& io, Watchdog watchdog)
        : io_(io), watchdog_(std::move(watchdog)) {}

    /// Runs `function` after everything posted before, never inside this call. Dropped unrun if the
    /// io_context is destroyed first.
    void post(Function function);
    /// Drops what is queued and everything posted later; the io_context is not used any more.
    void close();
    /// Whether the calling thread is inside one of its functions.
    bool is_here() const noexcept { return runner_.load() == std::this_thread::get_id(); }
    /// How long the function under way has been running, for a health check; nothing: none is.
    std::optional<Duration> busy_for() const;

private:
    class Turn;
    void schedule();
    void take_turns();
    void run(const Function& function);
    void drop_all(bool close);

    boost::asio::io_context& io_;
    Watchdog watchdog_;
    std::mutex mutex_;
    std::deque<Function> queue_;
    bool scheduled_ = false;
    bool closed_ = false;
    std::atomic<std::thread::id> runner_{};
    std::atomic<Duration::rep> busy_since_{0};
};

}  // namespace capstan::runtime
