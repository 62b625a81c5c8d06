/// A configuration file, with its plugins loaded and everything checked. Commands that read a
/// configuration start with it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include <capstan/assert.hpp>

#include "runtime/plugin_set.hpp"

namespace CLI {
class App;
}

namespace capstan::commands {

struct LoadedPipeline {
    runtime::config::ShippedPlugins shipped;
    runtime::plugin_files::LibraryRegistry registry;
    runtime::config::Loaded loaded;
    runtime::PluginSet plugins;

    /// Whether the pipeline may be run: the configuration and its plugins have no error.
    bool is_sound() const { return loaded.config.has_value() && loaded.diagnostics.errors() == 0; }
    const runtime::config::Config& config() const {
        CAPSTAN_ASSERT(loaded.config, "a configuration that could not be read is used");
        return *loaded.config;
    }
};

/// Reads the file, loads its plugins, checks all settings. Errors and warnings are in
/// `loaded.diagnostics`.
std::unique_ptr<LoadedPipeline> load_pipeline(const std::filesystem::path& file);
/// The pipeline of an empty configuration file: all defaults.
std::unique_ptr<LoadedPipeline> load_default_pipeline();

/// `--config FILE`, required; the returned text is the path once the line has been parsed.
std::shared_ptr<std::string> add_config_file(CLI::App& command);

}  // namespace capstan::commands
