#include "autoscaler/engine_settings.hpp"

#include <algorithm>

namespace capstan::autoscaler {
namespace {

engine::Bound bound(std::string_view resource, const config::Bounds& bounds) {
    engine::Bound out{.min = amount_of(resource, bounds.min)};
    if (bounds.max) out.max = amount_of(resource, *bounds.max);
    return out;
}

engine::TemplateSource source(config::TemplateSource from) {
    return from == config::TemplateSource::cloud ? engine::TemplateSource::cloud
                                                 : engine::TemplateSource::mixed;
}

engine::BackoffPolicy policy(config::BackoffPolicy from) {
    return from == config::BackoffPolicy::until_joined ? engine::BackoffPolicy::until_joined
                                                       : engine::BackoffPolicy::exponential;
}

engine::ScaleDownSettings scale_down_settings(const config::ScaleDown& from) {
    engine::ScaleDownSettings out{
        .enabled = from.enabled,
        .delay_after_add = from.delay_after_add,
        .delay_after_delete = from.delay_after_delete,
        .delay_after_failure = from.delay_after_failure,
        .delay_type_local = from.delay_type_local,
        .unneeded_time = from.unneeded_time,
        .unready_time = from.unready_time,
        .unready_enabled = from.unready_enabled,
        .ignore_schedulable_pods = from.ignore_schedulable_pods,
        .utilization_threshold = from.utilization_threshold,
        .gpu_utilization_threshold = from.gpu_utilization_threshold,
        .ignore_daemonsets_utilization = from.ignore_daemonsets_utilization,
        .ignore_mirror_pods_utilization = from.ignore_mirror_pods_utilization,
        .skip_nodes_with_system_pods = from.skip_nodes_with_system_pods,
        .skip_nodes_with_local_storage = from.skip_nodes_with_local_storage,
        .skip_nodes_with_custom_controller_pods = from.skip_nodes_with_custom_controller_pods,
        .min_replica_count = from.min_replica_count,
        .blocking_system_pod_disruption_timeout = from.blocking_system_pod_disruption_timeout,
        .job_pods_unmovable = from.job_pods_unmovable,
        .safe_to_evict_frees_jobs = from.safe_to_evict_frees_jobs,
        .drain_rules_off = from.drain_rules_off,
        .max_parallelism = from.max_parallelism,
        .max_drain_parallelism = from.max_drain_parallelism,
        .node_delete_delay_after_taint = from.node_delete_delay_after_taint,
        .cordon_node_before_terminating = from.cordon_node_before_terminating,
        .max_pod_eviction_time = from.max_pod_eviction_time,
        .eviction_retry = from.eviction_retry,
        .max_graceful_termination = from.max_graceful_termination,
        .eviction_headroom = from.eviction_headroom,
        .daemonset_eviction_for_empty_nodes = from.daemonset_eviction_for_empty_nodes,
        .daemonset_eviction_for_occupied_nodes = from.daemonset_eviction_for_occupied_nodes,
        .node_deletion_delay_timeout = from.node_deletion_delay_timeout,
        .node_deletion_batcher_interval = from.node_deletion_batcher_interval,
        .max_deletion_time = from.max_deletion_time,
        .max_bulk_soft_taint_count = from.max_bulk_soft_taint_count,
        .drain_leaving_nodes = from.drain_leaving_nodes,
        .empty_group_time = from.empty_group_time};
    for (const config::DrainPriority& group : from.drain_priorities)
        out.drain_priorities.push_back({.priority = group.priority, .grace = group.grace});
    std::ranges::sort(out.drain_priorities, {}, &engine::DrainPriority::priority);
    return out;
}

}  // namespace

std::vector<engine::snapshot::DefaultSpread> make_default_spread(
    const std::vector<config::DefaultSpread>& from) {
    std::vector<engine::snapshot::DefaultSpread> out;
    for (const config::DefaultSpread& each : from)
        out.push_back({.topology_key = each.topology_key, .max_skew = each.max_skew});
    return out;
}

engine::Settings make_settings(const config::ScaleUp& scale_up, const config::ScaleDown& scale_down,
                               const config::Limits& limits) {
    engine::Settings out{
        .expendable_pods_priority_cutoff = scale_up.expendable_pods_priority_cutoff,
        .new_pod_delay = scale_up.new_pod_delay,
        .bypassed_scheduler_names = scale_up.bypassed_scheduler_names,
        .allowed_scheduler_names = scale_up.allowed_scheduler_names,
        .max_pods_considered = scale_up.max_unschedulable_pods_considered,
        .emulated_spread_label = scale_up.emulated_spread_label,
        .spread_timeout_annotation = scale_up.spread_timeout_annotation,
        .default_spread = make_default_spread(scale_up.default_spread),
        .template_source = source(scale_up.template_source),
        .force_daemon_sets = scale_up.force_ds,
        .reserve_from_nodes = scale_up.reserve_from_nodes,
        .startup_taints = scale_up.startup_taint,
        .startup_taint_prefixes = scale_up.startup_taint_prefix,
        .status_taints = scale_up.status_taint,
        .well_known_startup_taints = scale_up.well_known_startup_taints,
        .device_settling_time = scale_up.device_settling_time,
        .settling_time = scale_up.settling_time,
        .readiness_taints = scale_up.readiness_taint,
        .from_zero = scale_up.from_zero,
        .ok_total_unready_count = scale_up.ok_total_unready_count,
        .max_total_unready_percentage = scale_up.max_total_unready_percentage,
        .enforce_min_size = scale_up.enforce_node_group_min_size,
        .force_delete_unregistered_nodes = scale_up.force_delete_unregistered_nodes,
        .force_delete_failed_nodes = scale_up.force_delete_failed_nodes,
        .balance_similar = scale_up.balance_similar,
        .balance_across_prices = scale_up.balance_across_prices,
        .one_option_per_pass = scale_up.one_option_per_pass,
        .max_nodes_per_scale_up = scale_up.max_nodes_per_scaleup,
        .max_binpacking_time = scale_up.max_binpacking_time,
        .cpu = bound("cpu", limits.cpu),
        .memory = bound("memory", limits.memory),
        .gpu = bound("gpu", limits.gpu),
        .nodes = bound("nodes", limits.nodes),
        .max_node_provision_time = scale_up.max_node_provision_time,
        .max_node_startup_time = scale_up.max_node_startup_time,
        .backoff = policy(scale_up.backoff),
        .backoff_by_machine_type = scale_up.backoff_by_machine_type,
        .api_error_backoff = scale_up.api_error_backoff,
        .backoff_initial = scale_up.initial_node_group_backoff_duration,
        .backoff_max = scale_up.max_node_group_backoff_duration,
        .backoff_reset = scale_up.node_group_backoff_reset_timeout,
        .scale_down = scale_down_settings(scale_down)};
    for (const auto& [resource, bounds] : limits.gpu_types)
        out.gpu_types[resource] = bound(resource, bounds);
    return out;
}

}  // namespace capstan::autoscaler
