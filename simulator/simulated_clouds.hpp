/// The clouds of a run that are instances of the shipped plugin `simulated`.
#pragma once

#include <vector>

#include <capstan/ids.hpp>

#include "autoscaler/plugin_set.hpp"
#include "config/diagnostics.hpp"
#include "config/document.hpp"
#include "simulator/input.hpp"

namespace capstan::simulator {

/// A cloud that is an instance of the plugin, with the settings that it begins with.
struct SimulatedCloud {
    PluginInstanceId id{};
    config::Source source{};  ///< the file that its diagnostics name
    config::TomlValue settings{};
};

/// The input's own clouds; without one, the simulated clouds among `plugins`, in their order.
/// Empty: no cloud is simulated.
std::vector<SimulatedCloud> simulated_clouds(const Input& input,
                                             const autoscaler::PluginSet& plugins);

}  // namespace capstan::simulator
