/// Settings of plugins: of all instances of a configuration, and of one class used alone.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "autoscaler/plugin_set.hpp"
#include "config/print.hpp"

namespace capstan::commands {

/// The checked settings of each instance, for printing a configuration.
class PluginSettingsTable {
public:
    explicit PluginSettingsTable(const autoscaler::PluginSet& plugins) {
        for (const autoscaler::LoadedPlugin& p : plugins)
            table_[p.config.id] = {p.fields, p.settings};
    }
    /// The function returns NULL for an unknown instance. It borrows this table.
    config::PluginSettingsOf lookup() const {
        return [this](const PluginInstanceId& id) -> const config::PluginSettings* {
            const auto found = table_.find(id);
            return found == table_.end() ? nullptr : &found->second;
        };
    }

private:
    std::map<PluginInstanceId, config::PluginSettings> table_;
};

// One class of one file, with its settings: what `plugin call` and `plugin verify` work on.

/// "score.so#acme_score" names a class of a file.
struct PluginName {
    std::string file;
    std::string class_id;  ///< empty: the text names no class
};
PluginName parse_plugin_name(const std::string& text);

/// The plugin file of this name, which the command line gives.
inline plugin_runtime::plugin_files::PluginRequest given_file(std::string file) {
    return {.file = std::move(file),
            .sha256 = {},
            .origin = plugin_runtime::plugin_files::PathOrigin::command_line};
}

/// A TOML file whose top level is the settings table of an instance.
struct SettingsFile {
    config::Diagnostics diagnostics;
    std::optional<config::TomlValue> table;  ///< absent: see the diagnostics
};
/// Reads the file; for an empty name, returns an empty table.
Result<SettingsFile> read_settings(const std::string& file);

/// Checks the settings as those of a configuration are checked. If anything is wrong, adds it to
/// `settings.diagnostics` and returns no plugin.
std::optional<autoscaler::LoadedPlugin> make_single(
    std::shared_ptr<const plugin_runtime::plugin_files::PluginLibrary> library,
    const plugin_runtime::plugin_files::ClassInfo& plugin_class, SettingsFile& settings);

}  // namespace capstan::commands
