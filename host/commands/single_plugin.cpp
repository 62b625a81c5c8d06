#include "commands/single_plugin.hpp"

namespace capstan::commands {

PluginName parse_plugin_name(const std::string& text) {
    const std::size_t hash = text.rfind('#');
    if (hash == std::string::npos) return {text, {}};
    return {text.substr(0, hash), text.substr(hash + 1)};
}

Result<SettingsFile> read_settings(const std::string& file) {
    config::Source source{"settings", {}};
    if (!file.empty()) {
        Result<config::Source> read = config::read_source(file);
        if (!read) return fail(within(file, std::move(read).error()));
        source = *std::move(read);
    }
    SettingsFile settings{config::Diagnostics(std::move(source)), {}};
    settings.table = config::parse_toml(settings.diagnostics);
    return settings;
}

std::optional<autoscaler::LoadedPlugin> make_single(
    std::shared_ptr<const plugin_runtime::plugin_files::PluginLibrary> library,
    const plugin_runtime::plugin_files::ClassInfo& plugin_class, SettingsFile& settings) {
    if (!settings.table) return std::nullopt;
    autoscaler::LoadedPlugin plugin{{}, std::move(library), plugin_class, {}, {}};
    plugin.config.id = PluginInstanceId(plugin_class.id);
    auto fields = config::read_schema(plugin_class.fields);
    if (!fields) {
        settings.diagnostics.error(
            {}, "class " + std::string(plugin_class.id) + ": " + fields.error().message);
        return std::nullopt;
    }
    plugin.fields = *std::move(fields);
    plugin.settings =
        config::validate_settings(*settings.table, plugin.fields, "settings", settings.diagnostics);
    if (settings.diagnostics.errors() > 0) return std::nullopt;
    autoscaler::check_settings(plugin_class, plugin.settings, "settings", {}, settings.diagnostics);
    if (settings.diagnostics.errors() > 0) return std::nullopt;
    return plugin;
}

}  // namespace capstan::commands
