/// Questions about how long ago something was, and when their answers change.
#pragma once

#include <optional>

#include <capstan/time.hpp>

namespace capstan::engine {

/// The last moment of `length` that began at `since`; nothing: time itself does not last that long.
std::optional<Time> end_of(Time since, Duration length) noexcept;
/// The same; the last moment of time itself where that does not last so long: a setting or an
/// annotation may be far longer than a Time can hold.
Time later(Time since, Duration length) noexcept;

/// Keeps the first moment at which any answer it gave is another one.
class Alarm {
public:
    explicit Alarm(Time now) noexcept : now_(now) {}
    Time now() const noexcept { return now_; }

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

    Time now_;
    std::optional<Time> at_{};
};

}  // namespace capstan::engine
