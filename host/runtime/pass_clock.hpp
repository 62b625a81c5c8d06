/// Both times of a pass, read together.
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
#include "engine/snapshot.hpp"
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

// How long the parts of a pass took.

/// In real time, for those parts that there were.
using PassPhaseTimes = std::map<engine::PassPhase, Duration>;

/// A part that there are several of counts with all of them.
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
    /// That of the first group, by id, that tells its price; else of the first offer of a machine
    /// type that has one.
    explicit PassCurrency(const engine::Snapshot& snapshot);

    /// Whether a price in `currency` can be compared with the others. Where nothing has decided,
    /// the first one that is asked about does.
    bool takes(const std::string& currency);
    /// What to tell of one that cannot: "the price is in EUR, prices are compared in USD; it is
    /// left out".
    std::string refusal(const std::string& currency) const;
    /// The list without prices of offers in other currencies; the same one where it has none. Adds
    /// a sentence for each cloud that has some.
    std::shared_ptr<const std::vector<engine::CloudMachines>> filter(
        const std::shared_ptr<const std::vector<engine::CloudMachines>>& machines,
        std::vector<std::string>& notes);

private:
    std::string code_{};  ///< empty: no price has been seen
};

}  // namespace capstan::runtime
