/// Descriptions of the SDK's types and of the engine's types.
#pragma once

#include <capstan/cloud_provider.hpp>
#include <capstan/cloud_view.hpp>
#include <capstan/error.hpp>
#include <capstan/labels.hpp>
#include <capstan/machine_type.hpp>
#include <capstan/node_group.hpp>
#include <capstan/node_template.hpp>
#include <capstan/taints.hpp>

#include "autoscaler/record/json_form.hpp"
#include "engine/decision.hpp"
#include "engine/memory.hpp"
#include "engine/snapshot/objects.hpp"

CAPSTAN_NAMESPACE_BEGIN

BOOST_DESCRIBE_ENUM(ErrorCode, unsupported, invalid_argument, invalid_config, not_found, conflict,
                    unauthenticated, permission, throttled, quota, out_of_capacity, unavailable,
                    deadline, cancelled, internal, busy)
BOOST_DESCRIBE_ENUM(Operator, in, not_in, exists, does_not_exist, gt, lt)
BOOST_DESCRIBE_ENUM(Effect, no_schedule, prefer_no_schedule, no_execute)
BOOST_DESCRIBE_ENUM(Toleration::Op, equal, exists)
BOOST_DESCRIBE_ENUM(MachineState, requested, creating, running, deleting, failed)

BOOST_DESCRIBE_ENUM(ErrorScope, unknown, group, zone, machine_type, market, account)
BOOST_DESCRIBE_STRUCT(Error, (), (code, message, provider_code, subject, retry_after, scope))
BOOST_DESCRIBE_STRUCT(Requirement, (), (key, op, values))
BOOST_DESCRIBE_STRUCT(LabelSelector, (), (match_labels, match_expressions))
BOOST_DESCRIBE_STRUCT(NodeSelectorTerm, (), (labels, fields, weight))
BOOST_DESCRIBE_STRUCT(Taint, (), (key, value, effect))
BOOST_DESCRIBE_STRUCT(Toleration, (), (key, op, value, effect))
BOOST_DESCRIBE_STRUCT(Price, (), (per_hour, currency, interruption_rate))
BOOST_DESCRIBE_STRUCT(GroupOptions, (),
                      (utilization_threshold, gpu_utilization_threshold, unneeded_time,
                       unready_time, max_node_provision_time, drain_timeout, zero_or_max,
                       ignore_daemonsets_utilization, device_settling_time, settling_time))
BOOST_DESCRIBE_STRUCT(NodeGroup, (),
                      (id, min, max, target, healthy, health_reason, autoprovisioned,
                       template_fingerprint, debug, tags, spot, zones, price, options))
BOOST_DESCRIBE_STRUCT(NodeTemplate, (),
                      (name, machine_type, zone, arch, os, labels, annotations, taints, capacity,
                       allocatable, free, fingerprint, variants))
BOOST_DESCRIBE_ENUM(LeaveReason, other, spot_interruption, rebalance, maintenance, expiry,
                    unhealthy)
BOOST_DESCRIBE_STRUCT(Leaving, (), (reason, at))
BOOST_DESCRIBE_STRUCT(Machine, (),
                      (id, group, state, machine_type, zone, launched, error, template_fingerprint,
                       node_name, leaves, spot, price_per_hour, addresses))
BOOST_DESCRIBE_STRUCT(MachineOffering, (), (zone, spot, labels, price_per_hour, currency))
BOOST_DESCRIBE_STRUCT(MachineType, (), (name, labels, taints, capacity, allocatable, offerings))
BOOST_DESCRIBE_STRUCT(GroupPlan, (), (name, machine_type, zone, spot, labels, taints))
BOOST_DESCRIBE_STRUCT(PlannedGroup, (), (group, node))

CAPSTAN_NAMESPACE_END

