/// A configuration file with everything it names loaded and checked; what commands that read one
/// start from.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

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

    /// Nothing may run on it otherwise.
    bool is_sound() const { return loaded.config.has_value() && loaded.diagnostics.errors() == 0; }
    const runtime::config::Config& config() const { return *loaded.config; }
};

/// Reads the file, loads its plugins, checks all settings. What is wrong stands in
/// `loaded.diagnostics`.
std::unique_ptr<LoadedPipeline> load_pipeline(const std::filesystem::path& file);
/// The same of an empty file.
std::unique_ptr<LoadedPipeline> load_default_pipeline();

/// `--config FILE`, required; the answer holds the path once the line has been parsed.
std::shared_ptr<std::string> add_config_file(CLI::App& command);

}  // namespace capstan::commands
