/// The changes between two configurations, and which of them can be taken over while running.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <capstan/result.hpp>

#include "autoscaler/plugin_host.hpp"
#include "autoscaler/plugin_set.hpp"
#include "config/configuration.hpp"

namespace capstan::autoscaler::daemon {

/// A configuration that was read and validated, with its plugin files loaded.
struct LoadedConfig {
    std::shared_ptr<const void> owner{};  ///< owns what the other members borrow
    config::Config config;
    PluginSet plugins{};
    std::string toml{};  ///< printed with all defaults; without secrets
    std::string text{};  ///< of the file, read first; empty: there was no file
};

/// Changed keys, dotted as in TOML, in the order of the file; keys of plugins come last.
struct ConfigChanges {
    std::vector<std::string> live{};   ///< can be taken over
    std::vector<std::string> fixed{};  ///< wait for a restart
    /// Running instances that get new live settings.
    std::vector<PluginInstanceId> plugins{};
    /// Ids of instances that decide for which new instances are created: they are new, or a key of
    /// their tables differs that is not a live setting.
    std::vector<PluginInstanceId> made{};
    std::vector<PluginInstanceId> gone{};  ///< instances that decide and were removed
    /// pipeline.clouds waits for a restart: it names a cloud that does not run.
    bool keeps_clouds = false;
};

/// These keys can be taken over: settings of decisions ([pipeline] except `controllers`, [scale_up]
/// except `spread_timeout_annotation`, [scale_down], [limits]), the scan interval and the limits of
/// health checks, plugins that decide (expanders, similarity, splitters, group sources) with all of
/// their tables, and settings of clouds and controllers that their classes declare live. Clouds and
/// controllers are created at the start only.
ConfigChanges find_changes(const LoadedConfig& before, const LoadedConfig& after);
/// The same after earlier reloads: keys that wait for a restart are compared with `started`, all
/// others with `running`.
ConfigChanges find_changes(const LoadedConfig& started, const LoadedConfig& running,
                           const LoadedConfig& after);

/// The plugins of those ids, in the order of the configuration.
std::vector<const LoadedPlugin*> select_plugins(const LoadedConfig& config,
                                                const std::vector<PluginInstanceId>& ids);

/// Hands the settings of `after` to that instance. An error is as of PluginInstance::reconfigure.
/// [passes' thread]
Result<void> reconfigure(PluginHost& host, const std::shared_ptr<const LoadedConfig>& after,
                         const PluginInstanceId& plugin);

}  // namespace capstan::autoscaler::daemon