// Objects of the Kubernetes API, described.
namespace capstan::engine::snapshot {

BOOST_DESCRIBE_ENUM(PodPhase, pending, running, succeeded, failed, unknown)
BOOST_DESCRIBE_STRUCT(HostPort, (), (ip, protocol, port))
BOOST_DESCRIBE_STRUCT(PodTerm, (),
                      (selector, namespaces, namespace_selector, topology_key, match_label_keys,
                       mismatch_label_keys))
BOOST_DESCRIBE_STRUCT(SpreadConstraint, (),
                      (max_skew, topology_key, selector, min_domains, honor_affinity, honor_taints,
                       match_label_keys))
BOOST_DESCRIBE_STRUCT(InTreeVolume, (), (driver, handle))
BOOST_DESCRIBE_STRUCT(PodSpec, (),
                      (requests, node_selector, affinity_required, affinity_preferred, tolerations,
                       pod_affinity, pod_anti_affinity, spread, has_soft_spread, ports, priority,
                       priority_class, never_preempts, scheduler, uses_resource_claims,
                       uses_local_storage, local_volumes, in_tree_volumes, termination_grace))
BOOST_DESCRIBE_STRUCT(PodOwner, (), (kind, api_group, name, uid, job_among_owners))
BOOST_DESCRIBE_STRUCT(NodeObject, (),
                      (name, provider_id, labels, annotations, taints, capacity, allocatable,
                       unschedulable, ready, ready_since, suspended, created, addresses))
BOOST_DESCRIBE_STRUCT(DaemonSetObject, (), (ns, name, uid, spec, labels, annotations))
BOOST_DESCRIBE_STRUCT(DisruptionBudgetObject, (),
                      (ns, name, selector, disruptions_allowed, is_observed, never_allows))
BOOST_DESCRIBE_STRUCT(ControllerObject, (),
                      (kind, ns, name, uid, replicas, selector, parallelism, failure))
BOOST_DESCRIBE_STRUCT(ClaimObject, (),
                      (ns, name, volume, storage_class, selected_node, requested_bytes,
                       access_modes, block, selector))
BOOST_DESCRIBE_STRUCT(VolumeObject, (),
                      (name, node_affinity, labels, storage_class, driver, handle, in_tree,
                       capacity_bytes, access_modes, claim_ns, claim_name, block))
BOOST_DESCRIBE_STRUCT(StorageClassObject, (),
                      (name, provisioner, migrated_to, waits_for_consumer, allowed_topologies))
BOOST_DESCRIBE_STRUCT(CsiNodeObject, (), (name, limits, migrated))
BOOST_DESCRIBE_STRUCT(CsiDriverObject, (), (name, storage_capacity))
BOOST_DESCRIBE_STRUCT(CsiCapacityObject, (), (ns, name, storage_class, topology, capacity_bytes))
BOOST_DESCRIBE_STRUCT(NamespaceObject, (), (name, labels))
BOOST_DESCRIBE_STRUCT(ServiceObject, (), (ns, name, selector))

}  // namespace capstan::engine::snapshot

// Memory, described.
namespace capstan::engine::scheduling {

BOOST_DESCRIBE_ENUM(Predicate, none, node_unschedulable, node_name, taint_toleration, node_affinity,
                    node_ports, node_resources_fit, volume_restrictions, node_volume_limits,
                    volume_binding, volume_zone, pod_topology_spread, inter_pod_affinity,
                    dynamic_resources)
BOOST_DESCRIBE_STRUCT(Refusal, (), (predicate, sentence, subject, shortfall))

}  // namespace capstan::engine::scheduling

namespace capstan::engine {

BOOST_DESCRIBE_ENUM(RemovalPhase, tainting, waiting, draining, delayed, deleting, removed, undoing)
BOOST_DESCRIBE_STRUCT(Backoff, (),
                      (since, until, length, last_failure, code, scope, because, found_by,
                       given_back))
BOOST_DESCRIBE_STRUCT(CloudBackoff, (),
                      (since, until, length, last_failure, failures, code, because))
BOOST_DESCRIBE_STRUCT(FailedCalls, (), (count, last, not_before))
BOOST_DESCRIBE_STRUCT(InstanceOffering, (), (cloud, machine_type, zone, spot, any_market))
BOOST_DESCRIBE_STRUCT(ScaleUpRequest, (), (since, deadline, increase))
BOOST_DESCRIBE_STRUCT(AnsweredTarget, (),
                      (target, since, deadline, agreed, unanswered, unanswered_until, ended))
BOOST_DESCRIBE_STRUCT(RemovedMachine, (), (until, agreed, target))
BOOST_DESCRIBE_STRUCT(IncorrectNodeGroupSize, (), (current, expected, since))
BOOST_DESCRIBE_STRUCT(Unneeded, (), (since, ready))
BOOST_DESCRIBE_STRUCT(NodeRemoval::Eviction, (),
                      (agreed, refused, refused_because, refused_code, refused_since, refusals,
                       barred_since))
BOOST_DESCRIBE_STRUCT(NodeRemoval, (),
                      (group, machine, phase, empty, ready, cordoned, since, phase_since,
                       unneeded_since, target, mark, mark_seen, asked, evictions, places, because))
BOOST_DESCRIBE_STRUCT(LeavingNodeRecord, (), (machine, since, evictions))
BOOST_DESCRIBE_STRUCT(RemovalBackoff, (), (until, length, failures, because, only_drains))
BOOST_DESCRIBE_STRUCT(PlannedNodes, (), (nodes, pods))
BOOST_DESCRIBE_STRUCT(NodeTraits, (), (labels, taints, capacity, allocatable))
BOOST_DESCRIBE_STRUCT(ObservedNode, (), (node, traits, seen, confirmed))
BOOST_DESCRIBE_STRUCT(SettlingNode, (), (traits, since))
BOOST_DESCRIBE_STRUCT(RefusedPods, (), (node, refusal, differs, since, seen))
BOOST_DESCRIBE_STRUCT(TemplateRecord, (),
                      (fingerprint, since, has_changed, settling, observed, refused))
BOOST_DESCRIBE_STRUCT(UpcomingNodeGroup, (), (cloud, plan, nodes, agreed, since, deadline))
BOOST_DESCRIBE_STRUCT(KnownGroup, (), (cloud, nodes, sample_nodes))
BOOST_DESCRIBE_STRUCT(LastActions, (), (scale_up, removal, failed_removal))
BOOST_DESCRIBE_STRUCT(Memory, (),
                      (started, unread_since_start, backoffs, offering_backoffs, cloud_backoffs,
                       request_backoffs, failed_calls, failed_machines, requests, answered_targets,
                       removed_machines, unjoined, lost_nodes, launched, created, wrong_sizes,
                       planned, planned_since, templates, upcoming_groups, known_groups,
                       empty_groups, unneeded, unobserved_since, hints, removals, leaving,
                       removal_backoffs, decrease_backoffs, unremovable_groups,
                       unreplaceable_groups, last, last_by_group))

}  // namespace capstan::engine

