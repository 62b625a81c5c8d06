/// Node groups for the shipped plugin `simulated`, of inputs that are no scenario.
#pragma once

#include <string>
#include <vector>

#include <capstan/ids.hpp>
#include <capstan/node_template.hpp>
#include <capstan/result.hpp>

#include "runtime/config/diagnostics.hpp"
#include "runtime/config/document.hpp"
#include "runtime/plugin_set.hpp"
#include "simulation/input.hpp"

namespace capstan::simulation {

struct SimulatedGroup {
    std::string id{};
    int size = 0;  ///< machines that run at the start
    NodeTemplate node{};
};

/// As the plugin's settings, from a file called `source` in messages. No group has a maximum.
Result<CloudSettings> make_cloud_settings(std::string source,
                                          const std::vector<SimulatedGroup>& groups);

/// How the plugin calls the machine of that number, from 1, as a node's providerID.
std::string machine_id(const std::string& group, std::size_t number);

// The clouds of a run that are instances of the shipped plugin `simulated`.

/// One of them, with the settings it begins with.
struct SimulatedCloud {
    PluginInstanceId id{};
    runtime::config::Source source{};  ///< what complaints about its settings name
    runtime::config::TomlValue settings{};
};

/// The input's own cloud; else those of the pipeline that are simulated, in the order of `plugins`.
/// Empty: all clouds are others.
std::vector<SimulatedCloud> simulated_clouds(const Input& input, const runtime::PluginSet& plugins);

}  // namespace capstan::simulation
