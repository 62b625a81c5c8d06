#include "simulator/live/live_cloud.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <tuple>
#include <utility>
#include <vector>

#include <capstan/duration.hpp>

#include "config/print.hpp"
#include "config/text.hpp"
#include "config/toml_values.hpp"
#include "simulator/cloud_control.hpp"

namespace capstan::simulator::live {
namespace {

using config::TomlValue;
using Kind = TomlValue::Kind;

constexpr Duration boot_default = std::chrono::seconds(60);
constexpr Duration for_ever = std::chrono::hours(24 * 365);

/// The plugin's settings that are durations.
constexpr std::array<std::string_view, 13> duration_keys{"latency",
                                                         "refresh_every",
                                                         "list_lag",
                                                         "boot",
                                                         "delete_time",
                                                         "error_after",
                                                         "at",
                                                         "unneeded_time",
                                                         "unready_time",
                                                         "max_node_provision_time",
                                                         "drain_timeout",
                                                         "device_settling_time",
                                                         "settling_time"};

void speed_up_cloud(TomlValue& value, double speed) {
    for (TomlValue& member : value.children) {
        // A machine's labels may have the names of durations.
        if (member.key == "machine") continue;
        speed_up_cloud(member, speed);
        if (member.kind != Kind::string || std::ranges::count(duration_keys, member.key) == 0)
            continue;
        if (const auto time = parse_duration(member.text))
            member.text = format_duration(sped_up(*time, speed));
    }
}

/// Whether the member is the list of groups, or of the machine types for auto-provisioned groups.
bool has_machines(const TomlValue& member) {
    return member.key == "groups" || member.key == "machine_types";
}

}  // namespace

Duration sped_up(Duration time, double speed) {
    if (time <= Duration(0)) return time;
    const auto out = std::chrono::round<std::chrono::milliseconds>(time / speed);
    return std::max<Duration>(out, std::chrono::milliseconds(1));
}

LiveCloud::LiveCloud(const Input& input, double speed)
    : speed_(speed), register_delay_(input.register_delay) {
    if (!input.clouds.empty()) settings_ = input.clouds.front().settings;
    for (const Registration& registration : input.registrations)
        std::ignore = apply(registration, Duration(0));
}

Result<void> LiveCloud::apply(const ExternalEvent& what, Duration since) {
    if (const auto* change = std::get_if<CloudChange>(&what)) {
        // `since` is real time, and the settings are in the scenario's time.
        const auto at =
            Duration(static_cast<Duration::rep>(static_cast<double>(since.count()) * speed_));
        return add_change(settings_, *change, at);
    }
    if (const auto* add = std::get_if<AddGroup>(&what)) {
        add_group(settings_, add->group);
        return {};
    }
    if (const auto* remove = std::get_if<RemoveGroup>(&what))
        return remove_group(settings_, remove->id);
    if (const auto* edit = std::get_if<CloudEdit>(&what)) {
        for (const std::string& key : edit->dropped) erase(settings_, key);
        for (const TomlValue& member : edit->settings.children) put(member, settings_);
        return {};
    }
    if (const auto* registration = std::get_if<Registration>(&what)) {
        Registration& own = registrations_[registration->group];
        if (registration->joins) own.joins = registration->joins;
        if (registration->register_delay) own.register_delay = registration->register_delay;
        return {};
    }
    return fail(ErrorCode::unsupported, "not a change of the cloud");
}

Duration LiveCloud::boot_of(const TomlValue& group) const {
    const auto found = registrations_.find(text_of(group, "id"));
    const Registration own = found == registrations_.end() ? Registration{} : found->second;
    if (!own.joins.value_or(true)) return for_ever;
    const auto written = parse_duration(text_of(group, "boot"));
    return (written ? *written : boot_default) + own.register_delay.value_or(register_delay_);
}

void LiveCloud::scale_group(TomlValue& group) const {
    put(config::text_value("boot", format_duration(boot_of(group))), group);
    speed_up_cloud(group, speed_);
}

TomlValue LiveCloud::settings() const {
    TomlValue out = settings_;
    for (TomlValue& member : out.children) {
        if (!has_machines(member)) continue;
        for (TomlValue& group : member.children) scale_group(group);
    }
    // The settings other than the groups.
    for (TomlValue& member : out.children) {
        if (member.kind != Kind::string) continue;
        TomlValue one{.children = {member}};
        speed_up_cloud(one, speed_);
        member = one.children.front();
    }
    put({.kind = Kind::boolean, .key = "register_nodes", .boolean = true}, out);
    return out;
}

Duration LiveCloud::slowest_boot() const {
    Duration out{0};
    for (const TomlValue& member : settings_.children) {
        if (!has_machines(member)) continue;
        for (const TomlValue& group : member.children) {
            if (const Duration boot = boot_of(group); boot < for_ever) out = std::max(out, boot);
        }
    }
    return sped_up(out, speed_);
}

// The configuration.

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
