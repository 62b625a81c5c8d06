/// The configuration a simulation runs with, its plugins loaded and checked.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <capstan/assert.hpp>

#include "autoscaler/offline/cloud_settings.hpp"
#include "autoscaler/plugin_set.hpp"
#include "config/configuration.hpp"

namespace capstan::autoscaler::offline {

struct PreparedSetup {
    config::ShippedPlugins shipped;
    plugin_runtime::plugin_files::LibraryRegistry registry{};
    std::optional<config::Config> config{};
    PluginSet plugins{};
    /// Errors and warnings as text for people; ends in a newline unless empty.
    std::string complaints{};
    bool is_sound = false;  ///< false: there were errors, and nothing may run with this setup

    /// The configuration of a sound setup.
    const config::Config& sound_config() const {
        CAPSTAN_ASSERT(config, "a setup without a configuration is used");
        return *config;
    }
};

/// Whether an instance of the plugin sends requests over the network: it is granted hosts, or is a
/// shipped plugin that is of no use without them.
bool needs_network(const config::PluginConfig& plugin);

/// Removes the plugins that a simulation does not call, also from the pipeline: plugins other than
/// clouds that need the network, and, without `has_machine_types`, group sources. Returns a
/// sentence about each of them.
std::vector<std::string> leave_out_uncallable(config::Config& config,
                                              const config::ShippedPlugins& shipped,
                                              bool has_machine_types);

/// `clouds`, unless empty, replace the clouds that the configuration names; the plugins of those
/// are then not loaded.
std::unique_ptr<PreparedSetup> prepare(config::Loaded loaded,
                                       const std::vector<CloudSettings>& clouds,
                                       config::ShippedPlugins shipped);

/// For passes whose decision is not carried out: loads neither clouds nor controllers, since those
/// may need a network.
std::unique_ptr<PreparedSetup> prepare_to_decide(config::Loaded loaded,
                                                 config::ShippedPlugins shipped);

}  // namespace capstan::autoscaler::offline