// The outcome of a pass, described. docs/reference/json.md documents it.
namespace capstan::engine {

BOOST_DESCRIBE_ENUM(RemovalCause, underutilized, empty, unready, never_joined, failed)
BOOST_DESCRIBE_ENUM(Unremovable, none, scale_down_disabled_annotation, scale_down_unready_disabled,
                    not_autoscaled, not_unneeded_long_enough, not_unready_long_enough,
                    node_group_min_size_reached, atomic_scale_down_failed,
                    minimal_resource_limit_exceeded, currently_being_deleted, not_underutilized,
                    not_unneeded_other_reason, recently_unremovable, no_place_to_move_pods,
                    blocked_by_pod, blocked_by_on_completion_pod, no_node_info, unexpected_error)
BOOST_DESCRIBE_STRUCT(Decrease, (), (group, cloud, from, by, listed, kept_one_too, because))
BOOST_DESCRIBE_STRUCT(MachineRemoval, (),
                      (group, cloud, machines, nodes, force, keep_target, cause, because))
BOOST_DESCRIBE_STRUCT(Increase, (),
                      (group, cloud, from, by, listed, schedulable_pods, option, because))
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
                    backed_off, group_unreadable, target_unknown, group_upcoming, zero_or_max,
                    group_unhealthy, cluster_unhealthy, scale_from_zero_disabled, being_repaired,
                    no_template, nothing_granted, not_created, would_fit, pass_stopped,
                    no_node_group, not_explained, being_deleted, scheduling_gated, other_scheduler,
                    expendable, daemon_set_pod, nominated, not_tried, too_young, pod_limit_reached)
BOOST_DESCRIBE_ENUM(SubjectKind, none, taint, node_label, resource, limit, group)
BOOST_DESCRIBE_STRUCT(ReasonSubject, (), (kind, name))
BOOST_DESCRIBE_STRUCT(Reason, (), (code, subject, sentence))
BOOST_DESCRIBE_STRUCT(GroupReason, (), (groups, reason))
BOOST_DESCRIBE_STRUCT(UnschedulablePods, (), (pods, reason, groups))
BOOST_DESCRIBE_STRUCT(SkippedPods, (), (count, code, because))
BOOST_DESCRIBE_STRUCT(NodeVerdict, (),
                      (node, group, reason, utilization, unneeded_since, pod, because))
BOOST_DESCRIBE_STRUCT(NewGroup, (), (group, cloud, plan, because, dropped))
BOOST_DESCRIBE_STRUCT(Decision, (),
                      (decreases, removals, creations, increases, node_changes, evictions,
                       deletions, options, schedulable, unschedulable, skipped, new_groups,
                       no_new_group_reason, nodes, no_removals_because, notes, warnings))

}  // namespace capstan::engine

namespace capstan::autoscaler::record {

template <>
struct JsonForm<engine::BriefText> {
    static void write(JsonText& out, const engine::BriefText& value) { out.text(value.text()); }
    static void read(const JsonCursor& place, engine::BriefText& value) {
        if (const auto read = place.text()) value = std::string(*read);
    }
};

/// Without `equivalence_group`, which is an index into one cluster in memory.
template <>
struct JsonForm<engine::PodCount> {
    static void write(JsonText& out, const engine::PodCount& pods);
    static void read(const JsonCursor& place, engine::PodCount& pods);
};

}  // namespace capstan::autoscaler::record
