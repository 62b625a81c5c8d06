/// Both times of a pass, read together.
#pragma once

#include <chrono>
#include <memory>
#include <utility>

#include "engine/pass_time.hpp"
#include "io/clock.hpp"

namespace capstan::runtime {

/// One thread.
class PassClock {
public:
    explicit PassClock(std::shared_ptr<const io::Clock> clock) : clock_(std::move(clock)) {}

    /// Two clocks cannot be read at the same instant, and ages that differ by what lies between
    /// would make every pass a little different. So the wall clock counts as going on evenly until
    /// it is off by more than `step_min`: then it was set.
    engine::PassTime read() {
        const Time now = clock_->now();
        const Duration ahead = clock_->wall() - now;
        if (std::chrono::abs(ahead - ahead_) > step_min) ahead_ = ahead;
        return {now, now + ahead_};
    }

private:
    static constexpr Duration step_min = std::chrono::milliseconds(100);
    const std::shared_ptr<const io::Clock> clock_;
    Duration ahead_{0};
};

}  // namespace capstan::runtime
