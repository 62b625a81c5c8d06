/// What an operator can say about decisions. Filled from the configuration's sections [scale_up]
/// and [limits] (runtime/config/scaling.hpp has each key's documentation).
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <capstan/quantity.hpp>
#include <capstan/time.hpp>

namespace capstan::engine {

/// Where the look of a new node comes from.
enum class TemplateSource {
    mixed,  ///< a node of the group that is ready, else the cloud's template: upstream
    cloud,  ///< always the cloud's template: Zalando
};

/// Bounds of a total over all nodes.
struct Bound {
    std::int64_t min = 0;
    std::optional<std::int64_t> max{};  ///< nothing: no limit
};

struct Settings {
    // Which pods count.
    int expendable_pods_priority_cutoff = -10;
    Duration new_pod_delay{0};
    std::vector<std::string> bypassed_scheduler_names{};
    std::vector<std::string> allowed_scheduler_names{};  ///< empty: all

    // What a new node looks like.
    TemplateSource template_source = TemplateSource::mixed;
    bool force_daemon_sets = false;
    bool reserve_from_nodes = true;  ///< learns from existing nodes what the system keeps
    std::vector<std::string> startup_taints{}, startup_taint_prefixes{}, status_taints{};

    // How far a pass goes.
    bool balance_similar = true;
    bool one_option_per_pass = false;   ///< upstream's
    int max_nodes_per_scale_up = 1000;  ///< of one option; 0: no limit
    int max_options_per_pass = 1000;    ///< each one increases groups; a bound, not a policy

    // Totals over the cluster: thousandths of cores, bytes, GPUs of all makes, nodes; GPUs by
    // resource name.
    Bound cpu{}, memory{}, gpu{}, nodes{};
    std::map<std::string, Bound> gpu_types{};

    // How long a machine may take. A group's own wish comes first.
    Duration max_node_provision_time = std::chrono::minutes(15);  ///< from asked for to joined
    Duration max_node_startup_time = std::chrono::minutes(15);    ///< from joined to ready

    // Back-off of groups that could not grow.
    Duration backoff_initial = std::chrono::minutes(5);
    Duration backoff_max = std::chrono::minutes(30);
    Duration backoff_reset = std::chrono::hours(3);
};

}  // namespace capstan::engine
