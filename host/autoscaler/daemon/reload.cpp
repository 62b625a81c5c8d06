#include "autoscaler/daemon/reload.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "autoscaler/kinds.hpp"
#include "config/settings_view.hpp"

namespace capstan::autoscaler::daemon {
namespace {

constexpr Duration reconfigure_timeout = std::chrono::seconds(10);

/// As values: where they were written does not count.
bool is_same(const config::SettingValue& a, const config::SettingValue& b) {
    if (a.shape != b.shape || a.type != b.type || a.key != b.key || a.text != b.text ||
        a.integer != b.integer || a.number != b.number || a.boolean != b.boolean ||
        a.children.size() != b.children.size())
        return false;
    if (a.shape != config::SettingValue::Shape::table)
        return std::ranges::equal(a.children, b.children, is_same);
    return std::ranges::all_of(a.children, [&](const config::SettingValue& child) {
        const config::SettingValue* const other = b.find(child.key);
        return other != nullptr && is_same(child, *other);
    });
}

/// The deepest keys that differ. Settings of plugins are left out: their classes know more.
void collect(const config::SettingValue& before, const config::SettingValue& after,
             const std::string& path, std::vector<std::string>& out) {
    const bool are_tables = before.shape == config::SettingValue::Shape::table &&
                            after.shape == config::SettingValue::Shape::table;
    if (!are_tables) {
        if (!is_same(before, after)) out.push_back(path);
        return;
    }
    const auto below = [&](const std::string& key) {
        return path.empty() ? key : path + "." + key;
    };
    const auto is_left_out = [&](const std::string& key) {
        return path.empty() ? key == "plugin" : path.starts_with("plugin.") && key == "settings";
    };
    for (const config::SettingValue& child : after.children) {
        if (is_left_out(child.key)) continue;
        const config::SettingValue* const other = before.find(child.key);
        if (other != nullptr) {
            collect(*other, child, below(child.key), out);
        } else {
            out.push_back(below(child.key));
        }
    }
    for (const config::SettingValue& child : before.children)
        if (after.find(child.key) == nullptr && !is_left_out(child.key))
            out.push_back(below(child.key));
}

/// Whether a key outside of the tables of plugins can be taken over while running.
bool is_live(std::string_view path) {
    // Pods have been read with it.
    if (path == "scale_up.spread_timeout_annotation") return false;
    // Controllers are created at the start.
    if (path.starts_with("pipeline.controllers")) return false;
    constexpr std::array<std::string_view, 9> starts{"pipeline",
                                                     "scale_up",
                                                     "scale_down",
                                                     "limits",
                                                     "admin.max_failing_time",
                                                     "admin.max_inactivity",
                                                     "admin.max_startup_time",
                                                     "cluster.scan_interval",
                                                     "simulate"};
    return std::ranges::any_of(starts, [&](std::string_view s) { return path.starts_with(s); });
}

const LoadedPlugin* find_loaded(const LoadedConfig& config, const PluginInstanceId& id) {
    const auto at = std::ranges::find(config.plugins, id,
                                      [](const LoadedPlugin& plugin) { return plugin.config.id; });
    return at == config.plugins.end() ? nullptr : &*at;
}

std::string_view kind_of(const LoadedPlugin* plugin) {
    return plugin == nullptr ? std::string_view() : plugin->plugin_class.kind;
}

/// Instances of these kinds are asked during passes alone, so others can take their places between
/// two passes.
bool is_exchanged(std::string_view kind) {
    return is_known_kind(kind) && kind != CAPSTAN_KIND_CLOUD && kind != CAPSTAN_KIND_CONTROLLER;
}

/// The table of [plugin.ID]; NULL: it is only named in the pipeline, or not at all.
const config::SettingValue* find_table(const LoadedConfig& config, const std::string& id) {
    const config::SettingValue* const plugins = config.config.tree.find("plugin");
    return plugins == nullptr ? nullptr : plugins->find(id);
}

/// Names of instances, those of `after` first.
std::vector<PluginInstanceId> all_plugins(const LoadedConfig& before, const LoadedConfig& after) {
    std::vector<PluginInstanceId> out;
    for (const LoadedConfig* config : {&after, &before})
        for (const LoadedPlugin& plugin : config->plugins)
            if (std::ranges::find(out, plugin.config.id) == out.end())
                out.push_back(plugin.config.id);
    return out;
}

struct ChangedKeys {
    std::vector<std::string> of_table{};  ///< but settings
    std::vector<std::string> live_settings{}, fixed_settings{};

