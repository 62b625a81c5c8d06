#include "simulator/chaos/drawn_settings.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <vector>

namespace capstan::simulator::chaos {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

/// The values of one setting follow each other.
constexpr std::array<DrawnSetting, 106> all_settings{{
    {"scale_up.new_pod_delay=0s", [](Reload& s) { s.scale_up.new_pod_delay = seconds(0); }},
    {"scale_up.new_pod_delay=10s", [](Reload& s) { s.scale_up.new_pod_delay = seconds(10); }},
    {"scale_up.new_pod_delay=30s", [](Reload& s) { s.scale_up.new_pod_delay = seconds(30); }},
    {"scale_up.new_pod_delay=2m", [](Reload& s) { s.scale_up.new_pod_delay = minutes(2); }},
    {"scale_up.max_node_provision_time=5m",
     [](Reload& s) { s.scale_up.max_node_provision_time = minutes(5); }},
    {"scale_up.max_node_provision_time=10m",
     [](Reload& s) { s.scale_up.max_node_provision_time = minutes(10); }},
    {"scale_up.max_node_provision_time=15m",
     [](Reload& s) { s.scale_up.max_node_provision_time = minutes(15); }},
    {"scale_up.max_node_provision_time=20m",
     [](Reload& s) { s.scale_up.max_node_provision_time = minutes(20); }},
    {"scale_up.max_node_startup_time=5m",
     [](Reload& s) { s.scale_up.max_node_startup_time = minutes(5); }},
    {"scale_up.max_node_startup_time=10m",
     [](Reload& s) { s.scale_up.max_node_startup_time = minutes(10); }},
    {"scale_up.max_node_startup_time=15m",
     [](Reload& s) { s.scale_up.max_node_startup_time = minutes(15); }},
    {"scale_up.max_nodes_per_scaleup=1000",
     [](Reload& s) { s.scale_up.max_nodes_per_scaleup = 1000; }},
    {"scale_up.max_nodes_per_scaleup=10", [](Reload& s) { s.scale_up.max_nodes_per_scaleup = 10; }},
    {"scale_up.max_nodes_per_scaleup=3", [](Reload& s) { s.scale_up.max_nodes_per_scaleup = 3; }},
    {"scale_up.max_nodes_per_scaleup=1", [](Reload& s) { s.scale_up.max_nodes_per_scaleup = 1; }},
    {"scale_up.ok_total_unready_count=0", [](Reload& s) { s.scale_up.ok_total_unready_count = 0; }},
    {"scale_up.ok_total_unready_count=3", [](Reload& s) { s.scale_up.ok_total_unready_count = 3; }},
    {"scale_up.ok_total_unready_count=10",
     [](Reload& s) { s.scale_up.ok_total_unready_count = 10; }},
    {"scale_up.max_total_unready_percentage=30",
     [](Reload& s) { s.scale_up.max_total_unready_percentage = 30; }},
    {"scale_up.max_total_unready_percentage=45",
     [](Reload& s) { s.scale_up.max_total_unready_percentage = 45; }},
    {"scale_up.max_total_unready_percentage=80",
     [](Reload& s) { s.scale_up.max_total_unready_percentage = 80; }},
    {"scale_up.initial_node_group_backoff_duration=1m",
     [](Reload& s) { s.scale_up.initial_node_group_backoff_duration = minutes(1); }},
    {"scale_up.initial_node_group_backoff_duration=5m",
     [](Reload& s) { s.scale_up.initial_node_group_backoff_duration = minutes(5); }},
    {"scale_up.initial_node_group_backoff_duration=10m",
     [](Reload& s) { s.scale_up.initial_node_group_backoff_duration = minutes(10); }},
    {"scale_up.max_node_group_backoff_duration=10m",
     [](Reload& s) { s.scale_up.max_node_group_backoff_duration = minutes(10); }},
    {"scale_up.max_node_group_backoff_duration=30m",
     [](Reload& s) { s.scale_up.max_node_group_backoff_duration = minutes(30); }},
    {"scale_up.node_group_backoff_reset_timeout=1h",
     [](Reload& s) { s.scale_up.node_group_backoff_reset_timeout = hours(1); }},
    {"scale_up.node_group_backoff_reset_timeout=3h",
     [](Reload& s) { s.scale_up.node_group_backoff_reset_timeout = hours(3); }},
    {"scale_up.backoff_by_machine_type=true",
     [](Reload& s) { s.scale_up.backoff_by_machine_type = true; }},
    {"scale_up.backoff_by_machine_type=false",
     [](Reload& s) { s.scale_up.backoff_by_machine_type = false; }},
    {"scale_up.force_ds=true", [](Reload& s) { s.scale_up.force_ds = true; }},
    {"scale_up.force_ds=false", [](Reload& s) { s.scale_up.force_ds = false; }},
    {"scale_up.balance_similar=false", [](Reload& s) { s.scale_up.balance_similar = false; }},
    {"scale_up.one_option_per_pass=true", [](Reload& s) { s.scale_up.one_option_per_pass = true; }},
    {"scale_up.one_option_per_pass=false",
     [](Reload& s) { s.scale_up.one_option_per_pass = false; }},
    {"scale_up.enforce_node_group_min_size=true",
     [](Reload& s) { s.scale_up.enforce_node_group_min_size = true; }},
    {"scale_up.enforce_node_group_min_size=false",
     [](Reload& s) { s.scale_up.enforce_node_group_min_size = false; }},
    {"scale_up.settling_time=1m", [](Reload& s) { s.scale_up.settling_time = minutes(1); }},
    {"scale_up.settling_time=3m", [](Reload& s) { s.scale_up.settling_time = minutes(3); }},
    {"scale_up.device_settling_time=5m",
     [](Reload& s) { s.scale_up.device_settling_time = minutes(5); }},
    {"scale_up.device_settling_time=10m",
     [](Reload& s) { s.scale_up.device_settling_time = minutes(10); }},
    {"scale_up.force_delete_unregistered_nodes=true",
     [](Reload& s) { s.scale_up.force_delete_unregistered_nodes = true; }},
    {"scale_up.force_delete_unregistered_nodes=false",
     [](Reload& s) { s.scale_up.force_delete_unregistered_nodes = false; }},
    {"scale_up.force_delete_failed_nodes=true",
     [](Reload& s) { s.scale_up.force_delete_failed_nodes = true; }},
    {"scale_up.force_delete_failed_nodes=false",
     [](Reload& s) { s.scale_up.force_delete_failed_nodes = false; }},
    {"scale_down.delay_after_add=0s", [](Reload& s) { s.scale_down.delay_after_add = seconds(0); }},
    {"scale_down.delay_after_add=1m", [](Reload& s) { s.scale_down.delay_after_add = minutes(1); }},
    {"scale_down.delay_after_add=5m", [](Reload& s) { s.scale_down.delay_after_add = minutes(5); }},
    {"scale_down.delay_after_add=10m",
     [](Reload& s) { s.scale_down.delay_after_add = minutes(10); }},
    {"scale_down.delay_after_delete=0s",
     [](Reload& s) { s.scale_down.delay_after_delete = seconds(0); }},
    {"scale_down.delay_after_delete=10s",
     [](Reload& s) { s.scale_down.delay_after_delete = seconds(10); }},
    {"scale_down.delay_after_delete=1m",
     [](Reload& s) { s.scale_down.delay_after_delete = minutes(1); }},
    {"scale_down.delay_after_failure=1m",
     [](Reload& s) { s.scale_down.delay_after_failure = minutes(1); }},
    {"scale_down.delay_after_failure=3m",
     [](Reload& s) { s.scale_down.delay_after_failure = minutes(3); }},
    {"scale_down.delay_type_local=true", [](Reload& s) { s.scale_down.delay_type_local = true; }},
    {"scale_down.delay_type_local=false", [](Reload& s) { s.scale_down.delay_type_local = false; }},
    {"scale_down.unneeded_time=1m", [](Reload& s) { s.scale_down.unneeded_time = minutes(1); }},
    {"scale_down.unneeded_time=5m", [](Reload& s) { s.scale_down.unneeded_time = minutes(5); }},
    {"scale_down.unneeded_time=10m", [](Reload& s) { s.scale_down.unneeded_time = minutes(10); }},
    {"scale_down.unneeded_time=15m", [](Reload& s) { s.scale_down.unneeded_time = minutes(15); }},
    {"scale_down.unready_time=5m", [](Reload& s) { s.scale_down.unready_time = minutes(5); }},
    {"scale_down.unready_time=20m", [](Reload& s) { s.scale_down.unready_time = minutes(20); }},
    {"scale_down.utilization_threshold=0.5",
     [](Reload& s) { s.scale_down.utilization_threshold = 0.5; }},
    {"scale_down.utilization_threshold=0.65",
     [](Reload& s) { s.scale_down.utilization_threshold = 0.65; }},
    {"scale_down.utilization_threshold=0.75",
     [](Reload& s) { s.scale_down.utilization_threshold = 0.75; }},
    {"scale_down.ignore_daemonsets_utilization=true",
     [](Reload& s) { s.scale_down.ignore_daemonsets_utilization = true; }},
    {"scale_down.ignore_daemonsets_utilization=false",
     [](Reload& s) { s.scale_down.ignore_daemonsets_utilization = false; }},
    {"scale_down.ignore_schedulable_pods=true",
     [](Reload& s) { s.scale_down.ignore_schedulable_pods = true; }},
    {"scale_down.ignore_schedulable_pods=false",
     [](Reload& s) { s.scale_down.ignore_schedulable_pods = false; }},
    {"scale_down.skip_nodes_with_system_pods=true",
     [](Reload& s) { s.scale_down.skip_nodes_with_system_pods = true; }},
    {"scale_down.skip_nodes_with_system_pods=false",
     [](Reload& s) { s.scale_down.skip_nodes_with_system_pods = false; }},
    {"scale_down.skip_nodes_with_local_storage=true",
     [](Reload& s) { s.scale_down.skip_nodes_with_local_storage = true; }},
    {"scale_down.skip_nodes_with_local_storage=false",
     [](Reload& s) { s.scale_down.skip_nodes_with_local_storage = false; }},
    {"scale_down.job_pods_unmovable=true",
     [](Reload& s) { s.scale_down.job_pods_unmovable = true; }},
    {"scale_down.job_pods_unmovable=false",
     [](Reload& s) { s.scale_down.job_pods_unmovable = false; }},
    {"scale_down.max_parallelism=3", [](Reload& s) { s.scale_down.max_parallelism = 3; }},
    {"scale_down.max_parallelism=10", [](Reload& s) { s.scale_down.max_parallelism = 10; }},
    {"scale_down.max_parallelism=20", [](Reload& s) { s.scale_down.max_parallelism = 20; }},
    {"scale_down.max_drain_parallelism=1",
     [](Reload& s) { s.scale_down.max_drain_parallelism = 1; }},
    {"scale_down.max_drain_parallelism=2",
     [](Reload& s) { s.scale_down.max_drain_parallelism = 2; }},
    {"scale_down.max_drain_parallelism=5",
     [](Reload& s) { s.scale_down.max_drain_parallelism = 5; }},
    {"scale_down.max_graceful_termination=1m",
     [](Reload& s) { s.scale_down.max_graceful_termination = minutes(1); }},
    {"scale_down.max_graceful_termination=10m",
     [](Reload& s) { s.scale_down.max_graceful_termination = minutes(10); }},
    {"scale_down.max_pod_eviction_time=20m",
     [](Reload& s) { s.scale_down.max_pod_eviction_time = minutes(20); }},
    {"scale_down.max_pod_eviction_time=1h",
     [](Reload& s) { s.scale_down.max_pod_eviction_time = hours(1); }},
    {"scale_down.eviction_retry=10s", [](Reload& s) { s.scale_down.eviction_retry = seconds(10); }},
    {"scale_down.eviction_retry=30s", [](Reload& s) { s.scale_down.eviction_retry = seconds(30); }},
    {"scale_down.cordon_node_before_terminating=true",
     [](Reload& s) { s.scale_down.cordon_node_before_terminating = true; }},
    {"scale_down.cordon_node_before_terminating=false",
     [](Reload& s) { s.scale_down.cordon_node_before_terminating = false; }},
    {"scale_down.daemonset_eviction_for_empty_nodes=true",
     [](Reload& s) { s.scale_down.daemonset_eviction_for_empty_nodes = true; }},
    {"scale_down.daemonset_eviction_for_empty_nodes=false",
     [](Reload& s) { s.scale_down.daemonset_eviction_for_empty_nodes = false; }},
    {"scale_down.daemonset_eviction_for_occupied_nodes=true",
     [](Reload& s) { s.scale_down.daemonset_eviction_for_occupied_nodes = true; }},
    {"scale_down.daemonset_eviction_for_occupied_nodes=false",
     [](Reload& s) { s.scale_down.daemonset_eviction_for_occupied_nodes = false; }},
    {"scale_down.node_deletion_batcher_interval=0s",
     [](Reload& s) { s.scale_down.node_deletion_batcher_interval = seconds(0); }},
    {"scale_down.node_deletion_batcher_interval=10s",
     [](Reload& s) { s.scale_down.node_deletion_batcher_interval = seconds(10); }},
    {"scale_down.node_deletion_batcher_interval=30s",
     [](Reload& s) { s.scale_down.node_deletion_batcher_interval = seconds(30); }},
    {"scale_down.node_delete_delay_after_taint=0s",
     [](Reload& s) { s.scale_down.node_delete_delay_after_taint = seconds(0); }},
    {"scale_down.node_delete_delay_after_taint=5s",
     [](Reload& s) { s.scale_down.node_delete_delay_after_taint = seconds(5); }},
    {"scale_down.node_delete_delay_after_taint=15s",
     [](Reload& s) { s.scale_down.node_delete_delay_after_taint = seconds(15); }},
    {"scale_down.max_deletion_time=5m",
     [](Reload& s) { s.scale_down.max_deletion_time = minutes(5); }},
    {"scale_down.max_deletion_time=10m",
     [](Reload& s) { s.scale_down.max_deletion_time = minutes(10); }},
    {"scale_down.drain_leaving_nodes=true",
     [](Reload& s) { s.scale_down.drain_leaving_nodes = true; }},
    {"scale_down.drain_leaving_nodes=false",
     [](Reload& s) { s.scale_down.drain_leaving_nodes = false; }},
    {"scale_down.max_bulk_soft_taint_count=0",
     [](Reload& s) { s.scale_down.max_bulk_soft_taint_count = 0; }},
    {"scale_down.max_bulk_soft_taint_count=10",
     [](Reload& s) { s.scale_down.max_bulk_soft_taint_count = 10; }},
    {"scale_down.max_bulk_soft_taint_count=50",
     [](Reload& s) { s.scale_down.max_bulk_soft_taint_count = 50; }},
}};

std::string_view key_of(const DrawnSetting& setting) {
    const std::string_view text = setting.assignment;
    return text.substr(0, text.find('='));
}

/// The settings, each with its values.
std::vector<std::span<const DrawnSetting>> by_key() {
    std::vector<std::span<const DrawnSetting>> out;
    for (std::size_t from = 0; from < all_settings.size();) {
        std::size_t end = from + 1;
        while (end < all_settings.size() && key_of(all_settings[end]) == key_of(all_settings[from]))
            ++end;
        out.emplace_back(all_settings.data() + from, end - from);
        from = end;
    }
    return out;
}

}  // namespace

std::span<const DrawnSetting> drawn_settings() { return all_settings; }

Reload settings_of(const config::Config& config) {
    return {.scale_up = config.scale_up,
            .scale_down = config.scale_down,
            .limits = config.limits,
            .text = {}};
}

void draw_settings(Dice& dice, Reload& settings) {
    settings.text.clear();
    settings.settings.clear();
    for (const std::span<const DrawnSetting> values : by_key()) {
        if (!dice.one_in(8)) continue;
        const int at = dice.between(0, static_cast<int>(values.size()) - 1);
        const DrawnSetting& drawn = values[static_cast<std::size_t>(at)];
        drawn.set(settings);
        settings.text += (settings.text.empty() ? "" : ", ") + std::string(drawn.assignment);
        settings.settings.emplace_back(drawn.assignment);
    }
}

Duration draw_scan_interval(Dice& dice, Duration usual) {
    if (!dice.one_in(4)) return usual;
    constexpr std::array<int, 4> values{5, 20, 30, 60};
    return seconds(values[static_cast<std::size_t>(dice.between(0, 3))]);
}

}  // namespace capstan::simulator::chaos
