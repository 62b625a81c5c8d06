/// Questions about how long ago something was, and when their answers change.
#pragma once

#include <optional>

#include <capstan/time.hpp>

#include "engine/pass_time.hpp"

namespace capstan::engine {

/// The last moment of `length` that began at `since`; nothing: time itself does not last that long.
std::optional<Time> end_of(Time since, Duration length) noexcept;
/// The same; the last moment of time itself where that does not last so long: a setting or an
/// annotation may be far longer than a Time can hold.
Time later(Time since, Duration length) noexcept;

inline void wake_by(std::optional<Time>& wake_at, Time time) {
    if (!wake_at || time < *wake_at) wake_at = time;
}

/// Keeps the first moment at which any answer it gave is another one. All moments are on the clock
/// of PassTime::now.
class NextChange {
public:
    explicit NextChange(const PassTime& time) noexcept : time_(time), now_(time.now) {}
    Time now() const noexcept { return now_; }
    const PassTime& time() const noexcept { return time_; }

    /// Less than `length` ago.
    bool is_younger(Time since, Duration length) noexcept;
    /// No longer ago than `length`, its last instant included.
    bool is_within(Time since, Duration length) noexcept;
    /// No later than `end`, that instant included.
    bool is_before_end(Time end) noexcept;

    /// Nothing: time alone changes none.
    std::optional<Time> at() const noexcept { return at_; }

private:
    void note(Time moment) noexcept;

    PassTime time_;
    Time now_;
    std::optional<Time> at_{};
};

}  // namespace capstan::engine
