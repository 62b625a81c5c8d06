#include "engine/reason.hpp"

namespace capstan::engine {
namespace {

SubjectKind kind_of(scheduling::Predicate predicate) noexcept {
    switch (predicate) {
        case scheduling::Predicate::taint_toleration: return SubjectKind::taint;
        case scheduling::Predicate::node_affinity: return SubjectKind::node_label;
        case scheduling::Predicate::node_resources_fit: return SubjectKind::resource;
        default: return SubjectKind::none;
    }
}

}  // namespace

std::string_view name_of(ReasonCode code) noexcept {
    switch (code) {
        case ReasonCode::none: return "None";
        case ReasonCode::node_unschedulable:
            return scheduling::name_of(scheduling::Predicate::node_unschedulable);
        case ReasonCode::node_name: return scheduling::name_of(scheduling::Predicate::node_name);
        case ReasonCode::taint_toleration:
            return scheduling::name_of(scheduling::Predicate::taint_toleration);
        case ReasonCode::node_affinity:
            return scheduling::name_of(scheduling::Predicate::node_affinity);
        case ReasonCode::node_ports: return scheduling::name_of(scheduling::Predicate::node_ports);
        case ReasonCode::node_resources_fit:
            return scheduling::name_of(scheduling::Predicate::node_resources_fit);
        case ReasonCode::volume_restrictions:
            return scheduling::name_of(scheduling::Predicate::volume_restrictions);
        case ReasonCode::node_volume_limits:
            return scheduling::name_of(scheduling::Predicate::node_volume_limits);
        case ReasonCode::volume_binding:
            return scheduling::name_of(scheduling::Predicate::volume_binding);
        case ReasonCode::volume_zone:
            return scheduling::name_of(scheduling::Predicate::volume_zone);
        case ReasonCode::pod_topology_spread:
            return scheduling::name_of(scheduling::Predicate::pod_topology_spread);
        case ReasonCode::inter_pod_affinity:
            return scheduling::name_of(scheduling::Predicate::inter_pod_affinity);
        case ReasonCode::dynamic_resources:
            return scheduling::name_of(scheduling::Predicate::dynamic_resources);
        case ReasonCode::max_size_reached: return "MaxSizeReached";
        case ReasonCode::limit_reached: return "LimitReached";
        case ReasonCode::backed_off: return "BackedOff";
        case ReasonCode::group_unreadable: return "GroupUnreadable";
        case ReasonCode::target_unknown: return "TargetUnknown";
        case ReasonCode::group_upcoming: return "GroupUpcoming";
        case ReasonCode::zero_or_max: return "ZeroOrMax";
        case ReasonCode::group_unhealthy: return "GroupUnhealthy";
        case ReasonCode::cluster_unhealthy: return "ClusterUnhealthy";
        case ReasonCode::scale_from_zero_disabled: return "ScaleFromZeroDisabled";
        case ReasonCode::being_repaired: return "BeingRepaired";
        case ReasonCode::no_template: return "NoTemplate";
        case ReasonCode::nothing_granted: return "NothingGranted";
        case ReasonCode::not_created: return "NotCreated";
        case ReasonCode::would_fit: return "WouldFit";
        case ReasonCode::pass_stopped: return "PassStopped";
        case ReasonCode::no_node_group: return "NoNodeGroup";
        case ReasonCode::not_explained: return "NotExplained";
        case ReasonCode::being_deleted: return "BeingDeleted";
        case ReasonCode::scheduling_gated: return "SchedulingGated";
        case ReasonCode::other_scheduler: return "OtherScheduler";
        case ReasonCode::expendable: return "Expendable";
        case ReasonCode::daemon_set_pod: return "DaemonSetPod";
        case ReasonCode::nominated: return "Nominated";
        case ReasonCode::not_tried: return "NotTried";
        case ReasonCode::too_young: return "TooYoung";
        case ReasonCode::pod_limit_reached: return "PodLimitReached";
    }
    return "None";
}

ReasonCode code_of(scheduling::Predicate predicate) noexcept {
    switch (predicate) {
        case scheduling::Predicate::none: return ReasonCode::none;
        case scheduling::Predicate::node_unschedulable: return ReasonCode::node_unschedulable;
        case scheduling::Predicate::node_name: return ReasonCode::node_name;
        case scheduling::Predicate::taint_toleration: return ReasonCode::taint_toleration;
        case scheduling::Predicate::node_affinity: return ReasonCode::node_affinity;
        case scheduling::Predicate::node_ports: return ReasonCode::node_ports;
        case scheduling::Predicate::node_resources_fit: return ReasonCode::node_resources_fit;
        case scheduling::Predicate::volume_restrictions: return ReasonCode::volume_restrictions;
        case scheduling::Predicate::node_volume_limits: return ReasonCode::node_volume_limits;
        case scheduling::Predicate::volume_binding: return ReasonCode::volume_binding;
        case scheduling::Predicate::volume_zone: return ReasonCode::volume_zone;
        case scheduling::Predicate::pod_topology_spread: return ReasonCode::pod_topology_spread;
        case scheduling::Predicate::inter_pod_affinity: return ReasonCode::inter_pod_affinity;
        case scheduling::Predicate::dynamic_resources: return ReasonCode::dynamic_resources;
    }
    return ReasonCode::none;
}

std::string_view name_of(SubjectKind kind) noexcept {
    switch (kind) {
        case SubjectKind::none: return "";
        case SubjectKind::taint: return "Taint";
        case SubjectKind::node_label: return "NodeLabel";
        case SubjectKind::resource: return "Resource";
        case SubjectKind::limit: return "Limit";
        case SubjectKind::group: return "NodeGroup";
    }
    return "";
}

std::string to_string(const ReasonSubject& subject) {
    if (subject.kind == SubjectKind::none) return {};
    return std::string(name_of(subject.kind)) + "/" + subject.name;
}

Reason reason_of(const scheduling::Refusal& refusal) {
    const bool is_named = !refusal.subject.empty();
    return {.code = code_of(refusal.predicate),
            .subject = {is_named ? kind_of(refusal.predicate) : SubjectKind::none, refusal.subject},
            .sentence = refusal.sentence};
}

}  // namespace capstan::engine
