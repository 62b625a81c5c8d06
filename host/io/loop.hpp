/// The event loop: an io_context, and timers on an injected clock.
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

using TimerId = std::uint64_t;

/// Timers ordered by due time, and by insertion if due times are equal, so that the order is
/// deterministic. It has no clock: times are Clock::monotonic() of the caller's clock. [any thread]
class TimerQueue {
public:
    using Handler = std::function<void()>;

    /// Ids are never used twice and never 0.
    TimerId add(Duration due, Handler handler);
    /// False: the timer was taken already, or does not exist.
    bool cancel(TimerId id);
    std::optional<Duration> next_due() const;
    /// Removes the timers due at `now` or before, and returns their handlers in order.
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
    /// Borrows `io`. Uses the machine's clock.
    explicit Loop(boost::asio::io_context& io);
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;
    virtual ~Loop();

    boost::asio::io_context& io() const noexcept { return io_; }
    const std::shared_ptr<const Clock>& clock() const noexcept { return clock_; }
    Duration monotonic() const { return clock_->monotonic(); }

    /// Calls `handler` at the monotonic time `due`. If that has passed, `handler` is called soon,
    /// never inside this call.
    TimerId at(Duration due, TimerQueue::Handler handler);
    TimerId after(Duration delay, TimerQueue::Handler handler);
    /// False: the timer has fired, or is about to fire.
    bool cancel(TimerId id);

    /// Exists while another thread works on a result for the loop. A simulation does not move its
    /// clock meanwhile.
    class ExternalWork {
    public:
        explicit ExternalWork(Loop& loop)
            : count_(&loop.external_work_), guard_(loop.io_.get_executor()) {
            ++*count_;
        }
        ExternalWork(const ExternalWork&) = delete;
        ExternalWork& operator=(const ExternalWork&) = delete;
        ~ExternalWork() { --*count_; }

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
    std::atomic<int> external_work_{0};

private:
    std::shared_ptr<ClockAlarm> alarm_;  ///< NULL: a ManualClock, moved by ManualLoop
};

/// A loop whose time passes only by advance(). One thread.
class ManualLoop final : public Loop {
public:
    ManualLoop(boost::asio::io_context& io, std::shared_ptr<ManualClock> clock);

    /// Moves the clock by `by`, from timer to timer. Each timer fires at its due time, in order,
    /// and all posted work has been run before the clock moves on.
    void advance(Duration by);
    /// Sets the wall clock forward, or back if `by` is negative; the other clocks do not move.
    void step_wall(Duration by) noexcept { manual_->step_wall(by); }
    /// Runs all posted work without moving the clock, and waits for ExternalWork.
    void settle();
    /// When the next timer is due. Absent: there is no timer.
    std::optional<Duration> next_due() const { return timers_->next_due(); }

private:
    std::shared_ptr<ManualClock> manual_;
};

}  // namespace capstan::io
