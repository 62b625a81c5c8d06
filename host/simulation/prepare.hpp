/// The configuration a simulation runs with, its plugins loaded and checked.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/config/configuration.hpp"
#include "runtime/plugin_set.hpp"
#include "simulation/input.hpp"

namespace capstan::simulation {

struct PreparedSetup {
    runtime::config::ShippedPlugins shipped;
    runtime::plugin_files::LibraryRegistry registry{};
    std::optional<runtime::config::Config> config{};
    runtime::PluginSet plugins{};
    /// What is wrong, or worth a warning, as people read it; ends in a newline unless empty.
    std::string complaints{};
    bool is_sound = false;  ///< nothing may run on it otherwise
};

/// Where `cloud` says one, it stands in place of the clouds that the configuration names, and those
/// are not loaded.
std::unique_ptr<PreparedSetup> prepare(runtime::config::Loaded loaded,
                                       const std::optional<CloudSettings>& cloud,
                                       runtime::config::ShippedPlugins shipped);

/// For passes that are decided and not carried out: without clouds, controllers and sources of
/// groups, which may need a network.
std::unique_ptr<PreparedSetup> prepare_to_decide(runtime::config::Loaded loaded,
                                                 runtime::config::ShippedPlugins shipped);

/// What the scheduler spreads pods over that have no constraints of their own: as the input says,
/// else as the configuration does.
std::vector<engine::snapshot::DefaultSpread> scheduler_spread(
    const Input& input, const runtime::config::Config& config);

}  // namespace capstan::simulation
