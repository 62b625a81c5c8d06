/// A scenario with things that go wrong by chance on top of it.
#pragma once

#include <cstdint>
#include <vector>

#include <capstan/result.hpp>

#include "simulation/input.hpp"
#include "simulation/simulated_clouds.hpp"

namespace capstan::simulation::chaos {

/// `input` is what happens in `base` without its expectations, then calm. Until `storm` after the
/// start there are faults, targets that another client changes, pods that come, go and are scaled;
/// all faults are over by then. What chance has made impossible (an edit of a node that never came,
/// the target of a group that has left) is left out; what the base asks for and a cloud refuses
/// ends the run. Equal arguments, equal storms.
struct ChaosScenario {
    Input input{};
    Duration storm{0}, calm{0};
};
/// `clouds`: those of the base that are simulated. `invalid_config`: there is none.
Result<ChaosScenario> make_storm(const Input& base, const std::vector<SimulatedCloud>& clouds,
                                 std::uint64_t seed);

}  // namespace capstan::simulation::chaos
