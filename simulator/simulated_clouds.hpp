/// Settings of the shipped plugin `simulated` for inputs that are not scenarios, and the clouds of
/// a run that are instances of that plugin.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <capstan/ids.hpp>
#include <capstan/node_template.hpp>
#include <capstan/result.hpp>

#include "autoscaler/plugin_set.hpp"
#include "config/diagnostics.hpp"
#include "config/document.hpp"
#include "simulator/input.hpp"

namespace capstan::simulator {

struct SimulatedGroup {
    std::string id{};
    int size = 0;  ///< machines that run at the start; from `min` to `max`
    NodeTemplate node{};
    int min = 0;
    std::optional<int> max{};                ///< absent: no limit
    std::optional<int> target{};             ///< machines asked for at the start; absent: `size`
    std::optional<double> price_per_hour{};  ///< absent: unknown
    bool spot = false;
};

/// The groups as the plugin's settings. `source`: what diagnostics call the file.
Result<CloudSettings> make_cloud_settings(std::string source,
                                          const std::vector<SimulatedGroup>& groups);

/// The id that the plugin gives to a machine of the group; `number` counts from 1. The machine's
/// node has the id as providerID.
std::string machine_id(const std::string& group, std::size_t number);

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
