// Names of instances and secrets: who they mean, and whether they may be used where they stand.
#include <algorithm>
#include <set>

#include "runtime/config/checks.hpp"
#include "runtime/config/config.hpp"
#include "runtime/config/text.hpp"

namespace capstan::runtime {
namespace {

/// A value of one type somewhere in a tree, with its path.
struct Reference {
    std::string path;
    const SettingValue* value;
};

void collect(const SettingValue& at, SettingType type, const std::string& path,
             std::vector<Reference>& out) {
    if (at.shape == SettingValue::Shape::value && at.type == type) out.push_back({path, &at});
    for (std::size_t i = 0; i < at.children.size(); ++i) {
        const SettingValue& child = at.children[i];
        const bool plain = !at.text.empty();  // a table written as the text of its one member
        const std::string below = at.shape == SettingValue::Shape::list
                                      ? path + "[" + std::to_string(i) + "]"
                                  : plain ? path
                                          : join_path(path, child.key);
        collect(child, type, below, out);
    }
}

std::vector<Reference> references(const SettingValue& tree, SettingType type,
                                  const std::string& path) {
    std::vector<Reference> out;
    collect(tree, type, path, out);
    return out;
}

std::vector<Reference> pipeline_names(const Config& config) {
    const SettingValue* pipeline = config.tree.find("pipeline");
    return pipeline == nullptr ? std::vector<Reference>{}
                               : references(*pipeline, SettingType::instance, "pipeline");
}

std::vector<std::string> known_names(const Config& config,
                                     const std::vector<std::string>& shipped) {
    std::vector<std::string> names;
    for (const PluginConfig& plugin : config.plugins) names.push_back(plugin.id.value());
    names.insert(names.end(), shipped.begin(), shipped.end());
    return names;
}

std::string quoted(const std::string& name) { return "'" + shortened(name, 60) + "'"; }

/// "; this version ships of kind cloud: simulated". Empty: there is nothing to name.
std::string shipped_of_kind(const ShippedPlugins& shipped, std::string_view kind) {
    const std::vector<std::string> names = shipped.names_of_kind(kind);
    if (names.empty()) return {};
    std::string_view word = kind.substr(0, kind.find('/'));
    word.remove_prefix(word.rfind('.') + 1);
    return "; this version ships of kind " + printable(word) + ": " + joined_names(names);
}

/// The file of an instance whose table names none.
void find_file(PluginConfig& plugin, const ShippedPlugins& shipped, Diagnostics& out) {
    if (!plugin.file.empty()) return;
    const std::string name = plugin.class_name.empty() ? plugin.id.value() : plugin.class_name;
    if (const auto file = shipped.find(name)) {
        plugin.file = file->string();
        plugin.shipped = true;
        return;
    }
    out.error(plugin.place, join_path("plugin", plugin.id.value()) +
                                ": there is no shipped plugin " + quoted(name) +
                                "; name its 'file'" + suggestion(name, shipped.names()));
}

void add_shipped(Config& config, const Reference& name, const ShippedPlugins& shipped,
                 Diagnostics& out) {
    const SettingValue& value = *name.value;
    if (config.find_plugin(value.text) != nullptr) return;
    const auto file = shipped.find(value.text);
    if (!file) {
        std::string more = suggestion(value.text, known_names(config, shipped.names()));
        if (more.empty()) more = shipped_of_kind(shipped, value.instance_kind);
        out.error(value.place,
                  name.path + ": no plugin instance named " + quoted(value.text) + more);
        return;
    }
    config.plugins.push_back({.id = PluginInstanceId(value.text),
                              .declared = false,
                              .shipped = true,
                              .file = file->string(),
                              .settings = {.place = value.place},
                              .place = value.place,
                              .file_place = value.place});
}

void check_instance_kind(const Config& config, const Reference& name, const KindOf& kind_of,
                         Diagnostics& out) {
    const SettingValue& value = *name.value;
    if (config.find_plugin(value.text) == nullptr)
        return;  // said by add_shipped or check_instances
    const std::string kind = kind_of(PluginInstanceId(value.text));
    if (kind.empty() || value.instance_kind.empty() || kind == value.instance_kind) return;
    out.error(value.place, name.path + ": " + quoted(value.text) + " is of kind " +
                               printable(kind) + ", and " + printable(value.instance_kind) +
                               " is needed here");
}

/// A plugin's settings may only name instances there are: they make none.
void check_instances(const Config& config, const PluginConfig& plugin, const SettingValue& settings,
                     Diagnostics& out) {
    for (const Reference& name :
         references(settings, SettingType::instance, settings_path(plugin))) {
        const std::string& id = name.value->text;
        if (config.find_plugin(id) != nullptr) continue;
        out.error(name.value->place, name.path + ": no plugin instance named " + quoted(id) +
                                         suggestion(id, known_names(config, {})));
    }
}

void check_secrets(const PluginConfig& plugin, const SettingValue& settings, Diagnostics& out) {
    for (const Reference& name : references(settings, SettingType::secret, settings_path(plugin))) {
        const std::string& secret = name.value->text;
        if (std::ranges::count(plugin.grants.secrets, secret) > 0) continue;
        const std::string table = join_path("plugin", plugin.id.value());
        out.error(name.value->place, name.path + ": secret " + quoted(secret) +
                                         " is not granted; add it to " + table + ".grants.secrets" +
                                         suggestion(secret, plugin.grants.secrets));
    }
}

}  // namespace

void find_plugin_files(Config& config, const ShippedPlugins& shipped, Diagnostics& diagnostics) {
    for (PluginConfig& plugin : config.plugins) find_file(plugin, shipped, diagnostics);
    for (const Reference& name : pipeline_names(config))
        add_shipped(config, name, shipped, diagnostics);
}

std::optional<SettingValue> validate_plugin_settings(const Config& config,
                                                     const PluginConfig& plugin,
                                                     const Fields& fields,
                                                     Diagnostics& diagnostics) {
    const std::size_t before = diagnostics.errors();
    SettingValue settings =
        validate_settings(plugin.settings, fields, settings_path(plugin), diagnostics);
    check_instances(config, plugin, settings, diagnostics);
    check_secrets(plugin, settings, diagnostics);
    if (diagnostics.errors() > before) return std::nullopt;
    return settings;
}

void check_kinds(const Config& config, const InstanceSettings& settings, const KindOf& kind_of,
                 Diagnostics& diagnostics) {
    std::vector<Reference> names = pipeline_names(config);
    for (const auto& [id, tree] : settings) {
        collect(tree, SettingType::instance, join_path("plugin", id.value()) + ".settings", names);
    }
    std::set<std::string> used;
    for (const Reference& name : names) {
        check_instance_kind(config, name, kind_of, diagnostics);
        used.insert(name.value->text);
    }
    for (const PluginConfig& plugin : config.plugins) {
        // Without a file there is no instance to use.
        const bool is_there = plugin.declared && !plugin.file.empty();
        if (!is_there || used.contains(plugin.id.value())) continue;
        diagnostics.warning(
            plugin.place, join_path("plugin", plugin.id.value()) + ": nothing uses this instance");
    }
}

}  // namespace capstan::runtime
