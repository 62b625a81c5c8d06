#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "autoscaler/pass_metrics/pass_observers.hpp"
#include "engine/health/backoff.hpp"
#include "engine/node_marks.hpp"
#include "engine/removal/phases.hpp"
#include "engine/scale_down/removal_order.hpp"
#include "engine/templates/node_taints.hpp"

namespace capstan::autoscaler::pass_metrics {
namespace {

/// Whether scale-down is in cooldown. Only the global cooldown counts, as upstream has it.
bool is_in_cooldown(const PassObservation& pass) {
    const engine::ScaleDownSettings& settings = pass.settings.scale_down;
    return settings.enabled && !settings.delay_type_local &&
           engine::scale_down::find_cooldown(pass.memory.last, settings, pass.at);
}

GaugeSeries::Values::value_type by_state(const char* state, int count) {
    return {{state}, static_cast<double>(count)};
}

/// Upstream's limit of pod equivalence groups per controller, beyond which it treats each pod
/// alone.
constexpr std::size_t max_equivalence_groups = 10;

/// `unit` is the gauge's unit in units of Bound. A missing maximum is infinite.
GaugeSeries::Values limits(const engine::Bound& bound, double unit) {
    const double most = bound.max ? static_cast<double>(*bound.max) / unit
                                  : std::numeric_limits<double>::infinity();
    return {{{"minimum"}, static_cast<double>(bound.min) / unit}, {{"maximum"}, most}};
}

class PassGauges final : public PassObserver {
public:
    explicit PassGauges(prometheus::Registry& registry) : registry_(registry) {}
    void observe(const PassObservation& pass, const engine::health::Health& health) override {
        observe_cluster(health);
        observe_totals(pass);
        observe_pods(pass);
        observe_groups(pass, health);
        observe_removals(pass);
    }

private:
    void observe_cluster(const engine::health::Health& health);
    void observe_totals(const PassObservation& pass);
    void observe_pods(const PassObservation& pass);
    void observe_groups(const PassObservation& pass, const engine::health::Health& health);
    void observe_removals(const PassObservation& pass);

