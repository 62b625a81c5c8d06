/// One seed: a scenario of faults, run and checked.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <capstan/result.hpp>

#include "simulation/chaos/invariant.hpp"
#include "simulation/run.hpp"

namespace capstan::simulation::chaos {

// Looks on while everything goes wrong, and says what must not have been.

struct Violation {
    Duration at{0};
    std::string invariant{};
    std::string text{};
    bool operator==(const Violation&) const = default;
};

/// What a run was like, so that a batch that saw nothing shows.
struct Exposure {
    std::int64_t passes = 0, faults = 0, restarts = 0;
    std::int64_t increases = 0, decreases = 0, removals = 0, evictions = 0;
    Exposure& operator+=(const Exposure& other) noexcept;
};

/// From when to when a run is watched; in calm nothing comes from outside.
struct Watch {
    Time start{};
    Time calm = Time::max(), end = Time::max();
};

class InvariantChecker final : public Observer {
public:
    explicit InvariantChecker(const Watch& watch) : InvariantChecker(watch, all_invariants()) {}
    InvariantChecker(const Watch& watch, std::vector<std::unique_ptr<Invariant>> invariants)
        : watch_(watch), invariants_(std::move(invariants)) {}

    void on_event(const Event& event) override;
    void on_pass(const runtime::PassInput& input, const runtime::PassResult& result) override;
    void on_results(const runtime::pass_metrics::PassObservation& pass) override;
    void on_restart(const engine::Memory& memory, Time now) override;
    void on_end() override;

    /// In the order in which they happened.
    const std::vector<Violation>& violations() const noexcept { return violations_; }
    const Exposure& exposure() const noexcept { return exposure_; }

private:
    void add(const Invariant& invariant, Time now, std::vector<std::string> texts);

    const Watch watch_;
    std::vector<std::unique_ptr<Invariant>> invariants_;
    std::vector<Violation> violations_;
    Exposure exposure_{};
    struct Pass {
        runtime::PassInput input;
        runtime::PassResult result;
    };
    std::optional<Pass> last_;
};

struct Trial {
    std::vector<Violation> violations{};
    std::string error{};  ///< why the run could not go on; empty: it reached its end
    Exposure exposure{};
    bool is_clean() const noexcept { return violations.empty() && error.empty(); }
};

/// Of a base that is left as it is. `beside` looks on, too. `invalid_config`: no cloud of it is
/// simulated.
Result<Trial> run_trial(const Input& base, const Setup& setup, std::uint64_t seed,
                        Observer* beside = nullptr);

}  // namespace capstan::simulation::chaos
