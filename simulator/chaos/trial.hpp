/// One seed: a scenario of faults, run and checked.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <capstan/result.hpp>

#include "simulator/chaos/invariant.hpp"
#include "simulator/run.hpp"

namespace capstan::simulator::chaos {

// An observer of a run that asks all invariants after each pass and collects their violations.

struct Violation {
    Duration at{0};           ///< since the start of the run
    std::string invariant{};  ///< Invariant::name()
    std::string text{};
    bool operator==(const Violation&) const = default;
};

/// What a run went through. A batch of clean runs without faults, increases or removals has proved
/// nothing, and these counts show it.
struct Exposure {
    std::int64_t passes = 0, faults = 0, restarts = 0;
    std::int64_t increases = 0, decreases = 0, removals = 0, evictions = 0;
    Exposure& operator+=(const Exposure& other) noexcept;
};

/// The times of a run that invariants use.
struct Watch {
    Time start{};
    Time calm = Time::max();  ///< from then on there are no faults and no external events
    Time end = Time::max();   ///< max(): not known beforehand
};

/// An invariant that Judge::off names and that does not exist; empty: all exist.
std::string find_unknown(const Judge& judge);

class InvariantChecker final : public Observer {
public:
    explicit InvariantChecker(const Watch& watch) : InvariantChecker(watch, all_invariants()) {}
    InvariantChecker(const Watch& watch, std::vector<std::unique_ptr<Invariant>> invariants)
        : watch_(watch), invariants_(std::move(invariants)) {}

    /// Starts all invariants except for those that the run switches off, which are dropped.
    void begin(const JudgedRun& run);

    void on_event(const Event& event) override;
    bool wants_facts() const override { return true; }
    void on_fact(const Fact& fact) override;
    void on_decision(const autoscaler::PassReport& pass) override;
    void on_pass(const std::shared_ptr<const autoscaler::PassReport>& pass) override;
    void on_balancers(const std::vector<BalancerState>& balancers, Time now) override;
    void on_restart(const engine::Memory& memory, Time now) override;
    void on_end() override;

    /// In the order in which they were found.
    const std::vector<Violation>& violations() const noexcept { return violations_; }
    const Exposure& exposure() const noexcept { return exposure_; }

private:
    void add(const Invariant& invariant, Time now, std::vector<std::string> texts);
    void take_results(const engine::Decision& decision, const engine::Results& results, Time now);

    const Watch watch_;
    std::vector<std::unique_ptr<Invariant>> invariants_;
    std::vector<Violation> violations_;
    Exposure exposure_{};
    bool loses_memory_ = false;  ///< the next restart is without memory, or with an older one
    struct Pass {
        autoscaler::PassInput input;
        autoscaler::PassResult result;
    };
    std::optional<Pass> last_;
};

struct Trial {
    std::vector<Violation> violations{};
    std::string error{};  ///< why the run could not go on; empty: it reached its end
    Exposure exposure{};
    bool is_clean() const noexcept { return violations.empty() && error.empty(); }
};

/// Makes the chaos scenario of `base` and `seed`, runs it and checks all invariants. `observer`
/// (NULL: none) is called as well, before the checks. `invalid_config`: no cloud of `base` is
/// simulated. A run that ends early with an error is a Trial with that error.
Result<Trial> run_trial(const Input& base, const Setup& setup, std::uint64_t seed,
                        Observer* observer = nullptr);

// Runs of any input, for scenarios with Judge::calm and for reducing a break.

struct CheckedRun {
    Trial trial{};
    Result<Report> report;
};
/// Runs the input and checks all invariants that it does not switch off.
CheckedRun run_checked(const Input& input, const Setup& setup, const Watch& watch,
                       Observer* observer = nullptr);

/// The times of an input: its calm, and its end if all of its steps have a length.
Watch watch_of(const Input& input);

/// Runs an input with Judge::calm. Violations are unmet expectations of the report.
/// `invalid_config`: Judge::off names an unknown invariant.
Result<Report> run_judged(const Input& input, const Setup& setup, Observer& observer);

}  // namespace capstan::simulator::chaos
