#include "simulator/live/live_config.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>
#include <vector>

#include <capstan/duration.hpp>

#include "config/print.hpp"
#include "config/text.hpp"
#include "simulator/live/live_cloud.hpp"

namespace capstan::simulator::live {
namespace {

using config::SettingValue;

/// Settings that the speed does not divide: bounds of the time that computing and calls take, and
/// settings without effect, of which a configuration that sets them is warned.
constexpr std::array<std::string_view, 4> unscaled_settings{
    "simulation_timeout", "max_bulk_soft_taint_time", "max_nodegroup_binpacking_duration",
    "unremovable_node_recheck_timeout"};
/// With shorter intervals the daemon would do little but passes.
constexpr Duration scan_interval_min = std::chrono::milliseconds(250);

constexpr std::string_view simulated = "simulated";

SettingValue* find_setting(SettingValue& table, std::string_view key) {
    const auto at = std::ranges::find(table.children, key, &SettingValue::key);
    return at == table.children.end() ? nullptr : &*at;
}

void set_time(SettingValue& value, Duration time) {
    value.defaulted = false;
    value.integer = time.count();
    value.text = format_duration(time);
}

void speed_up_settings(SettingValue& table, double speed) {
    for (SettingValue& member : table.children) {
        const bool is_fixed = std::ranges::count(unscaled_settings, member.key) > 0;
        if (member.shape != SettingValue::Shape::value) speed_up_settings(member, speed);
        const bool is_time = member.shape == SettingValue::Shape::value &&
                             member.type == SettingType::duration && member.integer > 0;
        if (is_time && !is_fixed) set_time(member, sped_up(Duration(member.integer), speed));
    }
}

/// The configuration of the scenario, without the simulated cloud that `prepare` added.
std::string text_without_cloud(const config::Config& own) {
    config::Config config = own;
    std::erase_if(config.plugins, [](const config::PluginConfig& plugin) {
        return plugin.id.value() == simulated;
    });
    return config::print_config(config, config::PrintDefaults::no,
                                [](const PluginInstanceId&) { return nullptr; });
}

std::vector<std::string> overrides(bool has_cloud, const LiveConfigOptions& options) {
    std::vector<std::string> out{
        "cluster.kubeconfig=" +
            config::to_toml(config::TomlValue{.kind = config::TomlValue::Kind::string,
                                              .text = options.kubeconfig}),
        "cluster.context=\"\"", "cluster.server=\"\"",
        // The server in memory takes more requests than the defaults, made for production, allow.
        "cluster.kube_client_qps=200.0", "cluster.kube_client_burst=400",
        "admin.listen=\"" + options.admin + "\""};
    if (!has_cloud) return out;
    out.emplace_back("pipeline.clouds=[\"simulated\"]");
    out.emplace_back(
        "plugin.simulated.grants={ state = true, kube = [\"nodes:list,watch,create,delete\"] }");
    return out;
}

}  // namespace

Result<std::string> make_live_config(const config::Config& own, const Input& input,
                                     const config::TomlValue* settings,
                                     const config::ShippedPlugins& shipped,
                                     const LiveConfigOptions& options) {
    config::Loaded loaded =
        config::load_config(config::Source{"capstan.toml", text_without_cloud(own)}, shipped,
                            overrides(settings != nullptr, options));
    if (!loaded.config || loaded.diagnostics.errors() > 0)
        return fail(ErrorCode::internal,
                    "configuration of the live cluster: " + loaded.diagnostics.text());
    config::Config& config = *loaded.config;
    for (config::PluginConfig& plugin : config.plugins) {
        if (settings != nullptr && plugin.id.value() == simulated) plugin.settings = *settings;
    }
    if (options.speed != 1) {
        for (const char* section : {"scale_up", "scale_down"}) {
            if (SettingValue* const table = find_setting(config.tree, section))
                speed_up_settings(*table, options.speed);
        }
    }
    if (SettingValue* const cluster = find_setting(config.tree, "cluster")) {
        if (SettingValue* const interval = find_setting(*cluster, "scan_interval"))
            set_time(*interval,
                     std::max(sped_up(input.scan_interval, options.speed), scan_interval_min));
    }
    return config::print_config(config, config::PrintDefaults::no,
                                [](const PluginInstanceId&) { return nullptr; });
}

Duration quiet_period_of(const config::Config& own, const Input& input, double speed) {
    const config::ScaleDown& down = own.scale_down;
    Duration out = 3 * input.scan_interval;
    if (down.enabled)
        out += down.delay_after_add + down.unneeded_time + down.node_delete_delay_after_taint;
    return sped_up(out, speed) + std::chrono::seconds(1);
}

}  // namespace capstan::simulator::live