    prometheus::Registry& registry_;
    prometheus::Gauge& safe_ =
        single_gauge(registry_, "cluster_autoscaler_cluster_safe_to_autoscale",
                     "1 if the cluster is healthy enough to be scaled.");
    prometheus::Gauge& max_nodes_ = single_gauge(registry_, "cluster_autoscaler_max_nodes_count",
                                                 "Maximum number of nodes (0: no limit).");
    prometheus::Gauge& cores_ =
        single_gauge(registry_, "cluster_autoscaler_cluster_cpu_current_cores",
                     "Cores of all nodes that are not being removed.");
    prometheus::Gauge& memory_ =
        single_gauge(registry_, "cluster_autoscaler_cluster_memory_current_bytes",
                     "Memory of all nodes that are not being removed.");
    prometheus::Gauge& unneeded_ = single_gauge(
        registry_, "cluster_autoscaler_unneeded_nodes_count", "Unneeded nodes in the last pass.");
    prometheus::Gauge& pending_deletions_ = single_gauge(
        registry_, "cluster_autoscaler_pending_node_deletions", "Nodes that are being removed.");
    prometheus::Gauge& in_cooldown_ = single_gauge(
        registry_, "cluster_autoscaler_scale_down_in_cooldown", "1 if scale-down is in cooldown.");
    prometheus::Gauge& overflowing_ =
        single_gauge(registry_, "cluster_autoscaler_overflowing_controllers_count",
                     "Controllers with pending pods of more than 10 kinds.");
    prometheus::Gauge& skip_eval_ = single_gauge(
        registry_, "cluster_autoscaler_max_node_skip_eval_duration_seconds",
        "Longest time since a node was checked for removal (0: the last pass checked all).");
    std::optional<Time> looked_at_nodes_{};  ///< when a pass last examined nodes for removal
    GaugeSeries cpu_limits_{registry_, "cluster_autoscaler_cpu_limits_cores",
                            "Minimum and maximum cores of the cluster (+Inf: no limit).",
                            "direction"};
    GaugeSeries memory_limits_{registry_, "cluster_autoscaler_memory_limits_bytes",
                               "Minimum and maximum memory of the cluster (+Inf: no limit).",
                               "direction"};
    GaugeSeries taints_{
        registry_, "cluster_autoscaler_node_taints_count",
        "Taints of nodes: well-known taints by key, startup-taint, status-taint, other.", "type"};
    GaugeSeries skipped_pods_{
        registry_, "cluster_autoscaler_skipped_pods_count",
        "Pending pods that the last pass skipped because of the limit of pods per pass.",
        "requestor"};
    GaugeSeries nodes_{
        registry_, "cluster_autoscaler_nodes_count",
        "Nodes by state. Machines without a node are unregistered or longUnregistered.", "state"};
    GaugeSeries groups_{registry_, "cluster_autoscaler_node_groups_count",
                        "Node groups by type: autoscaled, autoprovisioned.", "node_group_type"};
    GaugeSeries pods_{registry_, "cluster_autoscaler_unschedulable_pods_count",
                      "Pending pods: unschedulable, or scheduler_unprocessed (of bypassed "
                      "schedulers, not tried yet).",
                      "type"};
    GaugeSeries unremovable_{registry_, "cluster_autoscaler_unremovable_nodes_count",
                             "Nodes that cannot be removed, by reason.", "reason"};
    GaugeSeries held_back_{
        registry_, "capstan_held_back_nodes",
        "Nodes that have been unneeded for long enough and that a setting keeps for now.",
        "setting"};
    GaugeSeries group_min_{registry_, "cluster_autoscaler_node_group_min_count",
                           "Minimum size of the node group.", "node_group"};
    GaugeSeries group_max_{registry_, "cluster_autoscaler_node_group_max_count",
                           "Maximum size of the node group.", "node_group"};
    GaugeSeries group_target_{registry_, "cluster_autoscaler_node_group_target_count",
                              "Target size of the node group.", "node_group"};
    GaugeSeries group_healthiness_{registry_, "cluster_autoscaler_node_group_healthiness",
                                   "1 if the node group is healthy.", "node_group"};
    GaugeSeries in_backoff_{registry_, "cluster_autoscaler_node_group_in_backoff",
                            "1 if the node group is backed off after a failed scale-up.",
                            "node_group"};
    GaugeSeries unhealthy_{registry_, "capstan_node_group_unhealthy",
                           "1 if too many nodes of the group are missing or not ready.",
                           "node_group"};
    GaugeSeries backoff_status_{
        registry_, "cluster_autoscaler_node_group_backoff_status",
        "1 if the node group is backed off, by reason; otherwise 0, without a reason.",
        "node_group", "reason"};
};

void PassGauges::observe_cluster(const engine::health::Health& health) {
    safe_.Set(health.unhealthy_because.empty() ? 1 : 0);
    int unregistered = 0, long_unregistered = 0;
    for (const engine::health::GroupHealth& group : health.groups) {
        unregistered += group.unjoined;
        long_unregistered += group.long_unjoined;
    }
    const engine::health::NodeCounts& all = health.all;
    nodes_.replace({by_state("ready", all.ready), by_state("unready", all.unready),
                    by_state("notStarted", all.starting), by_state("suspended", all.suspended),
                    by_state("longNotStarted", all.long_starting), by_state("deleted", all.deleted),
                    by_state("unregistered", unregistered),
                    by_state("longUnregistered", long_unregistered)});
}

void PassGauges::observe_totals(const PassObservation& pass) {
    max_nodes_.Set(static_cast<double>(pass.settings.nodes.max.value_or(0)));
    cpu_limits_.replace(limits(pass.settings.cpu, 1000));
    memory_limits_.replace(limits(pass.settings.memory, 1));
    const engine::snapshot::Cluster& cluster = pass.snapshot.cluster;
    double cores = 0, bytes = 0;
    GaugeSeries::Values taints;
    // Equal nodes share one capacity object, and are mostly neighbours, so its amounts are kept
    // from node to node.
    const Resources* capacity = nullptr;
    double node_cores = 0, node_bytes = 0;
    for (engine::NodeIndex index = 0; index < cluster.node_count(); ++index) {
        const engine::snapshot::NodeRow& node = cluster.node(index);
        for (const Taint& taint : node.taints)
            ++taints[{std::string(engine::templates::kind_of_taint(taint.key, pass.settings))}];
        if (engine::is_marked(node)) continue;
        if (std::exchange(capacity, node.capacity) != node.capacity) {
            node_cores = static_cast<double>(node.capacity->amount("cpu")) / 1000;
            node_bytes = static_cast<double>(node.capacity->amount("memory"));
        }
        cores += node_cores;
        bytes += node_bytes;
    }
    cores_.Set(cores);
    memory_.Set(bytes);
    taints_.replace(taints);
}

void PassGauges::observe_pods(const PassObservation& pass) {
    std::uint64_t pods = 0;
    std::map<std::string, std::set<engine::PodGroupId>> classes;  // by owner
    const auto add = [&](const engine::PodCount& some) {
        pods += some.count;
        const std::string& owner =
            pass.snapshot.cluster.equivalence_group(some.equivalence_group).owner->uid;
        if (!owner.empty()) classes[owner].insert(some.equivalence_group);
    };
    for (const engine::PodCount& schedulable : pass.decision.schedulable) add(schedulable);
    for (const engine::UnschedulablePods& unschedulable : pass.decision.unschedulable)
        add(unschedulable.pods);
    pods_.replace({{{"unschedulable"}, static_cast<double>(pods)},
                   {{"scheduler_unprocessed"}, static_cast<double>(pass.figures.untried_pods)}});
    skipped_pods_.replace(
        {{{"filter-out-pod-list-processor"}, static_cast<double>(pass.figures.left_out_pods)}});
    overflowing_.Set(static_cast<double>(std::ranges::count_if(
        classes, [](const auto& owner) { return owner.second.size() > max_equivalence_groups; })));
}

void PassGauges::observe_groups(const PassObservation& pass, const engine::health::Health& health) {
    GaugeSeries::Values min, max, target, healthiness, backoff, unhealthy, status;
    double autoscaled = 0, autoprovisioned = 0;
    for (std::size_t g = 0; g < pass.snapshot.groups->size(); ++g) {
        const engine::Group& group = (*pass.snapshot.groups)[g];
        const GaugeSeries::Name name{group.group.id.value()};
        ++(group.group.autoprovisioned ? autoprovisioned : autoscaled);
        if (group.group.min) min[name] = *group.group.min;
        if (group.group.max) max[name] = *group.group.max;
        if (group.group.target) target[name] = *group.group.target;
        const bool is_healthy = health.groups[g].unhealthy_because.empty();
        healthiness[name] = is_healthy ? 1 : 0;
        unhealthy[name] = is_healthy ? 0 : 1;
        const engine::Backoff* failure =
            engine::health::find_backoff(pass.memory, group.group.id, pass.at);
        const double is_backed_off = failure != nullptr ? 1 : 0;
        backoff[name] = is_backed_off;
        status[{name.first, failure != nullptr ? failure_reason(failure->code) : ""}] =
            is_backed_off;
    }
    groups_.replace({{{"autoscaled"}, autoscaled}, {{"autoprovisioned"}, autoprovisioned}});
    group_min_.replace(min);
    group_max_.replace(max);
    group_target_.replace(target);
    group_healthiness_.replace(healthiness);
    in_backoff_.replace(backoff);
    unhealthy_.replace(unhealthy);
    backoff_status_.replace(status);
}

void PassGauges::observe_removals(const PassObservation& pass) {
    unneeded_.Set(static_cast<double>(pass.memory.unneeded.size()));
    in_cooldown_.Set(is_in_cooldown(pass) ? 1 : 0);
    double pending = 0;
    for (const auto& [node, removal] : pass.memory.removals)
        if (removal.phase != engine::RemovalPhase::undoing) ++pending;
    pending_deletions_.Set(pending);
    std::map<engine::Unremovable, int> counts;
    for (const engine::NodeVerdict& verdict : pass.decision.nodes) ++counts[verdict.reason];
    GaugeSeries::Values reasons;
    for (const auto& [reason, count] : counts)
        if (reason != engine::Unremovable::none)
            reasons[{std::string(engine::name_of(reason))}] = count;
    unremovable_.replace(reasons);
    GaugeSeries::Values held_back;
    for (const auto& [setting, nodes] : pass.figures.held_back) held_back[{setting}] = nodes.nodes;
    held_back_.replace(held_back);
    if (pass.figures.looked_at_nodes || !looked_at_nodes_) looked_at_nodes_ = pass.at;
    skip_eval_.Set(std::chrono::duration<double>(pass.at - *looked_at_nodes_).count());
}

}  // namespace

std::unique_ptr<PassObserver> make_pass_gauges(prometheus::Registry& registry) {
    return std::make_unique<PassGauges>(registry);
}

}  // namespace capstan::autoscaler::pass_metrics
