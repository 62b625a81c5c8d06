/// The two times of a pass.
#pragma once

#include <capstan/time.hpp>

namespace capstan::engine {

/// `now` goes on evenly whatever the machine's clock is set to. It is for what this process has
/// measured, and so for every moment in Memory. `wall` is what the machine's clock shows. It is for
/// what others wrote and read: when pods and nodes were created, deletions, conditions, taints.
struct PassTime {
    Time now{};
    Time wall{};

    constexpr PassTime() = default;
    /// Of a clock that nothing has set: both are the same.
    constexpr PassTime(Time both) noexcept  // NOLINT(google-explicit-constructor)
        : now(both), wall(both) {}
    constexpr PassTime(Time the_now, Time the_wall) noexcept : now(the_now), wall(the_wall) {}

    /// A moment that others wrote, on the clock of `now`: as long before `now` as it is before
    /// `wall`. What is due so and so long after it is due at the same time after this.
    constexpr Time measured(Time written) const noexcept { return shifted(written, now - wall); }
    /// A moment on the clock of `now`, as others are to read it.
    constexpr Time written(Time measured) const noexcept { return shifted(measured, wall - now); }

    bool operator==(const PassTime&) const = default;

private:
    /// "Never" stays what it is.
    static constexpr Time shifted(Time time, Duration by) noexcept {
        if (time == Time::max() || (by > Duration(0) && time > Time::max() - by))
            return Time::max();
        return by < Duration(0) && time < Time::min() - by ? Time::min() : time + by;
    }
};

}  // namespace capstan::engine
