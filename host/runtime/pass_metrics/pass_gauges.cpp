#include "runtime/pass_metrics/pass_gauges.hpp"

#include <cstdint>
#include <string>

#include "engine/health/backoff.hpp"
#include "engine/removal/phases.hpp"
#include "engine/scale_down/cooldown.hpp"
#include "engine/templates/membership.hpp"
#include "runtime/pass_metrics/failure_reason.hpp"

namespace capstan::runtime {
namespace {

prometheus::Labels of_group(const engine::Group& group) {
    return {{"node_group", group.group.id.value()}};
}

/// Whether removals rest after something has happened; with the global kind of cooldown only, as
/// upstream has it.
bool is_resting(const PassObservation& pass) {
    const engine::ScaleDownSettings& settings = pass.settings.scale_down;
    return settings.enabled && !settings.delay_type_local &&
           engine::find_cooldown(pass.memory.last, settings, pass.at);
}

GaugeSeries::Values::value_type by_state(const char* state, int count) {
    return {{{"state", state}}, static_cast<double>(count)};
}

}  // namespace

PassGauges::PassGauges(prometheus::Registry& registry)
    : safe_(gauges(registry, "cluster_autoscaler_cluster_safe_to_autoscale",
                   "1 while the cluster is healthy enough to be scaled.")
                .Add({})),
      max_nodes_(gauges(registry, "cluster_autoscaler_max_nodes_count",
                        "Most nodes the cluster may have; 0: no limit.")
                     .Add({})),
      cores_(gauges(registry, "cluster_autoscaler_cluster_cpu_current_cores",
                    "Cores of all nodes together.")
                 .Add({})),
      memory_(gauges(registry, "cluster_autoscaler_cluster_memory_current_bytes",
                     "Memory of all nodes together.")
                  .Add({})),
      unneeded_(gauges(registry, "cluster_autoscaler_unneeded_nodes_count",
                       "Nodes that could go, once they have been so for long enough.")
                    .Add({})),
      pending_deletions_(gauges(registry, "cluster_autoscaler_pending_node_deletions",
                                "Nodes that are being removed.")
                             .Add({})),
      in_cooldown_(gauges(registry, "cluster_autoscaler_scale_down_in_cooldown",
                          "1 while no removal begins because of what happened a while ago.")
                       .Add({})),
      nodes_(gauges(registry, "cluster_autoscaler_nodes_count",
                    "Nodes by state; machines without a node as unregistered.")),
      groups_(gauges(registry, "cluster_autoscaler_node_groups_count", "Node groups by type.")),
      pods_(gauges(registry, "cluster_autoscaler_unschedulable_pods_count",
                   "Pods that need a new node.")),
      unremovable_(gauges(registry, "cluster_autoscaler_unremovable_nodes_count",
                          "Nodes that stay, by what keeps them.")),
      group_min_(gauges(registry, "cluster_autoscaler_node_group_min_count",
                        "Fewest machines a group may have.")),
      group_max_(gauges(registry, "cluster_autoscaler_node_group_max_count",
                        "Most machines a group may have.")),
      group_target_(gauges(registry, "cluster_autoscaler_node_group_target_count",
                           "Machines a group was asked for.")),
      group_healthiness_(gauges(registry, "cluster_autoscaler_node_group_healthiness",
                                "1 while a group has the nodes it should have.")),
      in_backoff_(gauges(registry, "cluster_autoscaler_node_group_in_backoff",
                         "1 while a group is left alone because growing it failed.")),
      unhealthy_(gauges(registry, "capstan_node_group_unhealthy",
                        "1 while a group is left alone because too many of its nodes are "
                        "missing or not ready.")),
      backoff_status_(gauges(registry, "cluster_autoscaler_node_group_backoff_status",
                             "1 for each group that is backed off, by what it failed with.")) {}

void PassGauges::observe(const PassObservation& pass) {
    const engine::Health health = engine::assess(
        pass.snapshot, engine::make_membership(pass.snapshot), pass.memory, pass.settings, pass.at);
    observe_cluster(pass, health);
    observe_groups(pass, health);
    observe_removals(pass);
}

void PassGauges::observe_cluster(const PassObservation& pass, const engine::Health& health) {
    safe_.Set(health.unhealthy_because.empty() ? 1 : 0);
    max_nodes_.Set(static_cast<double>(pass.settings.nodes.max.value_or(0)));
    const engine::Cluster& cluster = pass.snapshot.cluster;
    double cores = 0, bytes = 0;
    for (engine::NodeIndex node = 0; node < cluster.node_count(); ++node) {
        const Resources& capacity = *cluster.node(node).capacity;
        cores += static_cast<double>(capacity.amount("cpu")) / 1000;
        bytes += static_cast<double>(capacity.amount("memory"));
    }
    cores_.Set(cores);
    memory_.Set(bytes);
    int unregistered = 0, long_unregistered = 0;
    for (const engine::GroupHealth& group : health.groups) {
        unregistered += group.unjoined;
        long_unregistered += group.long_unjoined;
    }
    const engine::NodeCounts& all = health.all;
    nodes_.replace({by_state("ready", all.ready), by_state("unready", all.unready),
                    by_state("notStarted", all.starting),
                    by_state("longNotStarted", all.long_starting), by_state("deleted", all.deleted),
                    by_state("unregistered", unregistered),
                    by_state("longUnregistered", long_unregistered)});
    std::uint64_t pods = 0;
    for (const engine::PodCount& helped : pass.decision.helped) pods += helped.count;
    for (const engine::Unhelped& unhelped : pass.decision.unhelped) pods += unhelped.pods.count;
    pods_.replace({{{{"type", "unschedulable"}}, static_cast<double>(pods)}});
}

void PassGauges::observe_groups(const PassObservation& pass, const engine::Health& health) {
    GaugeSeries::Values min, max, target, healthiness, backoff, unhealthy, status;
    double autoscaled = 0, autoprovisioned = 0;
    for (std::size_t g = 0; g < pass.snapshot.groups->size(); ++g) {
        const engine::Group& group = (*pass.snapshot.groups)[g];
        const prometheus::Labels labels = of_group(group);
        ++(group.group.autoprovisioned ? autoprovisioned : autoscaled);
        if (group.group.min) min[labels] = *group.group.min;
        if (group.group.max) max[labels] = *group.group.max;
        if (group.group.target) target[labels] = *group.group.target;
        const bool is_healthy = health.groups[g].unhealthy_because.empty();
        healthiness[labels] = is_healthy ? 1 : 0;
        unhealthy[labels] = is_healthy ? 0 : 1;
        const engine::Backoff* failure = engine::find_backoff(pass.memory, group.group.id, pass.at);
        backoff[labels] = failure != nullptr ? 1 : 0;
        if (failure == nullptr) continue;
        prometheus::Labels with_reason = labels;
        with_reason["reason"] = failure_reason(failure->code);
        status[with_reason] = 1;
    }
    groups_.replace({{{{"node_group_type", "autoscaled"}}, autoscaled},
                     {{{"node_group_type", "autoprovisioned"}}, autoprovisioned}});
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
    in_cooldown_.Set(is_resting(pass) ? 1 : 0);
    double pending = 0;
    for (const auto& [node, removal] : pass.memory.removals)
        if (removal.phase != engine::RemovalPhase::undoing) ++pending;
    pending_deletions_.Set(pending);
    GaugeSeries::Values reasons;
    for (const engine::NodeVerdict& verdict : pass.decision.nodes)
        if (verdict.reason != engine::Unremovable::none)
            ++reasons[{{"reason", std::string(engine::name_of(verdict.reason))}}];
    unremovable_.replace(reasons);
}

}  // namespace capstan::runtime
