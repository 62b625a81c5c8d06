/// Settings of plugins: of all instances of a configuration, and of one class used alone.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "runtime/config/print.hpp"
#include "runtime/plugin_set.hpp"

namespace capstan::commands {

/// The checked settings of each instance, for printing a configuration.
class PluginSettingsTable {
public:
    explicit PluginSettingsTable(const runtime::PluginSet& plugins) {
        for (const runtime::LoadedPlugin& p : plugins) table_[p.config.id] = {p.fields, p.settings};
    }
    /// The function returns NULL for an unknown instance. It borrows this table.
    runtime::config::PluginSettingsOf lookup() const {
        return [this](const PluginInstanceId& id) -> const runtime::config::PluginSettings* {
            const auto found = table_.find(id);
            return found == table_.end() ? nullptr : &found->second;
        };
    }

private:
    std::map<PluginInstanceId, runtime::config::PluginSettings> table_;
};

// One class of one file, with its settings: what `plugin call` and `plugin verify` work on.

/// "score.so#acme_score" names a class of a file.
struct PluginName {
    std::string file;
    std::string class_id;  ///< empty: the text names no class
};
PluginName parse_plugin_name(const std::string& text);

/// A TOML file whose top level is the settings table of an instance.
struct SettingsFile {
    runtime::config::Diagnostics diagnostics;
    std::optional<runtime::config::TomlValue> table;  ///< absent: see the diagnostics
};
/// Reads the file; for an empty name, returns an empty table.
Result<SettingsFile> read_settings(const std::string& file);

/// Checks the settings as those of a configuration are checked. If anything is wrong, adds it to
/// `settings.diagnostics` and returns no plugin.
std::optional<runtime::LoadedPlugin> make_single(
    std::shared_ptr<const runtime::plugin_files::PluginLibrary> library,
    const runtime::plugin_files::ClassInfo& plugin_class, SettingsFile& settings);

}  // namespace capstan::commands
