/// One seed: a storm, lived through and judged.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <capstan/result.hpp>

#include "simulation/chaos/invariant_checker.hpp"
#include "simulation/run.hpp"

namespace capstan::simulation::chaos {

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
