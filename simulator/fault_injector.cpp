#include "simulator/fault_injector.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>
#include <capstan/well_known.hpp>

#include "config/toml_values.hpp"

namespace capstan::simulator {
namespace {

using config::TomlValue;
using Kind = TomlValue::Kind;

TomlValue table(std::vector<TomlValue> members, std::string key = {}) {
    return {.kind = Kind::table, .key = std::move(key), .children = std::move(members)};
}
TomlValue integer(std::string key, std::int64_t value) {
    return {.kind = Kind::integer, .key = std::move(key), .integer = value};
}
TomlValue list(std::string key, std::vector<TomlValue> members) {
    return {.kind = Kind::array, .key = std::move(key), .children = std::move(members)};
}
TomlValue flag(std::string key) {
    return {.kind = Kind::boolean, .key = std::move(key), .boolean = true};
}
TomlValue failure(std::string key, std::string code) {
    return table({config::text_value("code", std::move(code)),
                  config::text_value("message", "injected fault")},
                 std::move(key));
}

/// "spot: stock_out for 5m", "api_error ends".
std::string sentence(const FaultEvent& event) {
    std::string out = event.group.empty() ? "" : event.group + ": ";
    if (!event.plugin.empty()) out += event.plugin + ": ";
    out += name_of(event.kind);
    if (!event.begins) return out + " ends";
    if (event.kind == FaultKind::clock_jump) return out + " by " + format_duration(event.lasts);
    if (event.kind == FaultKind::memory_limit) out += " of " + counted(event.room, "byte");
    return is_brief(event.kind) ? out : out + " for " + format_duration(event.lasts);
}

/// The reasons of notices.
constexpr std::array<std::string_view, 5> reasons{"spot_interruption", "maintenance", "expiry",
                                                  "rebalance", "unhealthy"};

/// The setting of a cloud during the fault. A call that began while the cloud was silent is not
/// answered after the fault either: its latency stays 24 hours.
TomlValue setting_in(FaultKind kind) {
    switch (kind) {
        case FaultKind::silent: return config::text_value("latency", "24h");
        case FaultKind::slow_calls: return config::text_value("latency", "20s");
        case FaultKind::lost_answers: return failure("fail_answers", "unavailable");
        case FaultKind::late_answers: return config::text_value("answer_latency", "24h");
        case FaultKind::stale_lists:
            return config::text_value("list_lag", format_duration(stale_lists_lag));
        case FaultKind::partial_lists: return integer("list_omits", 3);
        case FaultKind::api_error: return failure("fail", "unavailable");
        default: return failure("fail", std::string(name_of(kind)));
    }
}

/// A label of the node that neither the cloud nor Kubernetes sets; empty: it has none.
std::string own_label(const engine::snapshot::NodeObject& node) {
    for (const auto& [key, value] : node.labels)
        if (key.find("kubernetes.io") == std::string::npos) return key;
    return {};
}

}  // namespace

std::vector<std::string> FaultInjector::groups() {
    std::vector<std::string> out;
    if (parts_.cloud != nullptr) out = parts_.cloud->groups();
    for (const engine::Group& group : parts_.autoscaler.groups()) {
        const std::string& id = group.group.id.value();
        const bool is_missing = parts_.cloud == nullptr ||
                                (group.group.autoprovisioned && std::ranges::count(out, id) == 0);
        if (!is_missing) continue;
        if (parts_.cloud != nullptr) made_.insert(id);
        out.push_back(id);
    }
    return out;
}

bool FaultInjector::is_out_of_reach(const FaultEvent& event) const {
    const bool needs_settings =
        event.kind == FaultKind::stock_out || event.kind == FaultKind::quota ||
        event.kind == FaultKind::removal_fails || event.kind == FaultKind::lost_machine ||
        event.kind == FaultKind::interruption;
    return needs_settings && made_.contains(event.group);
}

Result<Duration> FaultInjector::reach(Time now) {
    Duration jump{0};
    std::vector<FaultEvent> due = faults_.take_due(now, groups());
    for (const Fault& drawn : faults_.take_drawn()) parts_.event_log.add(drawn);
    std::erase_if(due, [&](const FaultEvent& event) { return is_out_of_reach(event); });
    for (FaultEvent& event : due) {
        name_plugin(event);
        parts_.event_log.add(now, EventKind::fault, event.group, sentence(event));
        parts_.event_log.add(
            Fact{.kind = event.begins ? FactKind::fault_began : FactKind::fault_ended,
                 .cause = Cause::fault,
                 .at = now,
                 .group = event.group,
                 .text = event.plugin.empty() ? event.cloud : event.plugin,
                 .fault = event.kind});
        if (event.kind == FaultKind::clock_jump) jump += event.lasts;
        CAPSTAN_CHECK(strike(event, now));
    }
    if (!due.empty()) parts_.autoscaler.refresh_again();
    return jump;
}

Result<void> FaultInjector::strike(const FaultEvent& event, Time now) {
    switch (event.kind) {
        case FaultKind::stock_out:
        case FaultKind::quota:
        case FaultKind::removal_fails:
        case FaultKind::lost_machine: return strike_group(event, now);
        case FaultKind::interruption: return interrupt(event, now);
        case FaultKind::api_error:
        case FaultKind::throttled:
        case FaultKind::unauthenticated:
        case FaultKind::slow_calls:
        case FaultKind::silent:
        case FaultKind::lost_answers:
        case FaultKind::late_answers:
        case FaultKind::stale_lists:
        case FaultKind::partial_lists: return strike_cloud(event, now);
        case FaultKind::cordoned:
        case FaultKind::foreign_taint:
        case FaultKind::lost_label: return edit_node(event, now);
        case FaultKind::deleted_node:
            if (const auto node = find_node(event)) parts_.cluster.remove_node(*node, now);
            return {};
        case FaultKind::twin_node: return add_twin(event, now);
        case FaultKind::never_joins:
            parts_.node_registrar.set({.group = event.group, .joins = !event.begins});
            return {};
        case FaultKind::flap: flap(event, now); return {};
        case FaultKind::eviction_error:
            parts_.autoscaler.break_api(event.begins);
            if (parts_.controllers != nullptr) parts_.controllers->break_api(event.begins);
            return {};
        case FaultKind::policy_denial: parts_.autoscaler.deny_evictions(event.begins); return {};
        case FaultKind::slow_scheduler: parts_.cluster.stop_scheduler(event.begins); return {};
        case FaultKind::clock_jump: return {};
        case FaultKind::restart: return parts_.autoscaler.restart();
        case FaultKind::restart_midway: parts_.autoscaler.restart_midway(); return {};
        case FaultKind::lost_lease:
            if (parts_.controllers != nullptr) parts_.controllers->lead(!event.begins);
            if (!event.begins) return parts_.autoscaler.regain_lease();
            parts_.autoscaler.lose_lease();
            return {};
        case FaultKind::lost_lease_midway: parts_.autoscaler.lose_lease_midway(); return {};
        case FaultKind::unobserved:
            event.begins ? parts_.autoscaler.stop_watches() : parts_.autoscaler.resume_watches();
            return {};
        case FaultKind::unwritten: parts_.autoscaler.refuse_memory(event.begins); return {};
        case FaultKind::lost_memory: return parts_.autoscaler.restart_without_memory();
        case FaultKind::old_memory: return parts_.autoscaler.restart_with_old_memory();
        case FaultKind::plugin_fails: return fail_plugin(event);
        case FaultKind::takeover:
            if (parts_.controllers != nullptr) parts_.controllers->lead(!event.begins);
            if (!event.begins) return parts_.autoscaler.regain_lease();
            parts_.autoscaler.lose_lease();
            parts_.autoscaler.set_skew(takeover_skew(event.chance));
            return {};
        case FaultKind::memory_limit:
            parts_.autoscaler.limit_memory(
                event.begins ? std::optional(static_cast<std::size_t>(event.room)) : std::nullopt);
            return {};
    }
    return {};
}

Result<void> FaultInjector::strike_cloud(const FaultEvent& event, Time now) {
    if (parts_.cloud == nullptr)
        return fail(ErrorCode::invalid_config, "the cloud is not simulated");
    const PluginInstanceId cloud = struck_cloud(event);
    const bool is_known = std::ranges::any_of(
        parts_.cloud->clouds(), [&](const SimulatedCloud& each) { return each.id == cloud; });
    if (!is_known)
        return fail(ErrorCode::invalid_config,
                    "fault: no simulated cloud " + in_quotes(cloud.value()));
    const std::string key = setting_in(event.kind).key;
    StruckSetting& setting = settings_[{cloud.value(), key}];
    if (event.kind == FaultKind::partial_lists) list_partly(cloud, event.begins);
    if (event.begins && setting.faults.empty()) {
        const TomlValue* const before = parts_.cloud->find(cloud, key);
        setting.before = before == nullptr ? std::nullopt : std::optional(*before);
    }
    std::erase(setting.faults, event.kind);
    if (event.begins) setting.faults.push_back(event.kind);
    CloudEdit edit{.settings = table({}), .dropped = {key}, .cloud = cloud};
    if (!setting.faults.empty()) {
        edit.settings.children.push_back(setting_in(setting.faults.back()));
    } else if (setting.before) {
        edit.settings.children.push_back(*setting.before);
    }
    return parts_.cloud->apply(edit, now);
}

/// While the list of a cloud is not complete, a machine that it lacks may still run.
void FaultInjector::list_partly(const PluginInstanceId& cloud, bool begins) {
    if (begins) {
        partly_listed_.insert(cloud.value());
    } else {
        partly_listed_.erase(cloud.value());
    }
    parts_.node_registrar.keep_missing(!partly_listed_.empty());
}

/// The cloud of the fault. If the fault names none, one is drawn when it begins, and the same
/// cloud is used when it ends.
PluginInstanceId FaultInjector::struck_cloud(const FaultEvent& event) {
    if (!event.cloud.empty()) return PluginInstanceId(event.cloud);
    const std::vector<SimulatedCloud>& clouds = parts_.cloud->clouds();
    if (event.begins) struck_[event.kind] = clouds[event.chance % clouds.size()].id;
    return struck_[event.kind];
}

/// Draws the plugin of a fault that names none when it begins. The same plugin is meant when it
/// ends.
void FaultInjector::name_plugin(FaultEvent& event) {
    if (!is_about_plugin(event.kind) || !event.plugin.empty()) return;
    const std::vector<PluginInstanceId> plugins = parts_.autoscaler.deciding_plugins();
    if (event.begins) failing_plugin_ = plugins[event.chance % plugins.size()].value();
    event.plugin = failing_plugin_;
}

Result<void> FaultInjector::fail_plugin(const FaultEvent& event) {
    const PluginInstanceId plugin(event.plugin);
    if (std::ranges::count(parts_.autoscaler.deciding_plugins(), plugin) == 0)
        return fail(ErrorCode::invalid_config,
                    "fault: plugin " + in_quotes(event.plugin) + " has no decision hooks");
    parts_.autoscaler.fail_plugin(plugin, event.begins);
    return {};
}

Result<void> FaultInjector::strike_group(const FaultEvent& event, Time now) {
    if (parts_.cloud == nullptr)
        return fail(ErrorCode::invalid_config, "the cloud is not simulated");
    if (parts_.cloud->has_left(event.group)) return {};
    std::vector<TomlValue> change;
    if (event.kind == FaultKind::lost_machine) {
        change.push_back(integer("lose", 1));
    } else if (event.kind == FaultKind::stock_out && event.begins) {
        capacities_[event.group] = parts_.cloud->capacity_of(event.group, now);
        change.push_back(integer("capacity", 0));
    } else if (event.kind == FaultKind::stock_out) {
        const std::optional<int> before = capacities_[event.group];
        change.push_back(before ? integer("capacity", *before) : flag("unlimited"));
    } else if (!event.begins) {
        change.push_back(flag("recover"));
    } else if (event.kind == FaultKind::quota) {
        change.push_back(failure("fail", "quota"));
    } else {
        change.push_back(failure("fail_removals", "unavailable"));
    }
    return parts_.cloud->apply(CloudChange{event.group, table(std::move(change))}, now);
}

/// The number of a machine that is created or runs, drawn by chance; absent: the group has none.
std::optional<int> FaultInjector::find_machine(const FaultEvent& event) const {
    std::vector<int> numbers;
    for (const engine::Group& group : parts_.autoscaler.groups()) {
        if (group.group.id.value() != event.group) continue;
        for (const Machine& machine : group.machines) {
            if (machine.state != MachineState::creating && machine.state != MachineState::running)
                continue;
            const std::string_view id = machine.id.value();
            int number = 0;
            const char* const begin = id.data() + id.rfind('/') + 1;
            if (std::from_chars(begin, id.data() + id.size(), number).ec == std::errc())
                numbers.push_back(number);
        }
    }
    if (numbers.empty()) return std::nullopt;
    return numbers[event.chance % numbers.size()];
}

/// Every fourth notice is withdrawn at its time.
Result<void> FaultInjector::interrupt(const FaultEvent& event, Time now) {
    if (parts_.cloud == nullptr)
        return fail(ErrorCode::invalid_config, "the cloud is not simulated");
    if (parts_.cloud->has_left(event.group)) return {};
    std::vector<TomlValue> change;
    if (event.begins) {
        const std::optional<int> machine = find_machine(event);
        if (!machine) return {};
        notices_[event.group] = {.machine = *machine, .is_withdrawn = (event.chance >> 60U) < 4};
        const std::string reason(reasons[(event.chance >> 32U) % reasons.size()]);
        change.push_back(table({config::text_value("reason", reason),
                                config::text_value("after", format_duration(event.lasts))},
                               "notice"));
    } else if (const auto at = notices_.find(event.group); at == notices_.end()) {
        return {};
    } else if (at->second.is_withdrawn) {
        change.push_back(flag("withdraw"));
    } else {
        change.push_back(integer("lose", 1));
    }
    change.push_back(list("machines", {integer({}, notices_.at(event.group).machine)}));
    if (!event.begins) notices_.erase(event.group);
    return parts_.cloud->apply(CloudChange{event.group, table(std::move(change))}, now);
}

void FaultInjector::flap(const FaultEvent& event, Time now) {
    if (!event.begins) {
        if (const auto at = flapping_.find(event.group); at != flapping_.end())
            parts_.cluster.set_ready(at->second, true, now);
        flapping_.erase(event.group);
        return;
    }
    const std::optional<std::string> node = find_node(event);
    if (!node) return;
    flapping_[event.group] = *node;
    parts_.cluster.set_ready(*node, false, now);
}

/// A node of the group, drawn by chance; absent: the group has none.
std::optional<std::string> FaultInjector::find_node(const FaultEvent& event) const {
    const std::vector<std::string> nodes = parts_.cluster.nodes_of(event.group);
    return nodes.empty() ? std::nullopt : std::optional(nodes[event.chance % nodes.size()]);
}

/// Another client changes a node of the group, and undoes that when the fault ends.
Result<void> FaultInjector::edit_node(const FaultEvent& event, Time now) {
    if (!event.begins) {
        auto undo = undo_.extract({event.kind, event.group});
        if (undo.empty() || !parts_.cluster.has_node(undo.mapped().node)) return {};
        return parts_.cluster.apply(undo.mapped(), now);
    }
    const std::optional<std::string> name = find_node(event);
    if (!name) return {};
    const engine::snapshot::NodeObject& node = *parts_.cluster.find_node(*name);
    NodeEdit edit{.node = *name}, undo{.node = *name};
    if (event.kind == FaultKind::cordoned) {
        if (node.unschedulable) return {};
        edit.cordoned = true;
        undo.cordoned = false;
    } else if (event.kind == FaultKind::foreign_taint) {
        const Taint taint{.key = "chaos.example.com/maintenance", .effect = Effect::no_schedule};
        edit.set_taints = {taint};
        undo.drop_taints = {taint.key};
    } else if (const std::string key = own_label(node); !key.empty()) {
        edit.labels = {{key, std::nullopt}};
        undo.labels = {{key, node.labels.at(key)}};
    } else {
        return {};
    }
    undo_[{event.kind, event.group}] = std::move(undo);
    return parts_.cluster.apply(edit, now);
}

/// The second Node object is not ready. In one half of the cases it has neither spec nor status but
/// for its providerID.
Result<void> FaultInjector::add_twin(const FaultEvent& event, Time now) {
    if (!event.begins) {
        const auto twin = twins_.extract(event.group);
        if (!twin.empty()) parts_.cluster.remove_node(twin.mapped(), now);
        return {};
    }
    const std::optional<std::string> name = find_node(event);
    if (!name || twins_.contains(event.group)) return {};
    const engine::snapshot::NodeObject& node = *parts_.cluster.find_node(*name);
    engine::snapshot::NodeObject twin{.name = "twin-of-" + *name, .provider_id = node.provider_id};
    twin.labels = node.labels;
    twin.labels.erase(std::string(well_known::hostname_label));
    if ((event.chance >> 60U) < 8) {
        twin.capacity = node.capacity;
        twin.allocatable = node.allocatable;
    }
    twin.ready = false;
    twin.ready_since = parts_.cluster.wall(now);
    twins_[event.group] = twin.name;
    return parts_.cluster.apply(twin, now);
}

}  // namespace capstan::simulator
