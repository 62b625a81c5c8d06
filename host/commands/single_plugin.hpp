/// What the printers of a configuration want to know of its plugins, by instance.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "runtime/config/print.hpp"
#include "runtime/plugin_set.hpp"

namespace capstan::commands {

class PluginSettingsTable {
public:
    explicit PluginSettingsTable(const runtime::PluginSet& plugins) {
        for (const runtime::LoadedPlugin& p : plugins) table_[p.config.id] = {p.fields, p.settings};
    }
    /// Borrows from this table.
    runtime::config::PluginSettingsOf lookup() const {
        return [this](const PluginInstanceId& id) -> const runtime::config::PluginSettings* {
            const auto found = table_.find(id);
            return found == table_.end() ? nullptr : &found->second;
        };
    }

private:
    std::map<PluginInstanceId, runtime::config::PluginSettings> table_;
};

// One class of one file with settings of its own: what `plugin call` and `plugin verify` work on.

/// "score.so#acme_score" names a class of a file.
struct PluginName {
    std::string file;
    std::string class_id;  ///< empty: not named
};
PluginName parse_plugin_name(const std::string& text);

/// Settings as a person gave them: a TOML file whose top level is the settings table. Without a
/// file: none are set.
struct SettingsFile {
    runtime::config::Diagnostics diagnostics;
    std::optional<runtime::config::TomlValue> table;  ///< nothing: see the diagnostics
};
Result<SettingsFile> read_settings(const std::string& file);

/// Checks the settings as a configuration would. What is wrong goes to `settings.diagnostics`;
/// nothing then.
std::optional<runtime::LoadedPlugin> make_single(
    std::shared_ptr<const runtime::plugin_files::PluginLibrary> library,
    const runtime::plugin_files::ClassInfo& plugin_class, SettingsFile& settings);

}  // namespace capstan::commands
