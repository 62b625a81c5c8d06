#include "io/timer_queue.hpp"

namespace capstan::io {

TimerId TimerQueue::add(Duration due, Handler handler) {
    const std::lock_guard lock(mutex_);
    const TimerId id = ++last_id_;
    by_due_.emplace(std::pair(due, id), std::move(handler));
    due_of_.emplace(id, due);
    return id;
}

bool TimerQueue::cancel(TimerId id) {
    Handler dropped;  // what it holds is freed after the lock, for that may come back here
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
