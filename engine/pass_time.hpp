/// The two times of a pass.
#pragma once

#include <capstan/time.hpp>

namespace capstan::engine {

/// `now` is a steady clock: changes of the machine's clock do not move it. It is for what this
/// process has measured, and so for every moment in Memory. `wall` is what the machine's clock
/// shows. It is for times that other programs write and read: creation of pods and nodes,
/// deletions, conditions, taints.
struct PassTime {
    Time now{};
    Time wall{};

    constexpr PassTime() = default;
    /// Both clocks show the same.
    constexpr PassTime(Time both) noexcept  // NOLINT(google-explicit-constructor)
        : now(both), wall(both) {}
    constexpr PassTime(Time the_now, Time the_wall) noexcept : now(the_now), wall(the_wall) {}

    /// Converts a moment of the wall clock, written by another program, to the clock of `now`: the
    /// result is as long before `now` as `written` is before `wall`.
    constexpr Time measured(Time written) const noexcept { return shifted(written, now - wall); }
    /// Converts a moment on the clock of `now` to the wall clock, for other programs to read.
    constexpr Time written(Time measured) const noexcept { return shifted(measured, wall - now); }

    bool operator==(const PassTime&) const = default;

private:
    /// Saturates: Time::max(), which means never, stays as it is.
    static constexpr Time shifted(Time time, Duration by) noexcept {
        if (time == Time::max() || (by > Duration(0) && time > Time::max() - by))
            return Time::max();
        return by < Duration(0) && time < Time::min() - by ? Time::min() : time + by;
    }
};

}  // namespace capstan::engine
