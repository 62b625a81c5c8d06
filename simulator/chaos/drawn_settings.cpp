#include "simulator/chaos/drawn_settings.hpp"

#include <array>
#include <chrono>
#include <type_traits>

#include <capstan/assert.hpp>

#include "config/diagnostics.hpp"
#include "config/document.hpp"
#include "config/overrides.hpp"
#include "config/section.hpp"

namespace capstan::simulator::chaos {
namespace {

using std::chrono::seconds;

/// Sets the members of `section` that `table` has.
template <class Section>
void set_members(const config::TomlValue& table, config::Diagnostics& diagnostics,
                 Section& section) {
    describe(
        [&](const char* key, auto& member, const char*, const config::Rules& rules = {}) {
            using Type = config::MemberType<std::remove_cvref_t<decltype(member)>>;
            if (const config::TomlValue* value = table.find(key))
                member = Type::read(
                    validate_value(*value, Type::field(member, rules), key, diagnostics));
        },
        section);
}

}  // namespace

const std::vector<DrawnSetting>& drawn_settings() {
    static const std::vector<DrawnSetting> settings{
        {"scale_up.new_pod_delay", {"0s", "10s", "30s", "2m"}},
        {"scale_up.max_node_provision_time", {"5m", "10m", "15m", "20m"}},
        {"scale_up.max_node_startup_time", {"5m", "10m", "15m"}},
        {"scale_up.max_nodes_per_scaleup", {"1000", "10", "3", "1"}},
        {"scale_up.ok_total_unready_count", {"0", "3", "10"}},
        {"scale_up.max_total_unready_percentage", {"30", "45", "80"}},
        {"scale_up.initial_node_group_backoff_duration", {"1m", "5m", "10m"}},
        {"scale_up.max_node_group_backoff_duration", {"10m", "30m"}},
        {"scale_up.node_group_backoff_reset_timeout", {"1h", "3h"}},
        {"scale_up.backoff_by_machine_type", {"true", "false"}},
        {"scale_up.force_ds", {"true", "false"}},
        {"scale_up.balance_similar", {"false"}},
        {"scale_up.one_option_per_pass", {"true", "false"}},
        {"scale_up.enforce_node_group_min_size", {"true", "false"}},
        {"scale_up.settling_time", {"1m", "3m"}},
        {"scale_up.device_settling_time", {"5m", "10m"}},
        {"scale_up.force_delete_unregistered_nodes", {"true", "false"}},
        {"scale_up.force_delete_failed_nodes", {"true", "false"}},
        {"scale_down.delay_after_add", {"0s", "1m", "5m", "10m"}},
        {"scale_down.delay_after_delete", {"0s", "10s", "1m"}},
        {"scale_down.delay_after_failure", {"1m", "3m"}},
        {"scale_down.delay_type_local", {"true", "false"}},
        {"scale_down.unneeded_time", {"1m", "5m", "10m", "15m"}},
        {"scale_down.unready_time", {"5m", "20m"}},
        {"scale_down.utilization_threshold", {"0.5", "0.65", "0.75"}},
        {"scale_down.ignore_daemonsets_utilization", {"true", "false"}},
        {"scale_down.ignore_schedulable_pods", {"true", "false"}},
        {"scale_down.skip_nodes_with_system_pods", {"true", "false"}},
        {"scale_down.skip_nodes_with_local_storage", {"true", "false"}},
        {"scale_down.job_pods_unmovable", {"true", "false"}},
        {"scale_down.max_parallelism", {"3", "10", "20"}},
        {"scale_down.max_drain_parallelism", {"1", "2", "5"}},
        {"scale_down.max_graceful_termination", {"1m", "10m"}},
        {"scale_down.max_pod_eviction_time", {"20m", "1h"}},
        {"scale_down.eviction_retry", {"10s", "30s"}},
        {"scale_down.cordon_node_before_terminating", {"true", "false"}},
        {"scale_down.daemonset_eviction_for_empty_nodes", {"true", "false"}},
        {"scale_down.daemonset_eviction_for_occupied_nodes", {"true", "false"}},
        {"scale_down.node_deletion_batcher_interval", {"0s", "10s", "30s"}},
        {"scale_down.node_delete_delay_after_taint", {"0s", "5s", "15s"}},
        {"scale_down.max_deletion_time", {"5m", "10m"}},
        {"scale_down.drain_leaving_nodes", {"true", "false"}},
        {"scale_down.max_bulk_soft_taint_count", {"0", "10", "50"}},
    };
    return settings;
}

void set_values(const std::vector<std::string>& assignments, Reload& settings) {
    config::Diagnostics diagnostics({"drawn settings", ""});
    config::TomlValue root;
    override_values(root, assignments, diagnostics);
    if (const config::TomlValue* table = root.find("scale_up"))
        set_members(*table, diagnostics, settings.scale_up);
    if (const config::TomlValue* table = root.find("scale_down"))
        set_members(*table, diagnostics, settings.scale_down);
    CAPSTAN_ASSERT(diagnostics.errors() == 0, "a drawn setting is wrong");
}

Reload settings_of(const config::Config& config) {
    return {.scale_up = config.scale_up,
            .scale_down = config.scale_down,
            .limits = config.limits,
            .text = {}};
}

void draw_settings(Dice& dice, Reload& settings) {
    settings.text.clear();
    settings.settings.clear();
    for (const auto& [key, values] : drawn_settings()) {
        if (!dice.one_in(8)) continue;
        const int at = dice.between(0, static_cast<int>(values.size()) - 1);
        settings.settings.push_back(std::string(key) + "=" + values[static_cast<std::size_t>(at)]);
        settings.text += (settings.text.empty() ? "" : ", ") + settings.settings.back();
    }
    set_values(settings.settings, settings);
}

Duration draw_scan_interval(Dice& dice, Duration usual) {
    if (!dice.one_in(4)) return usual;
    constexpr std::array<int, 4> values{5, 20, 30, 60};
    return seconds(values[static_cast<std::size_t>(dice.between(0, 3))]);
}

}  // namespace capstan::simulator::chaos
