/// The configuration as TOML text, for `capstan config print` and `explain`. It shows only names of
/// secrets, because a configuration has no values of secrets.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <capstan/result.hpp>

#include "config/configuration.hpp"

namespace capstan::config {

/// The schema and the settings of an instance, known after its file has been loaded.
struct PluginSettings {
    Fields fields;
    SettingValue settings;
};
/// NULL: the file is not loaded, and the settings are printed as they are in the file. The result
/// is borrowed during the call.
using PluginSettingsOf = std::function<const PluginSettings*(const PluginInstanceId& instance)>;

enum class PrintDefaults { no, yes };

/// A TOML file that reads back as the same configuration. Without defaults it has the keys that the
/// file sets. With defaults it has all keys, with their documentation above, and the instances that
/// only the pipeline names.
std::string print_config(const Config& config, PrintDefaults defaults,
                         const PluginSettingsOf& settings_of);

/// The documentation of one key or table, dotted as in TOML: `scale_down.unneeded_time`,
/// `plugin.aws.settings.region`, `pipeline`; or upstream's flag for it, with or without dashes in
/// front. With a `config`, which may be NULL, it also has the present value and its place. For a
/// plugin's setting `settings_of` must know the instance. Fails with `not_found` and a suggestion.
Result<std::string> explain_key(std::string_view key, const Config* config,
                                const PluginSettingsOf& settings_of);

}  // namespace capstan::config
