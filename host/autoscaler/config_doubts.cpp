#include "autoscaler/config_doubts.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include <capstan/ascii.hpp>
#include <capstan/sentence.hpp>

#include "config/text.hpp"

namespace capstan::autoscaler {
namespace {

constexpr std::string_view key = "machine_types";

/// NULL: the plugin has no such setting.
const config::SettingValue* find_machine_types(const PluginSet& plugins,
                                               const PluginInstanceId& id) {
    const auto plugin = std::ranges::find(
        plugins, id, [](const LoadedPlugin& p) -> const auto& { return p.config.id; });
    return plugin == plugins.end() ? nullptr : plugin->settings.find(key);
}

/// The machine types of all clouds. Absent: a cloud does not have them in its settings.
std::optional<std::vector<std::string>> find_known(const config::Config& config,
                                                   const PluginSet& plugins) {
    std::vector<std::string> out;
    for (const PluginInstanceId& cloud : config.pipeline.clouds) {
        const config::SettingValue* const types = find_machine_types(plugins, cloud);
        if (types == nullptr) return std::nullopt;
        for (const config::SettingValue& type : types->children) {
            const config::SettingValue* const machine = type.find("machine");
            const config::SettingValue* const name =
                machine == nullptr ? nullptr : machine->find("type");
            if (name == nullptr) return std::nullopt;
            out.push_back(name->text);
        }
    }
    return out;
}

config::Place place_of_sources(const config::Config& config) {
    const config::SettingValue* at = &config.tree;
    for (const std::string_view name : {"pipeline", "scale_up", "group_sources"})
        at = at == nullptr ? nullptr : at->find(name);
    return at == nullptr ? config::Place() : at->key_place;
}

void add_machine_types(const config::Config& config, const PluginSet& plugins,
                       std::vector<ConfigDoubt>& out) {
    const auto& sources = config.pipeline.scale_up.group_sources;
    const auto known = find_known(config, plugins);
    if (sources.empty() || config.pipeline.clouds.empty() || !known) return;
    const auto id_of = [](const PluginInstanceId& id) { return id.value(); };
    if (known->empty()) {
        out.push_back({.place = place_of_sources(config),
                       .what = "machine types",
                       .found = "no group can be created: no cloud offers machine types",
                       .fix = "add machine_types to the settings of " +
                              listed(config.pipeline.clouds, id_of)});
        return;
    }
    for (const PluginInstanceId& source : sources) {
        const config::SettingValue* const named = find_machine_types(plugins, source);
        if (named == nullptr) continue;
        for (const config::SettingValue& name : named->children) {
            if (std::ranges::count(*known, name.text) > 0) continue;
            out.push_back({.place = name.place,
                           .what = "machine types",
                           .found = "plugin." + source.value() +
                                    ".settings.machine_types: no cloud offers machine type '" +
                                    config::shortened(name.text, 60) + "'" +
                                    config::suggestion(name.text, *known),
                           .fix = "use a machine type that a cloud offers"});
        }
    }
}

/// Words that the manifests in deploy/ and guides have in the place of a value.
constexpr std::string_view placeholders[] = {
    "ACCOUNT",      "ACCOUNT_ID",   "CHANGEME",    "CHANGE_ME", "CLUSTER",
    "CLUSTER_NAME", "PROJECT",      "PROJECT_ID",  "REGION",    "REPLACE_ME",
    "TODO",         "YOUR_CLUSTER", "YOUR_REGION", "ZONE"};

/// The placeholder in the text: one of the words, "${NAME}", or the whole text in angle brackets.
std::string_view find_placeholder(std::string_view text) noexcept {
    const auto is_word = [](char c) { return is_ascii_alnum(c) || c == '_'; };
    for (std::size_t at = 0; at < text.size();) {
        const auto* const begin = text.data() + at;
        const auto* const end = std::find_if_not(begin, text.data() + text.size(), is_word);
        const std::string_view word(begin, static_cast<std::size_t>(end - begin));
        if (std::ranges::find(placeholders, word) != std::end(placeholders)) return word;
        at += std::max<std::size_t>(word.size(), 1);
    }
    if (const std::size_t at = text.find("${"); at != std::string_view::npos) {
        const std::size_t end = text.find('}', at);
        if (end != std::string_view::npos) return text.substr(at, end + 1 - at);
    }
    return text.starts_with('<') && text.ends_with('>') ? text : std::string_view();
}

void add_placeholders(const config::SettingValue& at, const std::string& path,
                      std::vector<ConfigDoubt>& out) {
    const std::string_view found = at.defaulted ? "" : find_placeholder(at.text);
    if (!found.empty())
        out.push_back({.place = at.place,
                       .what = "placeholders",
                       .found = path + ": " + config::shortened(found, 60) + " is a placeholder",
                       .fix = "replace it by a value"});
    for (const config::SettingValue& child : at.children) {
        const bool is_item = at.shape == config::SettingValue::Shape::list;
        add_placeholders(
            child, is_item || !at.text.empty() ? path : config::join_path(path, child.key), out);
    }
}

bool has_url(const config::Fields& fields) {
    return std::ranges::any_of(fields, [](const config::Field& field) {
        return field.type == SettingType::url || has_url(field.fields);
    });
}

bool has_url_value(const config::SettingValue& at) {
    if (at.shape == config::SettingValue::Shape::value)
        return at.type == SettingType::url && !at.text.empty();
    return std::ranges::any_of(at.children, has_url_value);
}

void add_missing_grant(const config::Config& config, const LoadedPlugin& plugin,
                       std::vector<ConfigDoubt>& out) {
    if (!plugin.config.grants.http.empty()) return;
    const auto& clouds = config.pipeline.clouds;
    const bool is_cloud = std::ranges::count(clouds, plugin.config.id) > 0;
    if (!has_url_value(plugin.settings) && !(is_cloud && has_url(plugin.fields))) return;
    const std::string path = config::join_path("plugin", plugin.config.id.value());
    out.push_back({.place = plugin.config.place,
                   .what = "grants",
                   .found = path + ": has no http grant: it can reach nothing",
                   .fix = "name the hosts that it needs in " + path + ".grants.http"});
}

/// The GPU types of a machine in the settings of a cloud: its resources, and the values of its
/// labels.
void collect_gpu_types(const config::SettingValue& machine, std::vector<std::string>& out) {
    const auto* const gpus = machine.find("gpu");
    const auto* const resource = machine.find("gpu_resource");
    if (gpus != nullptr && gpus->integer > 0)
        out.push_back(resource == nullptr ? "nvidia.com/gpu" : resource->text);
    if (const auto* const resources = machine.find("resources"))
        for (const config::SettingValue& each : resources->children) out.push_back(each.key);
    if (const auto* const labels = machine.find("labels"))
        for (const config::SettingValue& each : labels->children) out.push_back(each.text);
}

/// Absent: a cloud does not have its groups and machine types in its settings.
std::optional<std::vector<std::string>> find_gpu_types(const config::Config& config,
                                                       const PluginSet& plugins) {
    std::vector<std::string> out;
    for (const PluginInstanceId& cloud : config.pipeline.clouds) {
        const auto plugin = std::ranges::find(
            plugins, cloud, [](const LoadedPlugin& p) -> const auto& { return p.config.id; });
        if (plugin == plugins.end()) return std::nullopt;
        bool is_empty = true;
        for (const std::string_view list : {"groups", "machine_types"}) {
            const config::SettingValue* const values = plugin->settings.find(list);
            if (values == nullptr) continue;
            is_empty = is_empty && values->children.empty();
            for (const config::SettingValue& value : values->children) {
                const config::SettingValue* const machine = value.find("machine");
                if (machine == nullptr) return std::nullopt;
                collect_gpu_types(*machine, out);
            }
        }
        if (is_empty) return std::nullopt;
    }
    return out;
}

void add_unused_limits(const config::Config& config, const PluginSet& plugins,
                       std::vector<ConfigDoubt>& out) {
    const auto known = find_gpu_types(config, plugins);
    const config::SettingValue* const limits = config.tree.find("limits");
    const auto* const types = limits == nullptr ? nullptr : limits->find("gpu_types");
    if (types == nullptr || !known || config.pipeline.clouds.empty()) return;
    for (const config::SettingValue& type : types->children)
        if (std::ranges::count(*known, type.key) == 0)
            out.push_back({.place = type.key_place,
                           .what = "limits",
                           .found = config::join_path("limits.gpu_types", type.key) +
                                    " limits nothing: no node group has such GPUs" +
                                    config::suggestion(type.key, *known),
                           .fix = "name the resource, or the value of the GPU node label"});
}

}  // namespace

std::vector<ConfigDoubt> find_config_doubts(const config::Config& config,
                                            const PluginSet& plugins) {
    std::vector<ConfigDoubt> out;
    for (const config::SettingValue& section : config.tree.children)
        add_placeholders(section, section.key, out);
    for (const LoadedPlugin& plugin : plugins) {
        add_placeholders(plugin.settings, config::settings_path(plugin.config), out);
        add_missing_grant(config, plugin, out);
    }
    add_unused_limits(config, plugins, out);
    add_machine_types(config, plugins, out);
    return out;
}

}  // namespace capstan::autoscaler
