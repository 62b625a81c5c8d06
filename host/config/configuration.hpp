/// The configuration: one TOML file, read, checked, and turned into structs.
///
/// There are two steps, because a plugin's settings can only be checked after its file has been
/// loaded. load_plugins (plugin_set.hpp) takes the second step:
///     Loaded loaded = load_config("capstan.toml", shipped);
///     ... load the files of loaded.config->plugins, read_schema() of each class ...
///     auto settings = validate_plugin_settings(config, plugin, fields, loaded.diagnostics);
///     ... let each class check its settings, through a SettingsView ...
///     check_kinds(config, all_settings, kind_of, loaded.diagnostics);
///     std::cerr << loaded.diagnostics.text();
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/daemon_config.hpp"
#include "config/diagnostics.hpp"
#include "config/pipeline.hpp"
#include "config/scaling.hpp"
#include "config/simulate.hpp"
#include "config/validated_settings.hpp"

namespace capstan::config {

// The plugins that ship with the host. A name in the pipeline is enough to use one.

/// `lib/capstan/plugins` beside the folder of the program, in build/release and in an installed
/// tree alike. Empty if the system does not give the program's path.
std::filesystem::path shipped_plugins_root();

/// The .so files in one folder and in its subfolders expanders, similarity and balancer.
class ShippedPlugins {
public:
    /// `root` need not exist; then there is no plugin.
    explicit ShippedPlugins(std::filesystem::path root) : root_(std::move(root)) {}

    const std::filesystem::path& root() const noexcept { return root_; }
    /// The file of the plugin called `name` ("least_waste"), absolute. Absent: there is none, or
    /// `name` has characters other than letters, digits, '_' and '-'.
    std::optional<std::filesystem::path> find(std::string_view name) const;
    /// All names, sorted.
    std::vector<std::string> names() const;
    /// Names of the plugins whose notes list this kind ("capstan.cloud/1"). No code of the files
    /// runs.
    std::vector<std::string> names_of_kind(std::string_view kind) const;

private:
    std::filesystem::path root_;
};

struct Config {
    Cluster cluster;
    Log log;
    Admin admin;
    Trust trust;
    Secrets secrets;
    Pipeline pipeline;
    ScaleUp scale_up;
    ScaleDown scale_down;
    Limits limits;
    Watchdog watchdog;
    Reload reload;
    Simulate simulate;
    /// All instances: first those with a table, in the order of the file, then those that only the
    /// pipeline names, in the order of these names.
    std::vector<PluginConfig> plugins{};
    /// All members above as validated values, with places and defaults.
    SettingValue tree{};

    /// NULL: there is no such instance.
    const PluginConfig* find_plugin(std::string_view id) const;
};

/// The result of reading a file. `config` is absent if the file could not be read, has a syntax
/// error or exceeds a limit, or if an override is malformed. A config with errors in `diagnostics`
/// must only be used to find further errors.
struct Loaded {
    std::optional<Config> config;
    Diagnostics diagnostics;
};

/// `overrides` replace values of the file; see overrides.hpp.
Loaded load_config(const std::filesystem::path& file, const ShippedPlugins& shipped,
                   std::span<const std::string> overrides = {});
/// Loads a configuration from text instead of a file.
Loaded load_config(Source source, const ShippedPlugins& shipped,
                   std::span<const std::string> overrides = {});
/// Reads sections that are part of another file, to whose `diagnostics` errors go. Absent: a limit
/// is exceeded.
std::optional<Config> read_config(const TomlValue& root, const ShippedPlugins& shipped,
                                  Diagnostics& diagnostics);

/// The sections of the file; in [plugin.ID], `settings` may be any table.
const Fields& config_schema();

/// Checks the settings of one instance against its class's schema, and that they name only
/// instances that exist and secrets that the instance is granted. Absent: there are errors, and the
/// class's own check should not run.
std::optional<SettingValue> validate_plugin_settings(const Config& config,
                                                     const PluginConfig& plugin,
                                                     const Fields& fields,
                                                     Diagnostics& diagnostics);

/// "plugin.aws.settings", for messages and SettingsView.
std::string settings_path(const PluginConfig& plugin);

/// The kind of an instance's class. Empty: unknown, because its file was refused, which has been
/// reported already.
using KindOf = std::function<std::string(const PluginInstanceId& instance)>;
using InstanceSettings = std::vector<std::pair<PluginInstanceId, SettingValue>>;

/// Checks that each instance that the pipeline or `settings` name has the kind that is needed
/// there, and warns of instances with a table that are never named.
void check_kinds(const Config& config, const InstanceSettings& settings, const KindOf& kind_of,
                 Diagnostics& diagnostics);

}  // namespace capstan::config
