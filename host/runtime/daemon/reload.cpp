#include "runtime/daemon/reload.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "runtime/config/settings_view.hpp"

namespace capstan::runtime {
namespace {

constexpr Duration reconfigure_timeout = std::chrono::seconds(10);

/// As values: where they were written does not count.
bool is_same(const SettingValue& a, const SettingValue& b) {
    if (a.shape != b.shape || a.type != b.type || a.key != b.key || a.text != b.text ||
        a.integer != b.integer || a.number != b.number || a.boolean != b.boolean ||
        a.children.size() != b.children.size())
        return false;
    if (a.shape != SettingValue::Shape::table)
        return std::ranges::equal(a.children, b.children, is_same);
    return std::ranges::all_of(a.children, [&](const SettingValue& child) {
        const SettingValue* const other = b.find(child.key);
        return other != nullptr && is_same(child, *other);
    });
}

/// The deepest keys that differ. Settings of plugins are left out: their classes know more.
void collect(const SettingValue& before, const SettingValue& after, const std::string& path,
             std::vector<std::string>& out) {
    const bool are_tables =
        before.shape == SettingValue::Shape::table && after.shape == SettingValue::Shape::table;
    if (!are_tables) {
        if (!is_same(before, after)) out.push_back(path);
        return;
    }
    const auto below = [&](const std::string& key) {
        return path.empty() ? key : path + "." + key;
    };
    for (const SettingValue& child : after.children) {
        const bool is_of_plugin = path.starts_with("plugin.") && child.key == "settings";
        if (is_of_plugin) continue;
        const SettingValue* const other = before.find(child.key);
        if (other != nullptr) {
            collect(*other, child, below(child.key), out);
        } else {
            out.push_back(below(child.key));
        }
    }
    for (const SettingValue& child : before.children)
        if (after.find(child.key) == nullptr && child.key != "settings")
            out.push_back(below(child.key));
}

bool is_live(std::string_view path) {
    // Pods were read by it.
    if (path == "scale_up.spread_timeout_annotation") return false;
    // Instances are made at the start.
    if (path.starts_with("pipeline.controllers")) return false;
    constexpr std::array<std::string_view, 6> starts{
        "pipeline", "scale_up", "scale_down", "limits", "admin.max_", "cluster.scan_interval"};
    return std::ranges::any_of(starts, [&](std::string_view s) { return path.starts_with(s); });
}

const LoadedPlugin* find_loaded(const LoadedConfig& config, const PluginInstanceId& id) {
    const auto at = std::ranges::find(config.plugins, id,
                                      [](const LoadedPlugin& plugin) { return plugin.config.id; });
    return at == config.plugins.end() ? nullptr : &*at;
}

void compare_settings(const LoadedPlugin& before, const LoadedPlugin& after, ConfigChanges& out) {
    bool has_live = false;
    for (const Field& field : after.fields) {
        const SettingValue* const old_value = before.settings.find(field.key);
        const SettingValue* const new_value = after.settings.find(field.key);
        const bool are_both = old_value != nullptr && new_value != nullptr;
        if (are_both ? is_same(*old_value, *new_value) : old_value == new_value) continue;
        (field.live ? out.live : out.fixed)
            .push_back(settings_path(after.config) + "." + field.key);
        has_live |= field.live;
    }
    if (has_live) out.plugins.push_back(after.config.id);
}

/// What a plugin is shown, with all it borrows from.
struct ShownSettings {
    ShownSettings(std::shared_ptr<const LoadedConfig> of, const LoadedPlugin& plugin)
        : config(std::move(of)), view(plugin.settings, settings_path(plugin.config), nullptr) {}
    std::shared_ptr<const LoadedConfig> config;
    SettingsView view;
};

}  // namespace

ConfigChanges find_changes(const LoadedConfig& before, const LoadedConfig& after) {
    ConfigChanges out;
    std::vector<std::string> paths;
    collect(before.config.tree, after.config.tree, "", paths);
    for (std::string& path : paths)
        (is_live(path) ? out.live : out.fixed).push_back(std::move(path));
    for (const LoadedPlugin& plugin : after.plugins)
        if (const LoadedPlugin* const old = find_loaded(before, plugin.config.id))
            compare_settings(*old, plugin, out);
    return out;
}

ConfigChanges find_changes(const LoadedConfig& started, const LoadedConfig& running,
                           const LoadedConfig& after) {
    ConfigChanges out = find_changes(running, after);
    out.fixed = find_changes(started, after).fixed;
    return out;
}

Result<void> reconfigure(PluginHost& host, const std::shared_ptr<const LoadedConfig>& after,
                         const PluginInstanceId& plugin) {
    const LoadedPlugin* const loaded = find_loaded(*after, plugin);
    const auto instance = host.find(plugin);
    if (loaded == nullptr || instance == nullptr)
        return fail(ErrorCode::internal, "there is no instance " + plugin.value());
    const auto shown = std::make_shared<ShownSettings>(after, *loaded);
    const std::shared_ptr<const capstan_settings> settings(shown, shown->view.abi());
    return host.wait<void>(
        [&](PluginInstance::Done done) {
            instance->reconfigure(settings, reconfigure_timeout, std::move(done));
        },
        reconfigure_timeout * 2);
}

}  // namespace capstan::runtime
