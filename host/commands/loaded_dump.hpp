/// A cluster dump with the configuration that decides on it, and its plugins.
#pragma once

#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "autoscaler/dump/dump.hpp"
#include "autoscaler/offline/cloud_settings.hpp"
#include "autoscaler/offline/prepare.hpp"
#include "config/configuration.hpp"

namespace capstan::commands {

/// Which plugins of a configuration are called.
enum class CalledPlugins {
    all,
    offline,          ///< those that need no network
    on_known_groups,  ///< those that need neither a network nor the machine types of a cloud
};

/// Loads the plugins that are called, with `clouds` in place of the configuration's unless empty.
/// Prints errors, warnings and the plugins that are not called to `err`. NULL: there were errors.
std::unique_ptr<autoscaler::offline::PreparedSetup> prepare_plugins(
    CalledPlugins called, config::Loaded loaded,
    const std::vector<autoscaler::offline::CloudSettings>& clouds, config::ShippedPlugins shipped,
    std::ostream& err);

/// The configuration for inputs that have none themselves, such as dumps. `file`: empty: defaults.
config::Loaded config_or_default(const std::string& file, const std::vector<std::string>& set,
                                 const config::ShippedPlugins& shipped);

/// Options as they were given.
struct DumpChoice {
    std::string file{};    ///< a dump; "-": standard input
    std::string config{};  ///< empty: the defaults
    std::vector<std::string> set{};
};

struct LoadedDump {
    autoscaler::dump::Dump dump{};
    std::unique_ptr<autoscaler::offline::PreparedSetup> prepared{};  ///< not NULL, without errors
};

/// Reads the configuration and the dump, and loads the plugins: all of them, or those that a
/// simulation calls. Prints errors, warnings and remarks to `err`. Absent: there were errors.
std::optional<LoadedDump> load_dump(const DumpChoice& choice, bool calls_all, std::ostream& err);

}  // namespace capstan::commands