    bool need_a_new_instance() const { return !of_table.empty() || !fixed_settings.empty(); }
};

ChangedKeys compare(const LoadedConfig& before, const LoadedConfig& after,
                    const PluginInstanceId& id) {
    ChangedKeys out;
    const std::string path = "plugin." + id.value();
    const config::SettingValue* const old_table = find_table(before, id.value());
    const config::SettingValue* const new_table = find_table(after, id.value());
    if (old_table != nullptr && new_table != nullptr) {
        collect(*old_table, *new_table, path, out.of_table);
    } else if (old_table != new_table) {
        out.of_table.push_back(path);
    }
    const LoadedPlugin* const old_plugin = find_loaded(before, id);
    const LoadedPlugin* const new_plugin = find_loaded(after, id);
    if (old_plugin == nullptr || new_plugin == nullptr) return out;
    for (const config::Field& field : new_plugin->fields) {
        const config::SettingValue* const old_value = old_plugin->settings.find(field.key);
        const config::SettingValue* const new_value = new_plugin->settings.find(field.key);
        const bool are_both = old_value != nullptr && new_value != nullptr;
        if (are_both ? is_same(*old_value, *new_value) : old_value == new_value) continue;
        (field.live ? out.live_settings : out.fixed_settings)
            .push_back(config::settings_path(new_plugin->config) + "." + field.key);
    }
    return out;
}

void append(std::vector<std::string>& to, const std::vector<std::string>& keys) {
    to.insert(to.end(), keys.begin(), keys.end());
}

/// What can be exchanged is compared with what runs, the rest with what was started.
void compare_plugin(const LoadedConfig& started, const LoadedConfig& running,
                    const LoadedConfig& after, const PluginInstanceId& id, ConfigChanges& out) {
    const LoadedPlugin* const old_plugin = find_loaded(running, id);
    const LoadedPlugin* const new_plugin = find_loaded(after, id);
    const std::string_view old_kind = kind_of(old_plugin), new_kind = kind_of(new_plugin);
    const bool is_here =
        find_loaded(started, id) != nullptr && !is_exchanged(kind_of(find_loaded(started, id)));
    const bool can_be = is_exchanged(new_plugin != nullptr ? new_kind : old_kind) && !is_here;
    const ChangedKeys keys = compare(running, after, id);
    append(out.live, keys.live_settings);
    if (!can_be) {
        const ChangedKeys since_start = compare(started, after, id);
        append(out.fixed, since_start.of_table);
        append(out.fixed, since_start.fixed_settings);
        if (!keys.live_settings.empty()) out.plugins.push_back(id);
        return;
    }
    append(out.live, keys.of_table);
    append(out.live, keys.fixed_settings);
    if (new_plugin == nullptr) {
        out.gone.push_back(id);
    } else if (old_plugin == nullptr || old_kind != new_kind || keys.need_a_new_instance()) {
        out.made.push_back(id);
    } else if (!keys.live_settings.empty()) {
        out.plugins.push_back(id);
    }
}

/// Clouds are made at the start: of those, any and in any order.
bool run_already(const std::vector<PluginInstanceId>& clouds, const LoadedConfig& started,
                 const LoadedConfig& after) {
    return std::ranges::all_of(clouds, [&](const PluginInstanceId& id) {
        const LoadedPlugin* const plugin = find_loaded(started, id);
        return plugin != nullptr && kind_of(plugin) == kind_of(find_loaded(after, id));
    });
}

/// The settings that are handed to a plugin, with everything that they borrow from.
struct ShownSettings {
    ShownSettings(std::shared_ptr<const LoadedConfig> of, const LoadedPlugin& plugin)
        : config(std::move(of)),
          view(plugin.settings, config::settings_path(plugin.config), nullptr) {}
    std::shared_ptr<const LoadedConfig> config;
    config::SettingsView view;
};

}  // namespace

ConfigChanges find_changes(const LoadedConfig& before, const LoadedConfig& after) {
    return find_changes(before, before, after);
}

ConfigChanges find_changes(const LoadedConfig& started, const LoadedConfig& running,
                           const LoadedConfig& after) {
    constexpr std::string_view clouds = "pipeline.clouds";
    ConfigChanges out;
    std::vector<std::string> from_running, from_started;
    collect(running.config.tree, after.config.tree, "", from_running);
    collect(started.config.tree, after.config.tree, "", from_started);
    for (std::string& path : from_running)
        if (path != clouds && is_live(path)) out.live.push_back(std::move(path));
    for (std::string& path : from_started)
        if (!is_live(path)) out.fixed.push_back(std::move(path));
    const std::vector<PluginInstanceId>& wanted = after.config.pipeline.clouds;
    if (wanted != running.config.pipeline.clouds) {
        out.keeps_clouds = !run_already(wanted, started, after);
        (out.keeps_clouds ? out.fixed : out.live).emplace_back(clouds);
    }
    for (const PluginInstanceId& id : all_plugins(running, after))
        compare_plugin(started, running, after, id, out);
    return out;
}

std::vector<const LoadedPlugin*> select_plugins(const LoadedConfig& config,
                                                const std::vector<PluginInstanceId>& ids) {
    std::vector<const LoadedPlugin*> out;
    for (const LoadedPlugin& plugin : config.plugins)
        if (std::ranges::find(ids, plugin.config.id) != ids.end()) out.push_back(&plugin);
    return out;
}

Result<void> reconfigure(PluginHost& host, const std::shared_ptr<const LoadedConfig>& after,
                         const PluginInstanceId& plugin) {
    const LoadedPlugin* const loaded = find_loaded(*after, plugin);
    const auto instance = host.find(plugin);
    if (loaded == nullptr || instance == nullptr)
        return fail(ErrorCode::internal, "no plugin " + plugin.value());
    const auto shown = std::make_shared<ShownSettings>(after, *loaded);
    const std::shared_ptr<const capstan_settings> settings(shown, shown->view.abi());
    return host.wait<void>(
        [&](plugin_runtime::instances::PluginInstance::Done done) {
            instance->reconfigure(settings, reconfigure_timeout, std::move(done));
        },
        reconfigure_timeout * 2);
}

}  // namespace capstan::autoscaler::daemon
