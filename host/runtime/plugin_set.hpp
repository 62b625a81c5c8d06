/// All plugins a configuration asks for: files loaded, classes found, settings checked. No instance
/// exists yet.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <capstan/ids.hpp>

#include "runtime/config/configuration.hpp"
#include "runtime/plugin_files/library_registry.hpp"

namespace capstan::runtime {

/// One instance to make.
struct LoadedPlugin {
    config::PluginConfig config;
    std::shared_ptr<const plugin_files::PluginLibrary> library;
    plugin_files::ClassInfo plugin_class;  ///< borrows from `library`
    config::Fields fields;                 ///< what the class can be told
    config::SettingValue settings;         ///< checked against them, and by the class itself
};

/// In the order of Config::plugins.
using PluginSet = std::vector<LoadedPlugin>;

/// Loads every file, finds every class, checks all settings (schema, references, then what each
/// class's own `check` finds) and that everything stands where its kind belongs. [load] What is
/// wrong is recorded, all of it; then the answer is what could be loaded, fit for looking at, not
/// for running.
PluginSet load_plugins(const config::Config& config, const config::ShippedPlugins& shipped,
                       plugin_files::LibraryRegistry& registry, config::Diagnostics& diagnostics);

/// Where the configuration lets plugin files lie: the shipped ones first.
plugin_files::TrustPolicy trust_policy(const config::Trust& trust,
                                       const config::ShippedPlugins& shipped);

/// The class called `name`, or the only one when `name` is empty. The error lists what there is.
Result<plugin_files::ClassInfo> find_class(const plugin_files::PluginLibrary& library,
                                           const std::string& name);

/// Lets the class look at settings that passed its schema. Rejections go to `diagnostics` at their
/// places, a failure of the check itself to `place`.
void check_settings(const plugin_files::ClassInfo& plugin_class,
                    const config::SettingValue& settings, const std::string& path,
                    config::Place place, config::Diagnostics& diagnostics);

}  // namespace capstan::runtime
