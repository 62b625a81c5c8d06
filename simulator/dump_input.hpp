/// The dump of a cluster as the input of a simulation.
#pragma once

#include <chrono>

#include <capstan/time.hpp>

#include "autoscaler/dump/dump.hpp"
#include "simulator/input.hpp"

namespace capstan::simulator {

/// How long a dump is simulated unless Setup::until says otherwise.
inline constexpr Duration time_limit_of_dumps = std::chrono::hours(24);

/// One step, in which nothing happens from outside.
Input input_of(autoscaler::dump::Dump dump);

}  // namespace capstan::simulator
