/// A configuration that is exchanged while running: what has changed, and which of it can be taken
/// over.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <capstan/result.hpp>

#include "runtime/config/configuration.hpp"
#include "runtime/plugin_host.hpp"
#include "runtime/plugin_set.hpp"

namespace capstan::runtime::daemon {

/// Read, validated, its plugins' files loaded.
struct LoadedConfig {
    std::shared_ptr<const void> owner{};  ///< keeps what the others borrow from
    config::Config config;
    PluginSet plugins{};
    std::string toml{};  ///< as it is understood, with all defaults; without secrets
    std::string text{};  ///< of the file, read before the rest was; empty: there was none
};

/// Keys, dotted as in TOML, in the order of the file; those of plugins come last.
struct ConfigChanges {
    std::vector<std::string> live{};   ///< can be taken over
    std::vector<std::string> fixed{};  ///< wait for a restart
    /// Instances of which live settings differ, by their names.
    std::vector<PluginInstanceId> plugins{};
    /// Instances that decide and are new, or whose file, class, grants, limits or settings that are
    /// not live differ: made anew beside the old ones.
    std::vector<PluginInstanceId> made{};
    std::vector<PluginInstanceId> gone{};  ///< instances that decide and are in it no more
    bool keeps_clouds = false;             ///< pipeline.clouds names one that does not run
};

/// Live are decisions ([pipeline], [scale_up], [scale_down], [limits]), how often they are made and
/// when they count as overdue, plugins that decide (expanders, similarity, splitters, group
/// sources) with all that belongs to them, and settings of clouds and controllers that their
/// classes declare live. Clouds and controllers themselves are made at the start.
ConfigChanges find_changes(const LoadedConfig& before, const LoadedConfig& after);
/// The same after others have been taken over: what waits for a restart still is as `started` says,
/// everything else as `running` does.
ConfigChanges find_changes(const LoadedConfig& started, const LoadedConfig& running,
                           const LoadedConfig& after);

/// Its plugins of those names, in the order of the configuration.
std::vector<const LoadedPlugin*> select_plugins(const LoadedConfig& config,
                                                const std::vector<PluginInstanceId>& ids);

/// Hands the settings of that instance over. The error: it keeps the old ones. [passes' thread]
Result<void> reconfigure(PluginHost& host, const std::shared_ptr<const LoadedConfig>& after,
                         const PluginInstanceId& plugin);

}  // namespace capstan::runtime::daemon
