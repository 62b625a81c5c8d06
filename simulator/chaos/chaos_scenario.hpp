/// A scenario with random faults and random external events on top of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <capstan/result.hpp>
#include <capstan/time.hpp>

#include "config/configuration.hpp"
#include "simulator/input.hpp"
#include "simulator/simulated_clouds.hpp"

namespace capstan::simulator::chaos {

/// A run in two parts. The stormy part plays the steps of the base scenario without their
/// expectations, and adds faults, targets that another client sets, nodes that settle late, odd
/// objects, other settings, and pods that come, go and are scaled. The calm part has no events at
/// all, and all faults are over when it begins, except that one group may be refused for ever.
///
/// An action that chance has made impossible (an edit of a node that never came, the target of a
/// group that has left) is left out. An action of the base that a cloud refuses ends the run.
struct ChaosScenario {
    Input input{};
    Duration faults{0};  ///< the length of the stormy part
    Duration calm{0};    ///< the length of the calm part
    /// The group whose increases fail from some time of the stormy part to the end; empty: none.
    std::string refused{};
};
/// Equal arguments give equal scenarios. `clouds`: the simulated clouds of the base. `config`: the
/// configuration that drawn settings change; NULL: no settings are drawn.
/// `invalid_config`: `clouds` is empty.
Result<ChaosScenario> make_chaos_scenario(const Input& base,
                                          const std::vector<SimulatedCloud>& clouds,
                                          std::uint64_t seed,
                                          const config::Config* config = nullptr);

}  // namespace capstan::simulator::chaos
