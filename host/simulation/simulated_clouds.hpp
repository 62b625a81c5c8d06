/// The clouds of a run that are instances of the shipped plugin `simulated`.
#pragma once

#include <string>
#include <vector>

#include <capstan/ids.hpp>

#include "runtime/config/diagnostics.hpp"
#include "runtime/config/document.hpp"
#include "runtime/plugin_set.hpp"
#include "simulation/input.hpp"

namespace capstan::simulation {

/// One of them, with the settings it begins with.
struct SimulatedCloud {
    PluginInstanceId id{};
    runtime::Source source{};  ///< what complaints about its settings name
    runtime::TomlValue settings{};
};

/// The input's own cloud; else those of the pipeline that are simulated, in the order of `plugins`.
/// Empty: all clouds are others.
std::vector<SimulatedCloud> simulated_clouds(const Input& input, const runtime::PluginSet& plugins);

}  // namespace capstan::simulation
