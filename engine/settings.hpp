/// The settings of the engine. Filled from the configuration's sections [scale_up], [scale_down]
/// and [limits]; config/scaling.hpp documents each key.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <capstan/quantity.hpp>
#include <capstan/time.hpp>

#include "engine/snapshot/default_spread.hpp"

namespace capstan::engine {

/// Where the template of a group's new nodes comes from.
enum class TemplateSource {
    mixed,  ///< a ready node of the group, else the cloud's template: upstream
    cloud,  ///< always the cloud's template: Zalando
};

/// Bounds of a resource total over all nodes.
struct Bound {
    std::int64_t min = 0;
    std::optional<std::int64_t> max{};  ///< absent: no limit
};

/// How long a group is backed off after a failure.
enum class BackoffPolicy {
    exponential,   ///< 5m, doubled by each failure in a row, at most 30m: upstream
    until_joined,  ///< until a requested machine joins: Zalando
};

/// When a node is drained, pods of at least `priority`, and of less than the next entry's priority,
/// get at most `grace` to terminate. The first entry is also for pods of lower priority.
struct DrainPriority {
    int priority = 0;
    Duration grace{};
    bool operator==(const DrainPriority&) const = default;
};

/// Settings of scale-down; the configuration's section [scale_down].
struct ScaleDownSettings {
    bool enabled = true;

    // When.
    Duration delay_after_add = std::chrono::minutes(10);
    Duration delay_after_delete{0};
    Duration delay_after_failure = std::chrono::minutes(3);
    bool delay_type_local = false;
    Duration unneeded_time = std::chrono::minutes(10);
    Duration unready_time = std::chrono::minutes(20);
    bool unready_enabled = true;
    /// Pending pods that fit on existing or upcoming nodes do not stop the removals of the pass.
    bool ignore_schedulable_pods = true;

    // Which nodes.
    double utilization_threshold = 0.5, gpu_utilization_threshold = 0.5;
    bool ignore_daemonsets_utilization = false, ignore_mirror_pods_utilization = false;

    // Which pods may be moved: drainability/drain_rules/drain_rules.hpp.
    bool skip_nodes_with_system_pods = true;
    bool skip_nodes_with_local_storage = true;
    bool skip_nodes_with_custom_controller_pods = true;
    int min_replica_count = 0;
    Duration blocking_system_pod_disruption_timeout = std::chrono::hours(1);
    bool job_pods_unmovable = false;  ///< Zalando's
    /// Job pods with safe-to-evict "true" are moved in spite of job_pods_unmovable.
    bool safe_to_evict_frees_jobs = false;
    std::vector<std::string> drain_rules_off{};

    // How.
    int max_parallelism = 10, max_drain_parallelism = 1;
    Duration node_delete_delay_after_taint = std::chrono::seconds(5);
    bool cordon_node_before_terminating = true;
    Duration max_pod_eviction_time = std::chrono::hours(1);
    Duration eviction_retry = std::chrono::seconds(10);
    Duration max_graceful_termination = std::chrono::minutes(10);
    Duration eviction_headroom = std::chrono::seconds(30);
    /// By priority, ascending; empty: all pods are evicted together.
    std::vector<DrainPriority> drain_priorities{};
    bool daemonset_eviction_for_empty_nodes = false;
    bool daemonset_eviction_for_occupied_nodes = true;
    Duration node_deletion_delay_timeout = std::chrono::minutes(2);
    Duration node_deletion_batcher_interval{0};
    /// How long a node may take to vanish after the cloud agreed to remove its machine.
    Duration max_deletion_time = std::chrono::minutes(5);
    int max_bulk_soft_taint_count = 10;
    /// Taints and drains nodes whose machines are about to leave (health/leaving_nodes.hpp). Does
    /// not depend on `enabled`.
    bool drain_leaving_nodes = true;
    /// How long an autoprovisioned group stays empty before it is deleted.
    Duration empty_group_time{0};
};

struct Settings {
    // Which pods count.
    int expendable_pods_priority_cutoff = -10;
    Duration new_pod_delay{0};
    std::vector<std::string> bypassed_scheduler_names{};
    std::vector<std::string> allowed_scheduler_names{};  ///< empty: all

    int max_pods_considered = 0;  ///< only the oldest, at most so many; 0: no limit
    /// The pod label by which an emulated spread over zones selects pods, see
    /// pass_context/spread_emulation.hpp; empty: no spread is emulated.
    std::string emulated_spread_label{};
    /// The pod annotation that says how long a spread over zones is required; empty: there is none.
    std::string spread_timeout_annotation{};
    /// The scheduler's default topology spread constraints with DoNotSchedule, for pods without
    /// constraints of their own.
    std::vector<snapshot::DefaultSpread> default_spread{};

    // What a new node looks like.
    TemplateSource template_source = TemplateSource::mixed;
    bool force_daemon_sets = false;
    bool reserve_from_nodes = true;  ///< learns from existing nodes what the system reserves
    std::vector<std::string> startup_taints{}, startup_taint_prefixes{}, status_taints{};
    bool well_known_startup_taints = true;  ///< also those of is_well_known_startup_taint
    /// How long a ready node may lack a resource of its template that a device plugin reports, and
    /// how long it may lack a label or have an additional taint (templates/settling_nodes.hpp).
    Duration device_settling_time = std::chrono::minutes(5);
    Duration settling_time = std::chrono::minutes(1);
    /// A node with one of these taints counts as not started, however long it has the taint, so the
    /// request for it times out in the end (Zalando's zalando.org/node-not-ready).
    std::vector<std::string> readiness_taints{};

    // When the cluster is healthy enough.
    bool from_zero = true;  ///< scale-up also while there is no ready node
    int ok_total_unready_count = 3;
    double max_total_unready_percentage = 45;
    bool enforce_min_size = false;
    bool force_delete_unregistered_nodes = false, force_delete_failed_nodes = false;

    // Limits of one pass.
    bool balance_similar = true;
    /// Nodes are also shared among groups with different prices or capacity types.
    bool balance_across_prices = false;
    bool one_option_per_pass = false;                       ///< upstream's way
    int max_nodes_per_scale_up = 1000;                      ///< of one option; 0: no limit
    int max_options_per_pass = 1000;                        ///< a safety bound, not a policy
    Duration max_binpacking_time{std::chrono::minutes(1)};  ///< of all options of a pass

    // Totals over the cluster: thousandths of cores, bytes, GPUs of all makes, nodes; GPUs by
    // resource name.
    Bound cpu{}, memory{}, gpu{}, nodes{};
    std::map<std::string, Bound> gpu_types{};

    // How long a machine may take. A group's own setting of the provision time takes precedence.
    Duration max_node_provision_time = std::chrono::minutes(15);  ///< from request to joined
    Duration max_node_startup_time = std::chrono::minutes(15);    ///< from joined to ready

    // Back-off of groups that could not grow.
    BackoffPolicy backoff = BackoffPolicy::exponential;
    /// All groups that an error concerns are backed off together with the group that failed
    /// (health/shared_backoff.hpp).
    bool backoff_by_machine_type = true;
    /// After an error of the API itself, with until_joined; doubled up to backoff_max.
    Duration api_error_backoff = std::chrono::seconds(30);
    Duration backoff_initial = std::chrono::minutes(5);
    Duration backoff_max = std::chrono::minutes(30);
    Duration backoff_reset = std::chrono::hours(3);

    ScaleDownSettings scale_down{};
};

}  // namespace capstan::engine
