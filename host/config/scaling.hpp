/// [scale_up], [scale_down] and [limits]. Most keys are upstream's flags in snake_case without the
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

namespace capstan::config {

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
    key("topology_key", s.topology_key,
        "Node label whose values are the topology domains, such as topology.kubernetes.io/zone.");
    key("max_skew", s.max_skew,
        "Maximum difference between the matching pods in a domain and in the domain with the "
        "fewest.",
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
    Duration max_binpacking_time = std::chrono::minutes(1);
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
        "Pods with a lower priority are expendable, unless their preemptionPolicy is Never: they "
        "do not trigger a scale-up and do not block scale-down.",
        {.min = INT_MIN});
    key("new_pod_delay", s.new_pod_delay,
        "Pods younger than this do not trigger a scale-up. The annotation "
        "cluster-autoscaler.kubernetes.io/pod-scale-up-delay sets a longer delay for a pod.");
    key("bypassed_scheduler_names", s.bypassed_scheduler_names,
        "Schedulers whose pods count as pending before the scheduler has marked them as "
        "unschedulable.");
    key("allowed_scheduler_names", s.allowed_scheduler_names,
        "Only pods of these schedulers count as pending. Empty: pods of all schedulers.");
    key("max_unschedulable_pods_considered", s.max_unschedulable_pods_considered,
        "Maximum number of pending pods considered in one pass, oldest first (from Zalando's "
        "fork). 0: no limit.");
    key("emulated_spread_label", s.emulated_spread_label,
        "Pods whose only spread constraint is over zones, has maxSkew 1 and selects by this pod "
        "label alone are planned zone by zone, and each pod stays in its zone (from Zalando's "
        "fork, where the label is parent-resource-hash). Empty: follow the constraint as "
        "kube-scheduler does.");
    key("spread_timeout_annotation", s.spread_timeout_annotation,
        "Pod annotation with a duration. The pod's spread constraints over zones apply only for "
        "this long after its creation. Needs a scheduler that supports the annotation; "
        "kube-scheduler does not. Empty: no annotation.",
        {.upstream = "\"\""});
    key("default_spread", s.default_spread,
        "Spread constraints for pods that have none and that a Service, ReplicaSet, StatefulSet "
        "or ReplicationController selects; used for scale-up and scale-down. Copy the "
        "DoNotSchedule entries of defaultConstraints in kube-scheduler's PodTopologySpread "
        "arguments (defaultingType: List); entries with ScheduleAnyway have no effect on scaling. "
        "Empty: none; the built-in defaults of kube-scheduler are all ScheduleAnyway.",
        {.shorthand = "topology_key"});
    key("from_zero", s.from_zero, "Allow scale-up while the cluster has no ready node.");
    key("template_source", s.template_source,
        "Source of the node template, which describes the next node of a group. mixed: a ready "
        "node of the group, or the last one if it was seen within 24 hours; otherwise the cloud. "
        "cloud: always the cloud.");
    key("reserve_from_nodes", s.reserve_from_nodes,
        "Estimate from existing nodes how much of a new node is reserved for the system, if the "
        "cloud does not report it.",
        {.upstream = "false"});
    key("force_ds", s.force_ds,
        "Reserve room on a new node for every DaemonSet that would run there, even if the node "
        "that serves as its template does not run all of them.");
    key("balance_similar", s.balance_similar,
        "Balance new nodes over similar groups, so that the sizes of the groups stay even. The "
        "checks in pipeline.scale_up.similarity decide what is similar. If there are none, the "
        "default is false, and true is an error.",
        {.upstream = "false"});
    key("balance_across_prices", s.balance_across_prices,
        "Also balance between spot and on-demand groups, and between groups whose known prices "
        "differ by more than 2%. If false, these groups never count as similar, whatever the "
        "similarity checks return.",
        {.upstream = "true"});
    key("one_option_per_pass", s.one_option_per_pass,
        "Carry out only one scale-up option in each pass, as upstream does. If false, further "
        "options are chosen until no group can help the remaining pods.",
        {.upstream = "true"});
    key("enforce_node_group_min_size", s.enforce_node_group_min_size,
        "Scale up groups that are below their minimum size.");
    key("max_nodes_per_scaleup", s.max_nodes_per_scaleup,
        "Maximum number of nodes that one scale-up option adds. 0: no limit.");
    key("max_binpacking_time", s.max_binpacking_time,
        "How long a pass may look for scale-up options. After that it carries out what it has "
        "decided, and the next pass goes on.",
        {.min = std::chrono::seconds(1), .upstream = R"("5m")"});
    key("max_nodegroup_binpacking_duration", s.max_nodegroup_binpacking_duration,
        "No effect; accepted for compatibility. Upstream limits the time of bin-packing for each "
        "group; decisions here do not depend on the clock.");
    key("max_node_provision_time", s.max_node_provision_time,
        "How long a requested machine may take to join the cluster. After that the request has "
        "failed and its group is backed off. A group's own setting takes precedence.");
    key("max_node_startup_time", s.max_node_startup_time,
        "How long a node may take to become ready after it has joined. A group's own setting "
        "takes precedence.");
    key("ok_total_unready_count", s.ok_total_unready_count,
        "Number of unready nodes that is always tolerated, regardless of "
        "scale_up.max_total_unready_percentage.");
    key("max_total_unready_percentage", s.max_total_unready_percentage,
        "Maximum percentage of unready nodes. While it is exceeded, nothing is scaled up or down.",
        {.min = 0, .max = 100});
    key("backoff", s.backoff,
        "How long a group is backed off after a failed scale-up. exponential (upstream): for a "
        "time that doubles with each failure. until_joined (from Zalando's fork): until a "
        "requested machine joins; one machine stays requested meanwhile.");
    key("backoff_by_machine_type", s.backoff_by_machine_type,
        "Also back off the other groups that an error affects: all groups in the scope that the "
        "error names, such as the account. If an out-of-capacity error names no scope: the groups "
        "with the same machine type and market (spot or on demand) in the same zone that have "
        "failed, too.",
        {.upstream = "false"});
    key("api_error_backoff", s.api_error_backoff,
        "With scale_up.backoff = until_joined: how long a group is backed off after an error of "
        "its cloud's API. Each further error in a row doubles the time.");
    key("initial_node_group_backoff_duration", s.initial_node_group_backoff_duration,
        "How long a group is backed off after its first failed scale-up. Each further failure "
        "doubles the time, up to scale_up.max_node_group_backoff_duration.");
    key("max_node_group_backoff_duration", s.max_node_group_backoff_duration,
        "Maximum time for which a group is backed off after repeated failures.");
    key("node_group_backoff_reset_timeout", s.node_group_backoff_reset_timeout,
        "Back-offs start again at scale_up.initial_node_group_backoff_duration if the last "
        "failure is longer ago than this.");
    key("startup_taint", s.startup_taint,
        "Keys of taints that nodes have while they start. They are ignored in node templates, and "
        "a new node with one of them is not ready.");
    key("startup_taint_prefix", s.startup_taint_prefix,
        "Like scale_up.startup_taint, for all taints whose key begins with one of these prefixes.");
    key("well_known_startup_taints", s.well_known_startup_taints,
        "Also treat these as startup taints: keys that end with not-ready (Cilium, Calico, CSI "
        "drivers), /uninitialized (cloud controllers, Cluster API) or /unregistered (Karpenter), "
        "or begin with readiness.k8s.io/.",
        {.upstream = "false"});
    key("device_settling_time", s.device_settling_time,
        "How long a ready node may lack extended resources of its template, such as GPUs, before "
        "another node is requested for the same pods.",
        {.upstream = R"("0s")"});
    key("settling_time", s.settling_time,
        "How long a ready node may lack labels of its template, or have taints that its template "
        "does not have, before another node is requested for the same pods.",
        {.upstream = R"("0s")"});
    key("status_taint", s.status_taint,
        "Keys of taints that report a node's state. They are ignored in node templates. Unlike "
        "with scale_up.startup_taint, the node counts as ready.");
    key("readiness_taint", s.readiness_taint,
        "Keys of taints that mark a node as not joined, whatever its Ready condition is (Zalando: "
        "zalando.org/node-not-ready). If the taint stays, the request for the node times out.");
    key("force_delete_unregistered_nodes", s.force_delete_unregistered_nodes,
        "Delete machines that never joined even if their group falls below its minimum size.");
    key("force_delete_failed_nodes", s.force_delete_failed_nodes,
        "Delete machines that could not be created even if their group falls below its minimum "
        "size.");
}

