/// A scenario with things that go wrong by chance on top of it.
#pragma once

#include <cstdint>

#include <capstan/result.hpp>

#include "simulation/input.hpp"

namespace capstan::simulation {

/// `input` is what happens in `base` without its expectations, then calm. Until `storm` after the
/// start there are faults, targets that somebody else changes, pods that come, go and are scaled;
/// all faults are over by then. Equal arguments, equal storms.
struct Storm {
    Input input{};
    Duration storm{0}, calm{0};
};
/// `invalid_config`: the base has no simulated cloud.
Result<Storm> make_storm(const Input& base, std::uint64_t seed);

}  // namespace capstan::simulation
