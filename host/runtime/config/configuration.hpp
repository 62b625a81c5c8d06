/// One TOML file that wires everything: read, checked, and turned into structs.
///
/// In two steps, because a plugin's settings can only be checked once its file has been loaded;
/// load_plugins (plugin_set.hpp) takes the second one:
///     Loaded loaded = load_config("capstan.toml", shipped);
///     ... load the files of loaded.config->plugins, read_schema() of each class ...
///     auto settings = validate_plugin_settings(config, plugin, fields, loaded.diagnostics);
///     ... let each class check its own, through a SettingsView ...
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

#include "runtime/config/daemon_config.hpp"
#include "runtime/config/diagnostics.hpp"
#include "runtime/config/pipeline.hpp"
#include "runtime/config/scaling.hpp"
#include "runtime/config/validated_settings.hpp"

namespace capstan::runtime::config {

// The plugins that come with the host: a name in the pipeline is enough for them.

/// `lib/capstan/plugins` beside the folder of the program: build/release and an installed tree look
/// the same. Empty when the system does not tell where the program is.
std::filesystem::path shipped_plugins_root();

/// The .so files below one folder, itself and the subfolders of our source tree: expanders,
/// similarity, balancer.
class ShippedPlugins {
public:
    /// `root` need not exist; then there are none.
    explicit ShippedPlugins(std::filesystem::path root) : root_(std::move(root)) {}

    const std::filesystem::path& root() const noexcept { return root_; }
    /// The file of the plugin called `name` ("least_waste"), absolute. Nothing for names that are
    /// not file names.
    std::optional<std::filesystem::path> find(std::string_view name) const;
    /// All names, sorted.
    std::vector<std::string> names() const;
    /// Names of plugins that by their notes have classes of this kind ("capstan.cloud/1"); no code
    /// of any file is run.
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
    /// Those with a table in the order of the file, then those only named in the pipeline in the
    /// order of their names' places. Every name in the pipeline is among them.
    std::vector<PluginConfig> plugins{};
    /// Everything above as validated, with places and defaults.
    SettingValue tree{};

    /// NULL when there is no such instance.
    const PluginConfig* find_plugin(std::string_view id) const;
};

/// What came of reading a file. Without a config the file could not be read, has a syntax error, or
/// is beyond all measure; a config with errors in `diagnostics` serves to look for more of them,
/// and for nothing else.
struct Loaded {
    std::optional<Config> config;
    Diagnostics diagnostics;
};

/// `overrides` count in place of what the file says; see overrides.hpp.
Loaded load_config(const std::filesystem::path& file, const ShippedPlugins& shipped,
                   std::span<const std::string> overrides = {});
/// The same for text that is at hand.
Loaded load_config(Source source, const ShippedPlugins& shipped,
                   std::span<const std::string> overrides = {});
/// The same for sections that stand in another file, whose `diagnostics` these are; nothing when
/// they are beyond all measure.
std::optional<Config> read_config(const TomlValue& root, const ShippedPlugins& shipped,
                                  Diagnostics& diagnostics);

/// The sections of the file; of [plugin.ID] everything but `settings`.
const Fields& config_schema();

/// Checks the settings of one instance against its class, and that they name only secrets the
/// instance is granted. Nothing when something is wrong: then the class's own check would only
/// stumble over it again.
std::optional<SettingValue> validate_plugin_settings(const Config& config,
                                                     const PluginConfig& plugin,
                                                     const Fields& fields,
                                                     Diagnostics& diagnostics);

/// "plugin.aws.settings", for messages and SettingsView.
std::string settings_path(const PluginConfig& plugin);

/// The kind of an instance's class; empty when unknown because its file was refused, which has been
/// said already.
using KindOf = std::function<std::string(const PluginInstanceId& instance)>;
using InstanceSettings = std::vector<std::pair<PluginInstanceId, SettingValue>>;

/// Checks that every instance named by the pipeline and by `settings` is of the kind that is needed
/// there, and warns of instances that nothing names.
void check_kinds(const Config& config, const InstanceSettings& settings, const KindOf& kind_of,
                 Diagnostics& diagnostics);

}  // namespace capstan::runtime::config
