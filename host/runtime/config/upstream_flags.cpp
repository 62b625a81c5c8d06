#include "runtime/config/upstream_flags.hpp"

#include <algorithm>

namespace capstan::runtime::config {
namespace {

constexpr UpstreamFlag flags[] = {
    {"address", "admin.listen"},
    {"allowed-scheduler-names", "scale_up.allowed_scheduler_names", "a list"},
    {"aws-use-static-instance-list", "plugin.aws.settings.static_instance_types"},
    {"balance-similar-node-groups", "scale_up.balance_similar"},
    {"balancing-ignore-label", "plugin.labels.settings.ignore", "a list"},
    {"balancing-label", "plugin.labels.settings.only", "a list"},
    {"blocking-system-pod-distruption-timeout",
     "scale_down.blocking_system_pod_disruption_timeout"},
    {"bypassed-scheduler-names", "scale_up.bypassed_scheduler_names", "a list"},
    {"cloud-config", "", "use the settings of the cloud's plugin"},
    {"cloud-provider", "pipeline.clouds", R"(a list, such as ["aws"])"},
    {"cluster-name", "cluster.name"},
    {"cordon-node-before-terminating", "scale_down.cordon_node_before_terminating"},
    {"cores-total", "limits.cpu", R"(0:100 is { max = "100" })"},
    {"daemonset-eviction-for-empty-nodes", "scale_down.daemonset_eviction_for_empty_nodes"},
    {"daemonset-eviction-for-occupied-nodes", "scale_down.daemonset_eviction_for_occupied_nodes"},
    {"debugging-snapshot-enabled", "admin.debugging_snapshot_enabled"},
    {"drain-priority-config", "scale_down.drain_priorities",
     R"(100:20 is { priority = 100, grace = "20s" })"},
    {"emit-per-nodegroup-metrics", "", "always on"},
    {"enforce-node-group-min-size", "scale_up.enforce_node_group_min_size"},
    {"estimator", "", "always binpacking"},
    {"expander", "pipeline.scale_up.expanders",
     R"(priority,least-waste is ["priority", "least_waste"])"},
    {"expendable-pods-priority-cutoff", "scale_up.expendable_pods_priority_cutoff"},
    {"force-delete-failed-nodes", "scale_up.force_delete_failed_nodes"},
    {"force-delete-unregistered-nodes", "scale_up.force_delete_unregistered_nodes"},
    {"force-ds", "scale_up.force_ds"},
    {"gce-concurrent-refreshes", "plugin.gce.settings.parallel_calls"},
    {"gpu-total", "limits.gpu_types", "by resource name, such as nvidia.com/gpu, not by GPU model"},
    {"grpc-expander-cert", "plugin.grpc_expander.tls.ca_file"},
    {"grpc-expander-url", "plugin.grpc_expander.settings.address"},
    {"ignore-daemonsets-utilization", "scale_down.ignore_daemonsets_utilization"},
    {"ignore-mirror-pods-utilization", "scale_down.ignore_mirror_pods_utilization"},
    {"ignore-taint", "scale_up.startup_taint", "a list"},
    {"initial-node-group-backoff-duration", "scale_up.initial_node_group_backoff_duration"},
    {"kube-client-burst", "cluster.kube_client_burst"},
    {"kube-client-qps", "cluster.kube_client_qps"},
    {"kubeconfig", "cluster.kubeconfig"},
    {"kubernetes", "cluster.server"},
    {"leader-elect", "cluster.leader_election.enabled"},
    {"leader-elect-lease-duration", "cluster.leader_election.lease_duration"},
    {"leader-elect-renew-deadline", "cluster.leader_election.renew_deadline"},
    {"leader-elect-resource-lock", "", "always a Lease"},
    {"leader-elect-resource-name", "cluster.leader_election.lease"},
    {"leader-elect-resource-namespace", "cluster.namespace"},
    {"leader-elect-retry-period", "cluster.leader_election.retry_period"},
    {"logging-format", "log.format"},
    {"max-allocatable-difference-ratio", "plugin.resources.settings.allocatable_tolerance"},
    {"max-autoprovisioned-node-group-count", "plugin.provisioning.settings.max_groups"},
    {"max-binpacking-time", "scale_up.max_binpacking_time"},
    {"max-bulk-soft-taint-count", "scale_down.max_bulk_soft_taint_count"},
    {"max-bulk-soft-taint-time", "scale_down.max_bulk_soft_taint_time", "no effect"},
    {"max-drain-parallelism", "scale_down.max_drain_parallelism"},
    {"max-empty-bulk-delete", "scale_down.max_parallelism"},
    {"max-failing-time", "admin.max_failing_time"},
    {"max-free-difference-ratio", "plugin.resources.settings.free_tolerance"},
    {"max-graceful-termination-sec", "scale_down.max_graceful_termination",
     R"(a duration: 600 is "10m")"},
    {"max-inactivity", "admin.max_inactivity"},
    {"max-node-group-backoff-duration", "scale_up.max_node_group_backoff_duration"},
    {"max-node-provision-time", "scale_up.max_node_provision_time"},
    {"max-node-startup-time", "scale_up.max_node_startup_time"},
    {"max-nodegroup-binpacking-duration", "scale_up.max_nodegroup_binpacking_duration",
     "no effect"},
    {"max-nodes-per-scaleup", "scale_up.max_nodes_per_scaleup"},
    {"max-nodes-total", "limits.nodes", R"(100 is { max = "100" })"},
    {"max-pod-eviction-time", "scale_down.max_pod_eviction_time",
     "limits the drain of a node, not the eviction of one pod"},
    {"max-scale-down-parallelism", "scale_down.max_parallelism"},
    {"max-startup-time", "admin.max_startup_time"},
    {"max-total-unready-percentage", "scale_up.max_total_unready_percentage"},
    {"memory-difference-ratio", "plugin.resources.settings.capacity_memory_tolerance"},
    {"memory-total", "limits.memory", R"(in GiB: 0:64 is { max = "64Gi" })"},
    {"min-replica-count", "scale_down.min_replica_count"},
    {"namespace", "cluster.namespace"},
    {"new-pod-scale-up-delay", "scale_up.new_pod_delay"},
    {"node-autoprovisioning-enabled", "pipeline.scale_up.group_sources",
     R"(true is ["provisioning"])"},
    {"node-delete-delay-after-taint", "scale_down.node_delete_delay_after_taint"},
    {"node-deletion-batcher-interval", "scale_down.node_deletion_batcher_interval"},
    {"node-deletion-delay-timeout", "scale_down.node_deletion_delay_timeout"},
    {"node-group-auto-discovery", "plugin.aws.settings.discovery",
     "on GCE plugin.gce.settings.discovery"},
    {"node-group-backoff-reset-timeout", "scale_up.node_group_backoff_reset_timeout"},
    {"nodes", "plugin.aws.settings.groups", "on GCE plugin.gce.settings.groups"},
    {"ok-total-unready-count", "scale_up.ok_total_unready_count"},
    {"salvo-scale-up", "scale_up.one_option_per_pass", "reversed: true there is false here"},
    {"scale-down-delay-after-add", "scale_down.delay_after_add"},
    {"scale-down-delay-after-delete", "scale_down.delay_after_delete"},
    {"scale-down-delay-after-failure", "scale_down.delay_after_failure"},
    {"scale-down-delay-type-local", "scale_down.delay_type_local"},
    {"scale-down-enabled", "scale_down.enabled"},
    {"scale-down-gpu-utilization-threshold", "scale_down.gpu_utilization_threshold"},
    {"scale-down-simulation-timeout", "scale_down.simulation_timeout", "no effect"},
    {"scale-down-unneeded-time", "scale_down.unneeded_time"},
    {"scale-down-unready-enabled", "scale_down.unready_enabled"},
    {"scale-down-unready-time", "scale_down.unready_time"},
    {"scale-down-utilization-threshold", "scale_down.utilization_threshold"},
    {"scale-up-from-zero", "scale_up.from_zero"},
    {"scan-interval", "cluster.scan_interval"},
    {"scheduler-config-file", "scale_up.default_spread",
     "only defaultConstraints of PodTopologySpread"},
    {"skip-nodes-with-custom-controller-pods", "scale_down.skip_nodes_with_custom_controller_pods"},
    {"skip-nodes-with-local-storage", "scale_down.skip_nodes_with_local_storage"},
    {"skip-nodes-with-system-pods", "scale_down.skip_nodes_with_system_pods"},
    {"startup-taint", "scale_up.startup_taint", "a list"},
    {"startup-taint-prefix", "scale_up.startup_taint_prefix", "a list"},
    {"status-config-map-name", "cluster.status_config_map_name"},
    {"status-taint", "scale_up.status_taint", "a list"},
    {"unremovable-node-recheck-timeout", "scale_down.unremovable_node_recheck_timeout",
     "no effect"},
    {"v", "log.level", R"(a word: 4 is "debug")"},
    {"write-status-configmap", "cluster.write_status_configmap"},
};

}  // namespace

std::span<const UpstreamFlag> upstream_flags() { return flags; }

const UpstreamFlag* find_upstream_flag(std::string_view name) {
    std::string wanted(name.substr(0, name.find('=')));
    wanted.erase(0, wanted.find_first_not_of('-'));
    std::ranges::replace(wanted, '_', '-');
    const auto at = std::ranges::find(flags, wanted, &UpstreamFlag::name);
    return at == std::end(flags) ? nullptr : at;
}

std::vector<const UpstreamFlag*> upstream_flags_of(std::string_view key) {
    std::vector<const UpstreamFlag*> out;
    for (const UpstreamFlag& flag : flags)
        if (flag.key == key) out.push_back(&flag);
    return out;
}

std::string upstream_flag_hint(std::string_view name) {
    const UpstreamFlag* const flag = find_upstream_flag(name);
    if (flag == nullptr) return {};
    if (flag->key.empty())
        return "; no key replaces upstream's " + flag->text() + ": " + std::string(flag->remark);
    return "; the key for upstream's " + flag->text() + " is " + std::string(flag->key) +
           (flag->remark.empty() ? "" : " (" + std::string(flag->remark) + ")");
}

}  // namespace capstan::runtime::config
