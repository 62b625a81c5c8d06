/// The default topology spread constraints of the simulated scheduler.
#pragma once

#include <vector>

#include "config/configuration.hpp"
#include "engine/snapshot/default_spread.hpp"
#include "simulator/input.hpp"

namespace capstan::simulator {

/// For pods that have no constraints of their own: those of the input, else those of the
/// configuration.
std::vector<engine::snapshot::DefaultSpread> scheduler_spread(const Input& input,
                                                              const config::Config& config);

}  // namespace capstan::simulator
