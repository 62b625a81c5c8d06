/// A configuration file, with its plugins loaded and everything checked. Commands that read a
/// configuration start with it.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <capstan/assert.hpp>

#include "autoscaler/plugin_set.hpp"

namespace capstan::commands {

struct LoadedPipeline {
    config::ShippedPlugins shipped;
    plugin_runtime::plugin_files::LibraryRegistry registry;
    config::Loaded loaded;
    autoscaler::PluginSet plugins;

    /// Whether the pipeline may be run: the configuration and its plugins have no error.
    bool is_sound() const { return loaded.config.has_value() && loaded.diagnostics.errors() == 0; }
    const config::Config& config() const {
        CAPSTAN_ASSERT(loaded.config, "a configuration that could not be read is used");
        return *loaded.config;
    }
};

/// Reads the file, loads its plugins, checks all settings. Errors and warnings are in
/// `loaded.diagnostics`. `overrides` replace values of the file; see config/overrides.hpp.
std::unique_ptr<LoadedPipeline> load_pipeline(const std::filesystem::path& file,
                                              std::span<const std::string> overrides = {});
/// The pipeline of an empty configuration file: all defaults.
std::unique_ptr<LoadedPipeline> load_default_pipeline();

}  // namespace capstan::commands
