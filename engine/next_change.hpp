/// Questions about elapsed time, and the moment at which one of their answers changes.
///
/// A pass has to run again when something changes, and an answer may change by time alone. So each
/// question also records when its answer will change, and the host wakes at the first such moment.
#pragma once

#include <optional>

#include <capstan/time.hpp>

#include "engine/pass_time.hpp"

namespace capstan::engine {

/// `since` + `length`; absent: a Time cannot hold the sum.
std::optional<Time> end_of(Time since, Duration length) noexcept;
/// `since` + `length`, or Time::max() if a Time cannot hold the sum: a setting or an annotation may
/// be that long.
Time later(Time since, Duration length) noexcept;

/// Sets `wake_at` to `time` unless `wake_at` is earlier already.
inline void wake_by(std::optional<Time>& wake_at, Time time) {
    if (!wake_at || time < *wake_at) wake_at = time;
}

/// Answers questions about elapsed time, and keeps the first moment at which any of the answers
/// given changes. All moments are on the clock of PassTime::now.
class NextChange {
public:
    explicit NextChange(const PassTime& time) noexcept : time_(time), now_(time.now) {}
    Time now() const noexcept { return now_; }
    const PassTime& time() const noexcept { return time_; }

    /// Whether `since` is less than `length` ago.
    bool is_younger(Time since, Duration length) noexcept;
    /// Whether `since` is at most `length` ago.
    bool is_within(Time since, Duration length) noexcept;
    /// Whether `now` is at most `end`.
    bool is_before_end(Time end) noexcept;

    /// The first moment at which an answer changes; absent: time alone changes none.
    std::optional<Time> at() const noexcept { return at_; }

private:
    void note(Time moment) noexcept;

    PassTime time_;
    Time now_;
    std::optional<Time> at_{};
};

}  // namespace capstan::engine
