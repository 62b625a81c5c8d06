#include "plugin_runtime/instances/hook_gate.hpp"

#include <algorithm>
#include <utility>

#include <capstan/assert.hpp>

namespace capstan::plugin_runtime::instances {

std::optional<Time> HookBackoffs::overran(loop::Hook hook, Duration now, Time wall) {
    const std::lock_guard lock(mutex_);
    State& state = states_[loop::index_of(hook)];
    ++state.not_returned;
    ++not_returned_;
    state.in_time_since.reset();
    state.overruns.push_back(now);
    if (state.overruns.size() > overruns_before_backoff) state.overruns.pop_front();
    const bool are_many = state.overruns.size() == overruns_before_backoff &&
                          now - state.overruns.front() <= overrun_window;
    // After a back-off one more overrun is enough: it shows that the back-off was too short.
    if (!are_many && state.backoff == Duration::zero()) return std::nullopt;
    state.backoff = std::clamp(2 * state.backoff, backoff_min, backoff_max);
    state.backoff_until = now + state.backoff;
    state.backoff_until_wall = wall + state.backoff;
    return state.backoff_until_wall;
}

void HookBackoffs::returned(loop::Hook hook) {
    const std::lock_guard lock(mutex_);
    int& of_hook = states_[loop::index_of(hook)].not_returned;
    CAPSTAN_ASSERT(of_hook > 0 && not_returned_ > 0, "a call returns that has not overrun");
    --of_hook;
    --not_returned_;
}

void HookBackoffs::ended_in_time(loop::Hook hook, Duration now) {
    const std::lock_guard lock(mutex_);
    State& state = states_[loop::index_of(hook)];
    if (state.backoff == Duration::zero()) return;
    if (!state.in_time_since) state.in_time_since = now;
    if (now - *state.in_time_since < overrun_window) return;
    state.backoff = Duration::zero();
    state.overruns.clear();
}

std::optional<HookBackoffs::Skip> HookBackoffs::find(loop::Hook hook, Duration now) const {
    const std::lock_guard lock(mutex_);
    const State& state = states_[loop::index_of(hook)];
    if (state.not_returned > 0) return Skip{.not_returned = hook};
    if (takes_one_call_ && not_returned_ > 0) {
        const auto inside = std::ranges::find_if(
            states_, [](const State& other) { return other.not_returned > 0; });
        return Skip{.not_returned = static_cast<loop::Hook>(inside - states_.begin())};
    }
    if (state.backoff > Duration::zero() && now < state.backoff_until)
        return Skip{.backoff_until = state.backoff_until_wall};
    return std::nullopt;
}

int HookBackoffs::not_returned() const {
    const std::lock_guard lock(mutex_);
    return not_returned_;
}

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
        CAPSTAN_ASSERT(inside_ > 0, "a hook is left that was not entered");
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

}  // namespace capstan::plugin_runtime::instances