/// The grace period of pods from a priority on, up to the priority of the next entry.
struct DrainPriority {
    int priority = 0;
    Duration grace{0};
};
void describe(auto&& key, DrainPriority& s) {
    key("priority", s.priority,
        "Lowest priority of the pods in this entry. The entry applies up to the priority of the "
        "next one.",
        {.min = INT_MIN});
    key("grace", s.grace, "Maximum graceful termination period of these pods.");
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
    key("enabled", s.enabled, "Remove unneeded nodes.");
    key("delay_after_add", s.delay_after_add,
        "How long scale-down is in cooldown after a scale-up.");
    key("delay_after_delete", s.delay_after_delete,
        "How long scale-down is in cooldown after a node was removed.");
    key("empty_group_time", s.empty_group_time,
        "How long an auto-provisioned group must be empty before it is deleted.");
    key("delay_after_failure", s.delay_after_failure,
        "How long scale-down is in cooldown after a removal failed. If the cloud refused the "
        "removal, the cooldown is limited to the group.");
    key("delay_type_local", s.delay_type_local,
        "Limit the cooldowns of scale_down.delay_after_add, scale_down.delay_after_delete and "
        "scale_down.delay_after_failure to the group concerned.");
    key("unneeded_time", s.unneeded_time,
        "How long a node must be unneeded before it is removed. A group's own setting takes "
        "precedence.");
    key("unready_enabled", s.unready_enabled, "Also remove unready nodes.");
    key("unready_time", s.unready_time,
        "How long an unready node must be unneeded before it is removed. A group's own setting "
        "takes precedence.");
    key("utilization_threshold", s.utilization_threshold,
        "A node is unneeded only if its pods request at most this share of its allocatable cpu and "
        "of its allocatable memory. A group's own setting takes precedence.",
        {.min = 0, .max = 1});
    key("gpu_utilization_threshold", s.gpu_utilization_threshold,
        "A node with GPUs is unneeded only if its pods request at most this share of its GPUs; cpu "
        "and memory do not count. A group's own setting takes precedence.",
        {.min = 0, .max = 1});
    key("ignore_daemonsets_utilization", s.ignore_daemonsets_utilization,
        "Ignore DaemonSet pods in the utilization of a node.");
    key("ignore_mirror_pods_utilization", s.ignore_mirror_pods_utilization,
        "Ignore mirror pods in the utilization of a node.");
    key("ignore_schedulable_pods", s.ignore_schedulable_pods,
        "Pending pods that fit on existing or upcoming nodes do not block scale-down (from "
        "Zalando's fork). If false, no removal starts while there are any (upstream).",
        {.upstream = "false"});
    key("unremovable_node_recheck_timeout", s.unremovable_node_recheck_timeout,
        "No effect; accepted for compatibility. Upstream does not check an unremovable node again "
        "for this long; here every node is checked in every pass.");
    key("simulation_timeout", s.simulation_timeout,
        "No effect; accepted for compatibility. Upstream limits the time for checking nodes; "
        "decisions here do not depend on the clock.");
    key("skip_nodes_with_system_pods", s.skip_nodes_with_system_pods,
        "Keep nodes with kube-system pods that have no PodDisruptionBudget, except DaemonSet and "
        "mirror pods. scale_down.blocking_system_pod_disruption_timeout limits this.");
    key("skip_nodes_with_local_storage", s.skip_nodes_with_local_storage,
        "Keep nodes with pods that use local storage: hostPath, or emptyDir on disk.");
    key("skip_nodes_with_custom_controller_pods", s.skip_nodes_with_custom_controller_pods,
        "Keep nodes with pods of custom controllers: controllers other than ReplicaSet, "
        "ReplicationController, StatefulSet, Job and DaemonSet.");
    key("min_replica_count", s.min_replica_count,
        "Keep nodes with pods of a ReplicaSet or ReplicationController that has fewer replicas "
        "than this.");
    key("blocking_system_pod_disruption_timeout", s.blocking_system_pod_disruption_timeout,
        "With scale_down.skip_nodes_with_system_pods: age at which a kube-system pod no longer "
        "keeps its node.");
    key("job_pods_unmovable", s.job_pods_unmovable,
        "Keep nodes with pods of Jobs until the pods have ended (from Zalando's fork). If false, "
        "the pods are evicted (upstream).");
    key("safe_to_evict_frees_jobs", s.safe_to_evict_frees_jobs,
        "With scale_down.job_pods_unmovable: pods of Jobs with the annotation "
        "cluster-autoscaler.kubernetes.io/safe-to-evict: \"true\" are evicted.");
    key("drain_rules_off", s.drain_rules_off,
        "Names of drain rules to turn off, such as [\"local_storage\"]. The rules are expendable, "
        "job, mirror, long_terminating, replica_count, daemon_set, on_completion, several_pdbs, "
        "safe_to_evict, replicated, system, not_safe_to_evict, do_not_disrupt, local_storage and "
        "pdb.");
    key("max_parallelism", s.max_parallelism,
        "Maximum number of nodes that are removed at the same time.");
    key("max_drain_parallelism", s.max_drain_parallelism,
        "Maximum number of nodes that are drained at the same time. They also count towards "
        "scale_down.max_parallelism.");
    key("max_graceful_termination", s.max_graceful_termination,
        "Maximum graceful termination period of evicted pods. scale_down.drain_priorities "
        "replaces it.");
    key("eviction_headroom", s.eviction_headroom,
        "A drain fails if an evicted pod still exists this long after its graceful termination "
        "period.");
    key("max_pod_eviction_time", s.max_pod_eviction_time,
        "Maximum time for draining a node. After that the drain fails and the node is kept. A "
        "group's own setting takes precedence. Upstream's 2m is too short if pods start slowly "
        "under a tight PodDisruptionBudget.",
        {.upstream = "\"2m\""});
    key("eviction_retry", s.eviction_retry, "Time between two attempts to evict a pod.");
    key("drain_priorities", s.drain_priorities,
        "Evict pods in order of ascending priority, with a graceful termination period for each "
        "entry. Empty: evict all pods at once, with scale_down.max_graceful_termination.");
    key("cordon_node_before_terminating", s.cordon_node_before_terminating,
        "Cordon a node (mark it as unschedulable) before it is drained.");
    key("daemonset_eviction_for_empty_nodes", s.daemonset_eviction_for_empty_nodes,
        "Evict DaemonSet pods from empty nodes before they are removed.");
    key("daemonset_eviction_for_occupied_nodes", s.daemonset_eviction_for_occupied_nodes,
        "Evict DaemonSet pods from nodes that are drained.");
    key("node_deletion_delay_timeout", s.node_deletion_delay_timeout,
        "How long a removal waits for annotations "
        "delay-deletion.cluster-autoscaler.kubernetes.io/... to be taken off the node. After that "
        "the node is removed.");
    key("node_deletion_batcher_interval", s.node_deletion_batcher_interval,
        "How long removals are collected before they are sent to the cloud in one call.");
    key("max_deletion_time", s.max_deletion_time,
        "How long a node may take to disappear after its cloud accepted the removal of its "
        "machine. If "
        "the machine is still running then, the removal has failed and the node is kept.");
    key("node_delete_delay_after_taint", s.node_delete_delay_after_taint,
        "Time between tainting a node and removing it, so that the scheduler has noticed the "
        "taint.");
    key("drain_leaving_nodes", s.drain_leaving_nodes,
        "Taint and drain nodes whose machines the cloud is about to take away: spot interruption, "
        "maintenance, expiry. Set to false if another program does that, such as "
        "aws-node-termination-handler; even then, replacements are requested and no evicted pods "
        "are planned on these nodes. Does not depend on scale_down.enabled.",
        {.upstream = "false"});
    key("max_bulk_soft_taint_count", s.max_bulk_soft_taint_count,
        "Maximum number of nodes on which the soft taint (PreferNoSchedule) is set or removed in "
        "one pass. 0: no soft taints.");
    key("max_bulk_soft_taint_time", s.max_bulk_soft_taint_time,
        "No effect; accepted for compatibility. Upstream limits the time for soft taints in one "
        "pass; here only scale_down.max_bulk_soft_taint_count applies.");
}

/// The bounds of one resource over the whole cluster.
struct Bounds {
    Quantity min;
    std::optional<Quantity> max;
};
void describe(auto&& key, Bounds& s) {
    key("min", s.min, "Scale-down does not go below this.");
    key("max", s.max, "Scale-up does not go above this. Unset: no limit.");
}

/// A resource without an entry is not limited.
struct Limits {
    Bounds cpu, memory, gpu, nodes;
    std::map<std::string, Bounds> gpu_types;
};
void describe(auto&& key, Limits& s) {
    key("cpu", s.cpu, "Cores of all nodes together.");
    key("memory", s.memory, "Memory of all nodes together, such as { max = \"400Gi\" }.");
    key("gpu", s.gpu, "GPUs of all nodes together, whatever their type.");
    key("nodes", s.nodes, "Number of nodes in the cluster.");
    key("gpu_types", s.gpu_types,
        "GPUs of one type: by the value of the GPU node label, as in upstream's flag, such as "
        "{ nvidia-tesla-t4 = { max = \"2\" } }, or by resource name, such as { \"nvidia.com/gpu\" "
        "= "
        "{ max = \"16\" } }.");
}

}  // namespace capstan::config
