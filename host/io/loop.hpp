/// The event loop as the runtime's parts see it: somewhere to post, and timers on the clock they
/// were given.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <capstan/time.hpp>

#include "io/clock.hpp"

namespace capstan::io {

// What is to happen when: the order of timers, without a clock of its own.

using TimerId = std::uint64_t;

/// Timers by due time, those of one time in the order they were added: the same calls give the same
/// order. Points of time are a Clock's monotonic ones. [any thread]
class TimerQueue {
public:
    using Handler = std::function<void()>;

    /// Ids are never used twice and never 0.
    TimerId add(Duration due, Handler handler);
    /// False: it was taken before, or never was.
    bool cancel(TimerId id);
    std::optional<Duration> next_due() const;
    /// Removes everything due at `now` or before, and hands it over in order.
    std::vector<Handler> take_due(Duration now);
    std::size_t size() const;

private:
    mutable std::mutex mutex_;
    TimerId last_id_ = 0;
    std::map<std::pair<Duration, TimerId>, Handler> by_due_;
    std::unordered_map<TimerId, Duration> due_of_;
};

/// Timers fire on a thread that runs the io_context. [any thread]
class Loop {
public:
    /// Borrows `io`; follows the machine's clock.
    explicit Loop(boost::asio::io_context& io);
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;
    virtual ~Loop();

    boost::asio::io_context& io() const noexcept { return io_; }
    const std::shared_ptr<const Clock>& clock() const noexcept { return clock_; }
    Duration monotonic() const { return clock_->monotonic(); }

    /// `handler` at a point of the clock's monotonic time; at once, but never inside this call,
    /// when that has passed.
    TimerId at(Duration due, TimerQueue::Handler handler);
    TimerId after(Duration delay, TimerQueue::Handler handler);
    /// False: it has fired, or is about to.
    bool cancel(TimerId id);

    /// Held while a result is under way on another thread: a simulation does not move its clock
    /// meanwhile.
    class Outside {
    public:
        explicit Outside(Loop& loop) : count_(&loop.outside_), guard_(loop.io_.get_executor()) {
            ++*count_;
        }
        Outside(const Outside&) = delete;
        Outside& operator=(const Outside&) = delete;
        ~Outside() { --*count_; }

    private:
        std::atomic<int>* count_;
        boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_;
    };

protected:
    struct ClockAlarm;
    Loop(boost::asio::io_context& io, std::shared_ptr<const Clock> clock);

    boost::asio::io_context& io_;
    std::shared_ptr<const Clock> clock_;
    std::shared_ptr<TimerQueue> timers_ = std::make_shared<TimerQueue>();
    std::atomic<int> outside_{0};

private:
    std::shared_ptr<ClockAlarm> alarm_;  ///< NULL: the clock is moved from outside
};

/// A loop whose time passes only when told. One thread.
class ManualLoop final : public Loop {
public:
    ManualLoop(boost::asio::io_context& io, std::shared_ptr<ManualClock> clock);

    /// Moves the clock by `by`, from timer to timer: each fires at its own time, in order, and
    /// everything that follows from it has been run before the next one.
    void advance(Duration by);
    /// Sets the wall clock forward, or back where `by` is negative; nothing else moves.
    void step_wall(Duration by) noexcept { manual_->step_wall(by); }
    /// Runs what is ready without moving the clock; waits for results that are under way on other
    /// threads.
    void settle();
    /// When the next timer is due; nothing: none is set.
    std::optional<Duration> next_due() const { return timers_->next_due(); }

private:
    std::shared_ptr<ManualClock> manual_;
};

}  // namespace capstan::io
