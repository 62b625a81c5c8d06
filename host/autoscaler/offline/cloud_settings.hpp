/// A cloud that is an instance of the shipped plugin `simulated`.
#pragma once

#include <vector>

#include <capstan/ids.hpp>
#include <capstan/time.hpp>

#include "config/diagnostics.hpp"
#include "config/document.hpp"

namespace capstan::autoscaler::offline {

/// The id of a scenario's cloud. It is an instance of the shipped plugin `simulated`, as all clouds
/// that replace those of a configuration are.
inline const PluginInstanceId simulated_cloud("simulated");

/// The settings of such a cloud, with their text, so that diagnostics show the right line.
struct CloudSettings {
    PluginInstanceId id = simulated_cloud;
    config::Source source{};
    config::TomlValue settings{};  ///< a table
    /// The settings with all that steps will change, to be checked before anything runs; empty: no
    /// step changes them.
    config::TomlValue changed{};
    /// When, after the start, the cloud changes by itself; ascending.
    std::vector<Duration> changes{};
};

}  // namespace capstan::autoscaler::offline
