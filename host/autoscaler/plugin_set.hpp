/// All plugins of a configuration: files loaded, classes found, settings checked. No instance
/// exists yet.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <capstan/ids.hpp>

#include "config/configuration.hpp"
#include "plugin_runtime/plugin_files/library_registry.hpp"

namespace capstan::autoscaler {

/// One instance to make.
struct LoadedPlugin {
    config::PluginConfig config;
    std::shared_ptr<const plugin_runtime::plugin_files::PluginLibrary> library;
    plugin_runtime::plugin_files::ClassInfo plugin_class;  ///< borrows from `library`
    config::Fields fields;                                 ///< the settings that the class declares
    config::SettingValue settings;  ///< checked against `fields`, and by the class itself
};

/// In the order of Config::plugins.
using PluginSet = std::vector<LoadedPlugin>;

/// Loads every file, finds every class, and checks all settings: schema, references, then the
/// class's own `check`. Also checks that the pipeline uses each instance only where its kind is
/// allowed. All mistakes are recorded in `diagnostics`. If there are some, the result is what could
/// be loaded: it can be inspected, and must not be run. [load]
PluginSet load_plugins(const config::Config& config, const config::ShippedPlugins& shipped,
                       plugin_runtime::plugin_files::LibraryRegistry& registry,
                       config::Diagnostics& diagnostics);

/// The folders that plugin files may be in: those of the shipped plugins first, then those of
/// [trust].
plugin_runtime::plugin_files::TrustPolicy trust_policy(const config::Trust& trust,
                                                       const config::ShippedPlugins& shipped);

/// The class called `name`, or the only one when `name` is empty. The error lists what there is.
Result<plugin_runtime::plugin_files::ClassInfo> find_class(
    const plugin_runtime::plugin_files::PluginLibrary& library, const std::string& name);

/// Has the class check settings that match its schema. Rejected settings are recorded in
/// `diagnostics` at their places, a failure of the check itself at `place`.
void check_settings(const plugin_runtime::plugin_files::ClassInfo& plugin_class,
                    const config::SettingValue& settings, const std::string& path,
                    config::Place place, config::Diagnostics& diagnostics);

}  // namespace capstan::autoscaler
