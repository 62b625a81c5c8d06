/// The configuration as TOML text, for `capstan config print` and `explain`. Only names of secrets
/// are ever shown: a configuration holds no more.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <capstan/result.hpp>

#include "runtime/config/configuration.hpp"

namespace capstan::runtime::config {

/// What is known of an instance once its file is loaded.
struct PluginSettings {
    Fields fields;
    SettingValue settings;
};
/// NULL where the file is not loaded; then its settings are printed as they were written. The
/// answer is borrowed until the call is over.
using PluginSettingsOf = std::function<const PluginSettings*(const PluginInstanceId& instance)>;

enum class PrintDefaults { no, yes };

/// A file that means the same. Without defaults: what the file sets. With them: every key there is,
/// each with its documentation above it, and the instances that only the pipeline names.
std::string print_config(const Config& config, PrintDefaults defaults,
                         const PluginSettingsOf& settings_of);

/// The documentation of one key or table, dotted as in TOML: `scale_down.unneeded_time`,
/// `plugin.aws.settings.region`, `pipeline`. Says what it is set to, and where, when a `config` is
/// given (may be NULL). For a plugin's settings `settings_of` has to know the instance. Fails with
/// `not_found` and a suggestion.
Result<std::string> explain_key(std::string_view key, const Config* config,
                                const PluginSettingsOf& settings_of);

}  // namespace capstan::runtime::config
