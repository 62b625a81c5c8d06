/// The clock of passes, the time that phases of a pass take, and the currency of its prices.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <capstan/time.hpp>

#include "engine/pass_phases.hpp"
#include "engine/pass_time.hpp"
#include "engine/policies.hpp"
#include "engine/snapshot.hpp"
#include "io/clock.hpp"

namespace capstan::autoscaler {

/// Reads the monotonic and the wall clock together. [one thread]
class PassClock {
public:
    explicit PassClock(std::shared_ptr<const io::Clock> clock) : clock_(std::move(clock)) {}

    /// Two clocks cannot be read at the same instant, and the time between the two reads would make
    /// ages differ a little from pass to pass. So the difference of the clocks is kept until a
    /// measured one deviates from it by more than `step_min`: then the wall clock was set.
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

/// In real time, from its construction on.
class RealTimeLimit final : public engine::TimeLimit {
public:
    explicit RealTimeLimit(Duration length) : end_(std::chrono::steady_clock::now() + length) {}
    bool is_reached() override { return std::chrono::steady_clock::now() >= end_; }

private:
    const std::chrono::steady_clock::time_point end_;
};

// How long the phases of a pass took.

/// In real time. A phase that did not occur is missing.
using PassPhaseTimes = std::map<engine::PassPhase, Duration>;

/// The time of a phase that occurs several times is the sum.
class PassPhaseTimer final : public engine::PassPhaseObserver {
public:
    void begin(engine::PassPhase part) override;
    void end(engine::PassPhase part) override;
    const PassPhaseTimes& times() const noexcept { return times_; }

private:
    PassPhaseTimes times_{};
    std::map<engine::PassPhase, std::chrono::steady_clock::time_point> begun_{};
};

// The one currency of a pass: prices of several clouds are compared as bare numbers.

class PassCurrency {
public:
    PassCurrency() = default;
    /// The currency of the first group, by id, that has a price; otherwise of the first offering of
    /// a machine type that has one.
    explicit PassCurrency(const engine::Snapshot& snapshot);

    /// Whether a price in `currency` can be compared with the others. If no price was found at the
    /// construction, the first call decides the currency.
    bool takes(const std::string& currency);
    /// The note about a price that cannot be compared: "price in EUR ignored: prices are compared
    /// in USD".
    std::string refusal(const std::string& currency) const;
    /// The list without the prices of offerings in other currencies; the same list if there are
    /// none. Adds a note for each cloud that has such offerings.
    std::shared_ptr<const std::vector<engine::CloudMachines>> filter(
        const std::shared_ptr<const std::vector<engine::CloudMachines>>& machines,
        std::vector<std::string>& notes);

private:
    std::string code_{};  ///< empty: no price has been seen
};

}  // namespace capstan::autoscaler
