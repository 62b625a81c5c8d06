/// [scale_up], [scale_down] and [limits]. Keys are upstream's flags in snake_case without the
/// section's own words. A default is upstream's unless `upstream` has another one. Each key's
/// meaning, type and default is defined here alone; see section.hpp.
#pragma once

#include <array>
#include <chrono>
#include <climits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/quantity.hpp>
#include <capstan/time.hpp>

namespace capstan::runtime::config {

/// The source of a group's node template.
enum class TemplateSource { mixed, cloud };
constexpr auto names_of(TemplateSource) {
    return std::array<std::string_view, 2>{"mixed", "cloud"};
}

/// How long a group is backed off after a failure.
enum class BackoffPolicy { exponential, until_joined };
constexpr auto names_of(BackoffPolicy) {
    return std::array<std::string_view, 2>{"exponential", "until_joined"};
}

/// In the file this is a topology key or a table: `{ topology_key = "example.com/rack", max_skew =
/// 2 }`.
struct DefaultSpread {
    std::string topology_key;
    int max_skew = 1;
};
void describe(auto&& key, DefaultSpread& s) {
    key("topology_key", s.topology_key, "A node label; nodes with equal values are one domain.");
    key("max_skew", s.max_skew, "How many more pods a domain may have than the one with the least.",
        {.min = 1});
}

struct ScaleUp {
    int expendable_pods_priority_cutoff = -10;
    Duration new_pod_delay{0};
    std::vector<std::string> bypassed_scheduler_names;
    std::vector<std::string> allowed_scheduler_names;
    int max_unschedulable_pods_considered = 0;
    std::string emulated_spread_label;
    std::string spread_timeout_annotation = "zalando.org/topology-spread-timeout";
    std::vector<DefaultSpread> default_spread;
    bool from_zero = true;
    TemplateSource template_source = TemplateSource::mixed;
    bool reserve_from_nodes = true;
    bool force_ds = false;
    bool balance_similar = true;
    bool balance_across_prices = false;
    bool one_option_per_pass = false;
    bool enforce_node_group_min_size = false;
    int max_nodes_per_scaleup = 1000;
    Duration max_nodegroup_binpacking_duration = std::chrono::seconds(10);
    Duration max_node_provision_time = std::chrono::minutes(15);
    Duration max_node_startup_time = std::chrono::minutes(15);
    int ok_total_unready_count = 3;
    double max_total_unready_percentage = 45;
    BackoffPolicy backoff = BackoffPolicy::exponential;
    bool backoff_by_machine_type = true;
    Duration api_error_backoff = std::chrono::seconds(30);
    Duration initial_node_group_backoff_duration = std::chrono::minutes(5);
    Duration max_node_group_backoff_duration = std::chrono::minutes(30);
    Duration node_group_backoff_reset_timeout = std::chrono::hours(3);
    std::vector<std::string> startup_taint;
    std::vector<std::string> startup_taint_prefix;
    bool well_known_startup_taints = true;
    Duration device_settling_time = std::chrono::minutes(5);
    Duration settling_time = std::chrono::minutes(1);
    std::vector<std::string> status_taint;
    std::vector<std::string> readiness_taint;
    bool force_delete_unregistered_nodes = false;
    bool force_delete_failed_nodes = false;
};
void describe(auto&& key, ScaleUp& s) {
    key("expendable_pods_priority_cutoff", s.expendable_pods_priority_cutoff,
        "Pods of a lower priority neither cause a scale-up nor prevent a scale-down.",
        {.min = INT_MIN});
    key("new_pod_delay", s.new_pod_delay, "Pods younger than this do not cause a scale-up yet.");
    key("bypassed_scheduler_names", s.bypassed_scheduler_names,
        "Schedulers whose pods count as pending before the scheduler has seen them.");
    key("allowed_scheduler_names", s.allowed_scheduler_names,
        "Only pods of these schedulers count as pending. Empty: those of every scheduler.");
    key("max_unschedulable_pods_considered", s.max_unschedulable_pods_considered,
        "Only so many pending pods, the oldest, count in one pass (Zalando's); 0: all.");
    key("emulated_spread_label", s.emulated_spread_label,
        "Pods that spread over zones by this label, and by nothing else, are planned zone by zone "
        "and stay in their zone (Zalando's parent-resource-hash). Empty: none are.");
    key("spread_timeout_annotation", s.spread_timeout_annotation,
        "The annotation by which a pod says how long to insist on its spread over zones. Needs a "
        "scheduler that heeds it; kube-scheduler does not. Empty: none does.",
        {.upstream = "\"\""});
    key("default_spread", s.default_spread,
        "The defaultConstraints with DoNotSchedule of kube-scheduler's plugin PodTopologySpread "
        "(defaultingType List): they hold for pods without topology spread constraints that a "
        "Service, ReplicaSet, StatefulSet or ReplicationController selects, for scale-down, too. "
        "Those with ScheduleAnyway keep no pod off a node and have no place here. Empty: none, as "
        "kube-scheduler has it unless it is configured.",
        {.shorthand = "topology_key"});
    key("from_zero", s.from_zero, "Scales up also while the cluster has no ready node.");
    key("template_source", s.template_source,
        "What a new node will offer: mixed looks at a ready node of the group, or at the last that "
        "was there within a day, and asks the cloud where there is none; cloud always asks the "
        "cloud.");
    key("reserve_from_nodes", s.reserve_from_nodes,
        "Learns from existing nodes how much of a machine the system keeps, where the cloud says "
        "nothing about it.",
        {.upstream = "false"});
    key("force_ds", s.force_ds,
        "Reserves room on a new node for every DaemonSet that would run there.");
    key("balance_similar", s.balance_similar,
        "Shares a scale-up among similar groups, so that their sizes stay even; an option may then "
        "grow past its own group's maximum. Off: they are not even looked up. With a "
        "[pipeline.scale_up] that names no similarity checks it is off, and true is an error.",
        {.upstream = "false"});
    key("balance_across_prices", s.balance_across_prices,
        "Shares a scale-up also among similar groups of which one is spot and the other is not, or "
        "whose known prices differ by more than 2%. Off: no nodes go from a cheap group to a dear "
        "one, whatever the similarity checks say.",
        {.upstream = "true"});
    key("one_option_per_pass", s.one_option_per_pass,
        "Grows by one option a pass, as upstream does. Off: goes on until nothing more can be "
        "helped.",
        {.upstream = "true"});
    key("enforce_node_group_min_size", s.enforce_node_group_min_size,
        "Raises groups that are below their minimum.");
    key("max_nodes_per_scaleup", s.max_nodes_per_scaleup,
        "Most nodes one option may add; 0: no limit.");
    key("max_nodegroup_binpacking_duration", s.max_nodegroup_binpacking_duration,
        "Upstream's bound on the time for one group's option. Read, and without effect: a decision "
        "must not depend on the clock, and its cost is bounded by classes and groups.");
    key("max_node_provision_time", s.max_node_provision_time,
        "A requested machine that has not joined after this long has failed: its group backs off.");
    key("max_node_startup_time", s.max_node_startup_time,
        "A joined node may take this long to become ready.");
    key("ok_total_unready_count", s.ok_total_unready_count,
        "Unready nodes that never make the cluster unhealthy.");
    key("max_total_unready_percentage", s.max_total_unready_percentage,
        "With more unready nodes than this, in percent, nothing is scaled.",
        {.min = 0, .max = 100});
    key("backoff", s.backoff,
        "exponential (upstream): a group that failed is backed off for a time that doubles. "
        "until_joined (Zalando): until a machine that it was asked for joins; one is kept asked "
        "for.");
    key("backoff_by_machine_type", s.backoff_by_machine_type,
        "Back off all groups that the error of one group concerns: groups of the machine type in "
        "the zone where a cloud has no more of them, or of the scope that the error names.",
        {.upstream = "false"});
    key("api_error_backoff", s.api_error_backoff,
        "With until_joined: how long a group is backed off after its cloud's API failed; doubled "
        "by "
        "each failure in a row.");
    key("initial_node_group_backoff_duration", s.initial_node_group_backoff_duration,
        "How long a group is backed off after its first failed scale-up.");
    key("max_node_group_backoff_duration", s.max_node_group_backoff_duration,
        "The longest a group is backed off after repeated failures.");
    key("node_group_backoff_reset_timeout", s.node_group_backoff_reset_timeout,
        "A failure longer ago than this is forgotten.");
    key("startup_taint", s.startup_taint,
        "Taints a node carries until it is ready: ignored when pods are fitted.");
    key("startup_taint_prefix", s.startup_taint_prefix,
        "The same for every taint whose key starts like this.");
    key("well_known_startup_taints", s.well_known_startup_taints,
        "Treat a taint as if startup_taint named it if its key ends with not-ready (Cilium, "
        "Calico, "
        "CSI drivers), /uninitialized (cloud controllers, Cluster API) or /unregistered "
        "(Karpenter), or starts with readiness.k8s.io/.",
        {.upstream = "false"});
    key("device_settling_time", s.device_settling_time,
        "How long after a node became ready to wait for extended resources that its template "
        "promises, such as GPUs, before another node is ordered for the same pods.",
        {.upstream = R"("0s")"});
    key("settling_time", s.settling_time,
        "How long after a node became ready to wait for labels that its template promises, and "
        "until taints that the template does not have are removed.",
        {.upstream = R"("0s")"});
    key("status_taint", s.status_taint,
        "Taints that report a node's state: ignored when pods are fitted.");
    key("readiness_taint", s.readiness_taint,
        "A node with one of these taints has not joined yet, whatever its kubelet says, and its "
        "request fails in the end (Zalando's zalando.org/node-not-ready).");
    key("force_delete_unregistered_nodes", s.force_delete_unregistered_nodes,
        "Deletes machines that never joined even when that takes a group below its minimum.");
    key("force_delete_failed_nodes", s.force_delete_failed_nodes,
        "Deletes machines that could not be created even when the cloud asks for care.");
}

/// The grace period of pods up to a priority.
struct DrainPriority {
    int priority = 0;
    Duration grace{0};
};
void describe(auto&& key, DrainPriority& s) {
    key("priority", s.priority, "Pods of at least this priority, below the next.",
        {.min = INT_MIN});
    key("grace", s.grace, "Longest time these pods get to end by themselves.");
}

struct ScaleDown {
    bool enabled = true;
    Duration delay_after_add = std::chrono::minutes(10);
    Duration delay_after_delete{0};
    Duration empty_group_time{0};
    Duration delay_after_failure = std::chrono::minutes(3);
    bool delay_type_local = false;
    Duration unneeded_time = std::chrono::minutes(10);
    bool unready_enabled = true;
    Duration unready_time = std::chrono::minutes(20);
    double utilization_threshold = 0.5;
    double gpu_utilization_threshold = 0.5;
    bool ignore_daemonsets_utilization = false;
    bool ignore_mirror_pods_utilization = false;
    bool ignore_schedulable_pods = true;
    Duration unremovable_node_recheck_timeout = std::chrono::minutes(5);
    Duration simulation_timeout = std::chrono::seconds(30);
    bool skip_nodes_with_system_pods = true;
    bool skip_nodes_with_local_storage = true;
    bool skip_nodes_with_custom_controller_pods = true;
    int min_replica_count = 0;
    Duration blocking_system_pod_disruption_timeout = std::chrono::hours(1);
    bool job_pods_unmovable = false;
    bool safe_to_evict_frees_jobs = false;
    std::vector<std::string> drain_rules_off;
    int max_parallelism = 10;
    int max_drain_parallelism = 1;
    Duration max_graceful_termination = std::chrono::minutes(10);
    Duration eviction_headroom = std::chrono::seconds(30);
    Duration max_pod_eviction_time = std::chrono::hours(1);
    Duration eviction_retry = std::chrono::seconds(10);
    std::vector<DrainPriority> drain_priorities;
    bool cordon_node_before_terminating = true;
    bool daemonset_eviction_for_empty_nodes = false;
    bool daemonset_eviction_for_occupied_nodes = true;
    Duration node_deletion_delay_timeout = std::chrono::minutes(2);
    Duration node_deletion_batcher_interval{0};
    Duration max_deletion_time = std::chrono::minutes(5);
    Duration node_delete_delay_after_taint = std::chrono::seconds(5);
    bool drain_leaving_nodes = true;
    int max_bulk_soft_taint_count = 10;
    Duration max_bulk_soft_taint_time = std::chrono::seconds(3);
};
void describe(auto&& key, ScaleDown& s) {
    key("enabled", s.enabled, "Removes nodes that are not needed.");
    key("delay_after_add", s.delay_after_add, "No node is removed for this long after a scale-up.");
    key("delay_after_delete", s.delay_after_delete,
        "No node is removed for this long after another one was.");
    key("empty_group_time", s.empty_group_time,
        "How long a group that auto-provisioning made stays empty before it is deleted.");
    key("delay_after_failure", s.delay_after_failure,
        "No node is removed for this long after a removal failed. After its cloud refused a "
        "removal, this holds for the group alone.");
    key("delay_type_local", s.delay_type_local,
        "The three delays hold for the group concerned, not for all.");
    key("unneeded_time", s.unneeded_time,
        "How long a node has been unneeded before it is removed.");
    key("unready_enabled", s.unready_enabled, "Removes unready nodes too.");
    key("unready_time", s.unready_time,
        "How long an unready node has been unneeded before it is removed.");
    key("utilization_threshold", s.utilization_threshold,
        "A node is unneeded only while requests take less than this share of it.",
        {.min = 0, .max = 1});
    key("gpu_utilization_threshold", s.gpu_utilization_threshold,
        "The same for nodes with a GPU, of which only the GPU counts.", {.min = 0, .max = 1});
    key("ignore_daemonsets_utilization", s.ignore_daemonsets_utilization,
        "DaemonSet pods do not count as use.");
    key("ignore_mirror_pods_utilization", s.ignore_mirror_pods_utilization,
        "Mirror pods do not count as use.");
    key("ignore_schedulable_pods", s.ignore_schedulable_pods,
        "Pods that wait and find room on the nodes there are do not stop removals (Zalando). Off: "
        "no removal begins while there are any (upstream).",
        {.upstream = "false"});
    key("unremovable_node_recheck_timeout", s.unremovable_node_recheck_timeout,
        "Upstream's pause before a node is looked at again. Read, and without effect: every node "
        "is "
        "looked at in every pass.");
    key("simulation_timeout", s.simulation_timeout,
        "Upstream's bound on the time for looking at nodes. Read, and without effect: a decision "
        "must not depend on the clock.");
    key("skip_nodes_with_system_pods", s.skip_nodes_with_system_pods,
        "Keeps nodes with kube-system pods that have no PodDisruptionBudget, DaemonSet and mirror "
        "pods aside.");
    key("skip_nodes_with_local_storage", s.skip_nodes_with_local_storage,
        "Keeps nodes with pods that use emptyDir or hostPath.");
    key("skip_nodes_with_custom_controller_pods", s.skip_nodes_with_custom_controller_pods,
        "Keeps nodes with pods of controllers that are not Kubernetes' own.");
    key("min_replica_count", s.min_replica_count,
        "Keeps nodes with a pod of a controller that has fewer replicas than this.");
    key("blocking_system_pod_disruption_timeout", s.blocking_system_pod_disruption_timeout,
        "How long a kube-system pod may keep its node, after which it is moved.");
    key("job_pods_unmovable", s.job_pods_unmovable,
        "Keeps nodes with pods of Jobs until these end (Zalando). Off: they are moved (upstream).");
    key("safe_to_evict_frees_jobs", s.safe_to_evict_frees_jobs,
        "With job_pods_unmovable: an explicit safe-to-evict moves a Job's pod all the same.");
    key("drain_rules_off", s.drain_rules_off,
        "Drain rules that are left out, by name: [\"local_storage\"]; host/engine/scale_down/"
        "README.md lists them.");
    key("max_parallelism", s.max_parallelism, "Most nodes removed at once.");
    key("max_drain_parallelism", s.max_drain_parallelism,
        "Most of those whose pods have to be moved.");
    key("max_graceful_termination", s.max_graceful_termination,
        "Longest time pods get to end by themselves.");
    key("eviction_headroom", s.eviction_headroom,
        "A drain is given up for a pod that is still there this long after the time it had to "
        "end.");
    key("max_pod_eviction_time", s.max_pod_eviction_time,
        "How long a node is drained before that is given up; a group's own wish comes first. After "
        "2m nodes whose pods start slowly under a tight PodDisruptionBudget would never go.",
        {.upstream = "\"2m\""});
    key("eviction_retry", s.eviction_retry, "Time between two tries to evict a pod.");
    key("drain_priorities", s.drain_priorities,
        "Evicts pods in groups of ascending priority, each with its own time to end (upstream's "
        "drain-priority-config). Empty: all at once, with max_graceful_termination.");
    key("cordon_node_before_terminating", s.cordon_node_before_terminating,
        "Marks a node as unschedulable before it is drained.");
    key("daemonset_eviction_for_empty_nodes", s.daemonset_eviction_for_empty_nodes,
        "Evicts DaemonSet pods from empty nodes.");
    key("daemonset_eviction_for_occupied_nodes", s.daemonset_eviction_for_occupied_nodes,
        "Evicts DaemonSet pods from nodes that are drained.");
    key("node_deletion_delay_timeout", s.node_deletion_delay_timeout,
        "How long to wait for those who delay a removal by annotation.");
    key("node_deletion_batcher_interval", s.node_deletion_batcher_interval,
        "Removals within this time go to the cloud in one call.");
    key("max_deletion_time", s.max_deletion_time,
        "How long a node may take to vanish after its cloud agreed to remove its machine. If that "
        "still runs then, the node is kept after all.");
    key("node_delete_delay_after_taint", s.node_delete_delay_after_taint,
        "Time between tainting a node and removing it, for the scheduler to see the taint.");
    key("drain_leaving_nodes", s.drain_leaving_nodes,
        "Taint and drain nodes whose machines the cloud announces to take away: spot interruption, "
        "maintenance, expiry. Set to false if another program does that, such as "
        "aws-node-termination-handler; such a node still gets no pods of removed nodes, and "
        "replacements are still requested. Does not depend on `enabled`.",
        {.upstream = "false"});
    key("max_bulk_soft_taint_count", s.max_bulk_soft_taint_count,
        "Most soft taints changed in one pass; 0: none.");
    key("max_bulk_soft_taint_time", s.max_bulk_soft_taint_time,
        "Upstream's bound on the time one pass spends on soft taints. Read, and without effect: "
        "their "
        "number is bounded, and they are changed all at once.");
}

/// The bounds of one resource over the whole cluster.
struct Bounds {
    Quantity min;
    std::optional<Quantity> max;
};
void describe(auto&& key, Bounds& s) {
    key("min", s.min, "Removing nodes stops here.");
    key("max", s.max, "Adding nodes stops here. Unset: no limit.");
}

/// A resource without an entry is not limited.
struct Limits {
    Bounds cpu, memory, gpu, nodes;
    std::map<std::string, Bounds> gpu_types;
};
void describe(auto&& key, Limits& s) {
    key("cpu", s.cpu, "Cores of all nodes together (upstream's cores-total).");
    key("memory", s.memory, "Memory of all nodes together (upstream's memory-total).");
    key("gpu", s.gpu, "GPUs of all nodes and makes together.");
    key("nodes", s.nodes, "Nodes of the cluster (upstream's max-nodes-total).");
    key("gpu_types", s.gpu_types,
        "GPUs of one make, by resource: { \"nvidia.com/gpu\" = { max = \"16\" } } (upstream's "
        "gpu-total).");
}

}  // namespace capstan::runtime::config
