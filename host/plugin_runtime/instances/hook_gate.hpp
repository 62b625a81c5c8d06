/// Which decision hooks of an instance passes skip, and how many calls may be inside its hooks.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>

#include <capstan/time.hpp>

#include "plugin_runtime/loop/breadcrumbs.hpp"

namespace capstan::plugin_runtime::instances {

/// A call that overruns its deadline cannot be interrupted: its thread is abandoned, and the pass
/// goes on without the hook. Until that call has returned, the hook is not called again, and a
/// serial instance gets no call of any decision hook. So abandoned threads do not pile up. A hook
/// that overran three times within ten minutes is also backed off for a minute; each further
/// overrun doubles the back-off, up to 32 minutes. When all calls have ended in time for ten
/// minutes after a back-off, the counting begins anew.
///
/// The caller passes the time, on any monotonic clock. [any thread]
class HookBackoffs {
public:
    static constexpr int overruns_before_backoff = 3;
    static constexpr Duration overrun_window = std::chrono::minutes(10);
    static constexpr Duration backoff_min = std::chrono::minutes(1);
    static constexpr Duration backoff_max = std::chrono::minutes(32);

    /// `takes_one_call`: the instance is serial.
    explicit HookBackoffs(bool takes_one_call) : takes_one_call_(takes_one_call) {}
    HookBackoffs(const HookBackoffs&) = delete;
    HookBackoffs& operator=(const HookBackoffs&) = delete;

    /// A call of the hook has been abandoned. `wall` is the time on the wall clock. Returns the end
    /// of the back-off, on the wall clock. Absent: there is no back-off, and the hook is called
    /// again once that call has returned.
    std::optional<Time> overran(loop::Hook hook, Duration now, Time wall);
    /// The abandoned call has returned.
    void returned(loop::Hook hook);
    /// A call has ended in time.
    void ended_in_time(loop::Hook hook, Duration now);

    struct Skip {
        /// The hook with the call that has not returned, this one or another one. Absent: the hook
        /// is backed off.
        std::optional<loop::Hook> not_returned{};
        Time backoff_until{};  ///< as `overran` gave it
    };
    /// Why the hook is skipped at `now`. Absent: it may be called.
    std::optional<Skip> find(loop::Hook hook, Duration now) const;
    /// How many abandoned calls have not returned.
    int not_returned() const;

private:
    struct State {
        int not_returned = 0;
        std::deque<Duration> overruns{};  ///< the last overruns, the oldest first
        Duration backoff{0};              ///< the last back-off; 0: none since it began anew
        Duration backoff_until{0};
        Time backoff_until_wall{};
        std::optional<Duration> in_time_since{};  ///< after the last back-off
    };
    const bool takes_one_call_;
    mutable std::mutex mutex_;
    std::array<State, loop::hook_count> states_{};
    int not_returned_ = 0;
};

/// Admits calls into an instance's hooks: one at a time or several, and none once it is closed.
/// [any thread]
class HookGate {
public:
    enum class Entry { entered, closed, timed_out };
    using Deadline = std::chrono::steady_clock::time_point;

    /// Waits until the call may enter: with `alone` when no call is inside, otherwise when no call
    /// is inside that entered alone.
    Entry enter(bool alone, Deadline deadline);
    /// Enters alone if no call is inside; false: it has not entered.
    bool try_enter_alone();
    void leave();
    /// Admits no call any more. `when_empty` is called once all calls have left: inside this call,
    /// or on the thread of the last one.
    void close(std::function<void()> when_empty);
    std::size_t inside() const;

private:
    bool is_free_for(bool alone) const { return inside_ == 0 || (!alone && !alone_); }

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t inside_ = 0;
    bool alone_ = false;
    bool closed_ = false;
    std::function<void()> when_empty_;
};

}  // namespace capstan::plugin_runtime::instances
