#include "config/metric_names.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <capstan/ascii.hpp>

#include "plugin_runtime/plugin_files/refuse.hpp"

namespace capstan::config {
namespace {

constexpr std::size_t metric_name_limit = 128;

/// Prefixes that are reserved for the host.
constexpr std::array<std::string_view, 3> host_beginnings{"capstan_", "process_", "rest_client_"};

constexpr std::string_view upstream_beginning = "cluster_autoscaler_";

/// The host's names behind upstream's prefix. Upstream's clouds use other names with this prefix.
constexpr std::array<std::string_view, 42> upstream_names{"cluster_safe_to_autoscale",
                                                          "nodes_count",
                                                          "node_groups_count",
                                                          "unschedulable_pods_count",
                                                          "skipped_pods_count",
                                                          "max_nodes_count",
                                                          "cluster_cpu_current_cores",
                                                          "cluster_memory_current_bytes",
                                                          "cpu_limits_cores",
                                                          "memory_limits_bytes",
                                                          "node_group_min_count",
                                                          "node_group_max_count",
                                                          "node_group_target_count",
                                                          "node_group_healthiness",
                                                          "node_group_backoff_status",
                                                          "node_group_in_backoff",
                                                          "last_activity",
                                                          "function_duration_seconds",
                                                          "function_duration_quantile_seconds",
                                                          "pending_node_deletions",
                                                          "errors_total",
                                                          "scaled_up_nodes_total",
                                                          "scaled_up_gpu_nodes_total",
                                                          "failed_scale_ups_total",
                                                          "failed_node_creations_total",
                                                          "failed_gpu_scale_ups_total",
                                                          "scaled_down_nodes_total",
                                                          "scaled_down_gpu_nodes_total",
                                                          "evicted_pods_total",
                                                          "unneeded_nodes_count",
                                                          "unremovable_nodes_count",
                                                          "scale_down_in_cooldown",
                                                          "old_unregistered_nodes_removed_count",
                                                          "overflowing_controllers_count",
                                                          "skipped_scale_events_count",
                                                          "created_node_groups_total",
                                                          "deleted_node_groups_total",
                                                          "node_taints_count",
                                                          "binpacking_heterogeneity",
                                                          "max_node_skip_eval_duration_seconds",
                                                          "node_removal_latency_seconds",
                                                          "failed_scale_down_total"};

/// The suffixes that a histogram adds to its name.
constexpr std::array<std::string_view, 4> series_endings{"", "_bucket", "_sum", "_count"};

/// Whether two metrics of those names would have a series of one name.
bool clash(std::string_view one, std::string_view other) {
    return std::ranges::any_of(series_endings, [&](std::string_view ending) {
        return one == std::string(other).append(ending) || other == std::string(one).append(ending);
    });
}

}  // namespace

bool is_metric_name(std::string_view name) {
    constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyz0123456789_";
    return !name.empty() && name.size() <= metric_name_limit &&
           name.find_first_not_of(allowed) == std::string_view::npos;
}

bool is_host_metric(std::string_view name) {
    const auto begins_it = [name](std::string_view beginning) {
        return name.starts_with(beginning);
    };
    if (std::ranges::any_of(host_beginnings, begins_it)) return true;
    if (!name.starts_with(upstream_beginning)) return false;
    name.remove_prefix(upstream_beginning.size());
    return std::ranges::any_of(upstream_names,
                               [name](std::string_view ours) { return clash(name, ours); });
}

Result<void> check_whole_metric_name(std::string_view name) {
    if (!is_metric_name(name) || is_ascii_digit(name[0]))
        return plugin_runtime::plugin_files::refuse(
            "a metric name has at most 128 characters, a to z, 0 to 9 and '_', and does not begin "
            "with a digit");
    if (is_host_metric(name))
        return plugin_runtime::plugin_files::refuse("is reserved for the host's own metrics");
    return {};
}

}  // namespace capstan::config
