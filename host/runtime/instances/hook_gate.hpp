/// Which decision hooks of an instance are left out of passes, and why.
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

#include "runtime/loop/breadcrumbs.hpp"

namespace capstan::runtime::instances {

/// A call that overruns its deadline cannot be interrupted: its thread is abandoned, and the pass
/// goes on without the hook. Until that thread has returned the hook is not called again, and of an
/// instance that takes one call at a time no decision hook is: so abandoned threads do not pile up.
/// A hook that overran three times within ten minutes also rests, for a minute; each further
/// overrun doubles the rest, up to 32 minutes. Calls that end in time for ten minutes after a rest
/// make it begin anew.
///
/// Told the time, a point of any clock that goes on evenly. [any thread]
class HookRests {
public:
    static constexpr int overruns_before_rest = 3;
    static constexpr Duration overrun_window = std::chrono::minutes(10);
    static constexpr Duration rest_min = std::chrono::minutes(1);
    static constexpr Duration rest_max = std::chrono::minutes(32);

    /// `takes_one_call`: the instance is serial.
    explicit HookRests(bool takes_one_call) : takes_one_call_(takes_one_call) {}
    HookRests(const HookRests&) = delete;
    HookRests& operator=(const HookRests&) = delete;

    /// A call of the hook has been abandoned; `wall` is what the machine's clock shows. Until when
    /// the hook rests, on that clock; nothing: it is called again once that call has returned.
    std::optional<Time> overran(loop::Hook hook, Duration now, Time wall);
    /// The abandoned call has returned.
    void returned(loop::Hook hook);
    /// A call has ended in time.
    void ended_in_time(loop::Hook hook, Duration now);

    struct LeftOut {
        /// The call that has not returned, of this hook or of another one; nothing: it rests.
        std::optional<loop::Hook> not_returned{};
        Time rests_until{};  ///< as `overran` gave it
    };
    /// Nothing: it is called.
    std::optional<LeftOut> find(loop::Hook hook, Duration now) const;
    /// How many abandoned calls have not returned.
    int not_returned() const;

private:
    struct State {
        int not_returned = 0;
        std::deque<Duration> overruns{};  ///< the last ones, the oldest first
        Duration rest{0};                 ///< the last one; 0: it began anew
        Duration rests_until{0};
        Time rests_until_wall{};
        std::optional<Duration> in_time_since{};  ///< after the last rest
    };
    const bool takes_one_call_;
    mutable std::mutex mutex_;
    std::array<State, loop::hook_count> states_{};
    int not_returned_ = 0;
};

// The calls inside an instance's hooks: one at a time or several, and none once it is closed.

/// [any thread]
class HookGate {
public:
    enum class Entry { entered, closed, timed_out };
    using Deadline = std::chrono::steady_clock::time_point;

    /// Enters alone, or beside calls that did not enter alone; waits for that until `deadline`.
    Entry enter(bool alone, Deadline deadline);
    /// Enters alone if no call is inside.
    bool try_enter_alone();
    void leave();
    /// Lets no call in any more and calls `when_empty` once all have left: at once, or on the
    /// thread of the last.
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

}  // namespace capstan::runtime::instances
