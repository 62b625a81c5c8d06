/// What the printers of a configuration want to know of its plugins, by instance.
#pragma once

#include <map>

#include "runtime/config/print.hpp"
#include "runtime/plugin_set.hpp"

namespace capstan::commands {

class PluginSettingsTable {
public:
    explicit PluginSettingsTable(const runtime::PluginSet& plugins) {
        for (const runtime::LoadedPlugin& p : plugins) table_[p.config.id] = {p.fields, p.settings};
    }
    /// Borrows from this table.
    runtime::PluginSettingsOf lookup() const {
        return [this](const PluginInstanceId& id) -> const runtime::PluginSettings* {
            const auto found = table_.find(id);
            return found == table_.end() ? nullptr : &found->second;
        };
    }

private:
    std::map<PluginInstanceId, runtime::PluginSettings> table_;
};

}  // namespace capstan::commands
