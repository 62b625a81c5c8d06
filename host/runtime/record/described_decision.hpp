/// What a pass came to, described. commands/README.md tells people of it.
#pragma once

#include "engine/decision.hpp"
#include "runtime/record/described_nouns.hpp"
#include "runtime/record/json_form.hpp"

namespace capstan::engine {

BOOST_DESCRIBE_ENUM(RemovalCause, underutilized, empty, unready, never_joined, failed)
BOOST_DESCRIBE_ENUM(Unremovable, none, scale_down_disabled_annotation, scale_down_unready_disabled,
                    not_autoscaled, not_unneeded_long_enough, not_unready_long_enough,
                    node_group_min_size_reached, atomic_scale_down_failed,
                    minimal_resource_limit_exceeded, currently_being_deleted, not_underutilized,
                    not_unneeded_other_reason, recently_unremovable, no_place_to_move_pods,
                    blocked_by_pod, blocked_by_on_completion_pod, no_node_info, unexpected_error)

BOOST_DESCRIBE_STRUCT(Decrease, (), (group, cloud, from, by, kept_one_too, because))
BOOST_DESCRIBE_STRUCT(MachineRemoval, (), (group, cloud, machines, nodes, force, cause, because))
BOOST_DESCRIBE_STRUCT(Increase, (), (group, cloud, from, by, pods_helped, option, because))
BOOST_DESCRIBE_STRUCT(GroupCreation, (), (group, cloud, plan, because))
BOOST_DESCRIBE_STRUCT(GroupDeletion, (), (group, cloud, because))
BOOST_DESCRIBE_STRUCT(NodeChange, (),
                      (node, set_taints, drop_taints, unschedulable, annotations, because))
BOOST_DESCRIBE_STRUCT(Eviction, (), (pod, ns, uid, node, grace, best_effort, because))

BOOST_DESCRIBE_STRUCT(StageVerdict, (), (stage, shown, kept, sentences, error, summary))
BOOST_DESCRIBE_STRUCT(ChosenOption, (),
                      (group, nodes, granted, considered, similar, left_out, pods, stages, because))
BOOST_DESCRIBE_ENUM(ReasonCode, none, node_unschedulable, node_name, taint_toleration,
                    node_affinity, node_ports, node_resources_fit, volume_restrictions,
                    node_volume_limits, volume_binding, volume_zone, pod_topology_spread,
                    inter_pod_affinity, dynamic_resources, max_size_reached, limit_reached,
                    backed_off, group_unreadable, target_unknown, being_made, zero_or_max,
                    group_unhealthy, cluster_unhealthy, from_zero_off, being_repaired, no_template,
                    nothing_granted, not_made, would_take_it, pass_stopped, no_node_group,
                    not_explained)
BOOST_DESCRIBE_ENUM(SubjectKind, none, taint, node_label, resource, limit, group)
BOOST_DESCRIBE_STRUCT(ReasonSubject, (), (kind, name))
BOOST_DESCRIBE_STRUCT(Reason, (), (code, subject, sentence))
BOOST_DESCRIBE_STRUCT(GroupReason, (), (groups, reason))
BOOST_DESCRIBE_STRUCT(Unhelped, (), (pods, reason, groups))
BOOST_DESCRIBE_STRUCT(SkippedPods, (), (count, because))
BOOST_DESCRIBE_STRUCT(NodeVerdict, (),
                      (node, group, reason, utilization, unneeded_since, pod, because))
BOOST_DESCRIBE_STRUCT(NewGroup, (), (group, cloud, plan, because, dropped))
BOOST_DESCRIBE_STRUCT(Decision, (),
                      (decreases, removals, creations, increases, node_changes, evictions,
                       deletions, options, helped, unhelped, skipped, new_groups, none_made, nodes,
                       no_removals_because, notes))

}  // namespace capstan::engine

namespace capstan::runtime {

/// Without the class: its number means something in one cluster in memory only.
template <>
struct JsonForm<engine::PodCount> {
    static void write(JsonText& out, const engine::PodCount& pods);
    static void read(const JsonPlace& place, engine::PodCount& pods);
};

}  // namespace capstan::runtime
