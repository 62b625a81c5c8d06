/// Why something is not done, as a value. Code and subject are compared, counted and queried; the
/// sentence is for readers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>

#include "engine/scheduling/predicates/refusal.hpp"

namespace capstan::engine {

enum class ReasonCode : std::uint8_t {
    none,  ///< there is nothing to say

    // A predicate of the scheduler refuses the pod on a new node of the group.
    node_unschedulable,
    node_name,
    taint_toleration,
    node_affinity,
    node_ports,
    node_resources_fit,
    volume_restrictions,
    node_volume_limits,
    volume_binding,
    volume_zone,
    pod_topology_spread,
    inter_pod_affinity,
    dynamic_resources,

    // The group does not grow.
    max_size_reached,
    limit_reached,  ///< a limit of the cluster, named by the subject
    backed_off,
    group_unreadable,
    target_unknown,
    group_upcoming,
    zero_or_max,  ///< only ever empty or full: without a maximum, or still being completed
    group_unhealthy,
    cluster_unhealthy,
    scale_from_zero_disabled,
    being_repaired,
    no_template,
    nothing_granted,  ///< an option of the group was chosen, and no group got a node of it
    not_created,      ///< a group that would have to be made was dropped before the scale-up

    // Other reasons.
    would_fit,
    pass_stopped,  ///< a group would take the pod, but the pass takes no further option
    no_node_group,
    not_explained,

    // The pod does not count as pending.
    being_deleted,
    scheduling_gated,
    other_scheduler,  ///< its scheduler is not in Settings::allowed_scheduler_names
    expendable,
    daemon_set_pod,
    nominated,
    not_tried,  ///< its scheduler has not marked it unschedulable
    too_young,
    pod_limit_reached,  ///< see Settings::max_pods_considered
};

/// "NodeResourcesFit"; "None" for none.
std::string_view name_of(ReasonCode code) noexcept;
ReasonCode code_of(scheduling::Predicate predicate) noexcept;

enum class SubjectKind : std::uint8_t { none, taint, node_label, resource, limit, group };

/// "Taint"; empty for none.
std::string_view name_of(SubjectKind kind) noexcept;

/// What a reason is about, besides the pod and the group: {taint, "dedicated"}, {limit, "cpu"}.
struct ReasonSubject {
    SubjectKind kind = SubjectKind::none;
    std::string name{};
    auto operator<=>(const ReasonSubject&) const = default;
};

/// "Taint/dedicated"; empty for none.
std::string to_string(const ReasonSubject& subject);

struct Reason {
    ReasonCode code = ReasonCode::none;
    ReasonSubject subject{};
    std::string sentence{};

    bool is_none() const noexcept { return code == ReasonCode::none; }
    auto operator<=>(const Reason&) const = default;
};

/// Whether the two have the same code and subject; sentences may differ.
inline bool is_same(const Reason& a, const Reason& b) noexcept {
    return std::tie(a.code, a.subject) == std::tie(b.code, b.subject);
}

/// Why a new node does not take a pod; none: it does.
Reason reason_of(const scheduling::Refusal& refusal);

}  // namespace capstan::engine
