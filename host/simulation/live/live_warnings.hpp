/// What of a scenario is not played on a live cluster, or is played otherwise.
#pragma once

#include <string>
#include <vector>

#include "simulation/input.hpp"

namespace capstan::simulation::live {

/// `names_clouds`: the configuration does. One line each, the key first; empty: all of it is played
/// as it stands.
std::vector<std::string> find_live_warnings(const Input& input, bool names_clouds = true);

}  // namespace capstan::simulation::live
