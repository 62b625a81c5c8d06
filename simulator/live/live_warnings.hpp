/// Warnings about keys of a scenario that a live cluster ignores or treats differently.
#pragma once

#include <string>
#include <vector>

#include "simulator/input.hpp"

namespace capstan::simulator::live {

/// One line for each key, which begins with the key; empty: the live cluster plays the scenario as
/// it is written. `names_clouds`: whether the configuration names clouds.
std::vector<std::string> find_live_warnings(const Input& input, bool names_clouds = true);

}  // namespace capstan::simulator::live
