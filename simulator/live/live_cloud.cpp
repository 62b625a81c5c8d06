#include "simulator/live/live_cloud.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <tuple>
#include <utility>

#include <capstan/duration.hpp>

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

}  // namespace capstan::simulator::live
