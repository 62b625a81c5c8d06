#include "io/loop.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

namespace capstan::io {

/// Waits with an Asio timer for the first timer of the queue. The waits share it, because they may
/// outlive the loop.
struct Loop::ClockAlarm : std::enable_shared_from_this<ClockAlarm> {
    ClockAlarm(boost::asio::io_context& io, std::shared_ptr<TimerQueue> queue)
        : timers(std::move(queue)), timer(io) {}

    /// Begins a wait for the first timer, unless one is under way that ends early enough.
    void set() {
        const std::lock_guard lock(mutex);
        const std::optional<Duration> due = timers->next_due();
        if (!due || closed || (waiting_for && *waiting_for <= *due)) return;
        waiting_for = due;
        timer.expires_at(std::chrono::steady_clock::time_point(*due));
        timer.async_wait([self = weak_from_this()](boost::system::error_code error) {
            if (const auto alarm = self.lock(); alarm && !error) alarm->ring();
        });
    }
    void ring() {
        {
            const std::lock_guard lock(mutex);
            if (closed) return;
            waiting_for.reset();
        }
        for (const auto& handler : timers->take_due(SystemClock().monotonic())) handler();
        set();
    }
    void close() {
        const std::lock_guard lock(mutex);
        closed = true;
        timer.cancel();
    }

    std::shared_ptr<TimerQueue> timers;
    std::mutex mutex;  ///< guards the members below; an Asio timer is not thread-safe
    boost::asio::steady_timer timer;
    std::optional<Duration> waiting_for;
    bool closed = false;
};

Loop::Loop(boost::asio::io_context& io) : Loop(io, std::make_shared<SystemClock>()) {
    alarm_ = std::make_shared<ClockAlarm>(io, timers_);
}

Loop::Loop(boost::asio::io_context& io, std::shared_ptr<const Clock> clock)
    : io_(io), clock_(std::move(clock)) {}

Loop::~Loop() {
    if (alarm_) alarm_->close();
}

TimerId Loop::at(Duration due, TimerQueue::Handler handler) {
    const TimerId id = timers_->add(due, std::move(handler));
    if (alarm_) alarm_->set();
    return id;
}

TimerId Loop::after(Duration delay, TimerQueue::Handler handler) {
    // A plugin may ask for a delay of centuries, and the sum must not overflow.
    const Duration now = monotonic();
    return at(now + std::clamp(delay, Duration::zero(), Duration::max() - now), std::move(handler));
}

bool Loop::cancel(TimerId id) { return timers_->cancel(id); }

ManualLoop::ManualLoop(boost::asio::io_context& io, std::shared_ptr<ManualClock> clock)
    : Loop(io, clock), manual_(std::move(clock)) {}

void ManualLoop::advance(Duration by) {
    const Duration end = manual_->monotonic() + by;
    settle();
    for (auto due = next_due(); due && *due <= end; due = next_due()) {
        manual_->advance_to(*due);
        for (const auto& handler : timers_->take_due(manual_->monotonic())) handler();
        settle();
    }
    manual_->advance_to(end);
}

void ManualLoop::settle() {
    do {
        io_.restart();
        io_.poll();
        if (external_work_.load() > 0) io_.run_one();
    } while (external_work_.load() > 0);
    io_.restart();
    io_.poll();
}

TimerId TimerQueue::add(Duration due, Handler handler) {
    const std::lock_guard lock(mutex_);
    const TimerId id = ++last_id_;
    by_due_.emplace(std::pair(due, id), std::move(handler));
    due_of_.emplace(id, due);
    return id;
}

bool TimerQueue::cancel(TimerId id) {
    Handler dropped;  // destroyed after the lock, because its captures may call this queue
    const std::lock_guard lock(mutex_);
    const auto at = due_of_.find(id);
    if (at == due_of_.end()) return false;
    const auto timer = by_due_.find(std::pair(at->second, id));
    dropped = std::move(timer->second);
    by_due_.erase(timer);
    due_of_.erase(at);
    return true;
}

std::optional<Duration> TimerQueue::next_due() const {
    const std::lock_guard lock(mutex_);
    if (by_due_.empty()) return std::nullopt;
    return by_due_.begin()->first.first;
}

std::vector<TimerQueue::Handler> TimerQueue::take_due(Duration now) {
    const std::lock_guard lock(mutex_);
    std::vector<Handler> due;
    while (!by_due_.empty() && by_due_.begin()->first.first <= now) {
        const auto first = by_due_.begin();
        due.push_back(std::move(first->second));
        due_of_.erase(first->first.second);
        by_due_.erase(first);
    }
    return due;
}

std::size_t TimerQueue::size() const {
    const std::lock_guard lock(mutex_);
    return by_due_.size();
}

}  // namespace capstan::io
