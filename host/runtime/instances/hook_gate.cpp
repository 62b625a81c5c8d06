#include "runtime/instances/hook_gate.hpp"

#include <utility>

namespace capstan::runtime {

HookGate::Entry HookGate::enter(bool alone, Deadline deadline) {
    std::unique_lock lock(mutex_);
    const bool in_time =
        changed_.wait_until(lock, deadline, [&] { return closed_ || is_free_for(alone); });
    if (closed_) return Entry::closed;
    if (!in_time) return Entry::timed_out;
    ++inside_;
    alone_ = alone;
    return Entry::entered;
}

bool HookGate::try_enter_alone() {
    const std::lock_guard lock(mutex_);
    if (closed_ || inside_ > 0) return false;
    ++inside_;
    alone_ = true;
    return true;
}

void HookGate::leave() {
    std::function<void()> when_empty;
    {
        const std::lock_guard lock(mutex_);
        alone_ = false;
        if (--inside_ == 0) when_empty = std::exchange(when_empty_, nullptr);
    }
    changed_.notify_all();
    if (when_empty) when_empty();
}

void HookGate::close(std::function<void()> when_empty) {
    {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        if (inside_ > 0) {
            when_empty_ = std::exchange(when_empty, nullptr);
        }
    }
    changed_.notify_all();
    if (when_empty) when_empty();
}

std::size_t HookGate::inside() const {
    const std::lock_guard lock(mutex_);
    return inside_;
}

}  // namespace capstan::runtime
