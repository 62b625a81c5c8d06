/// Why node groups do not help the pods of a pod group.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/decision.hpp"
#include "engine/pass_context/pass_context.hpp"
#include "engine/scale_up/quota_tracker.hpp"
#include "engine/scheduling/placement.hpp"

namespace capstan::engine::scale_up {

/// The reasons in the current state of context, quotas and placement; borrows them.
class Reasons {
public:
    /// `stopped`: why a pass takes no further option; empty: it would.
    Reasons(const pass_context::PassContext& context, const QuotaTracker& quotas,
            scheduling::Placement& placement, std::string stopped);

    /// Why the group cannot grow; none: it can.
    const Reason& obstacle(GroupIndex group) const noexcept { return obstacles_[group]; }
    /// Why the group does not take a pod of the pod group on one more node; none: it would. A group
    /// with two obstacles gives both: "Insufficient cpu: ...; also max node group size reached
    /// (1)".
    Reason of_group(PodGroupIndex pod_group, GroupIndex group) const;
    /// The reasons for one pod group, those of the groups closest to helping first. Every existing
    /// node group is in one of them:
    ///
    /// * groups that would take the pod on a new node, even if they cannot grow;
    /// * groups that cannot grow and of which it is not known whether they would take the pod;
    /// * groups whose nodes the pod's node selector and affinity allow; then the others. The fewer
    ///   predicates fail, the nearer. With equally many: groups with too little room on a new node,
    ///   first those that could grow, and the nearer the less is missing; groups that other pods
    ///   keep from taking the pod; groups with nodes for other pods.
    ///
    /// Among equally near reasons, one that holds for more groups comes first, ties by the first
    /// group. A group that cannot grow and would not take the pod on a new node gives both reasons,
    /// as one, unless its nodes are for other pods: then only that counts. Groups that could be
    /// made may be thousands: a hundred of them are named, and all that would take the pod.
    std::vector<GroupReason> of(PodGroupIndex pod_group);
    /// All reasons in one sentence. Code and subject are those of the first reason. If a group
    /// would take the pod, they are those of that group; without any group, and if a limit keeps a
    /// new group from being created and all groups have nodes for other pods, those of
    /// PassContext::no_new_group_reason; else without any group ReasonCode::no_node_group.
    Reason sum_up(const std::vector<GroupReason>& reasons) const;

private:
    /// How far a group is from helping, the nearest first.
    enum class Miss : std::uint8_t {
        cannot_grow,
        unknown,
        room,
        room_if_it_could_grow,
        other_pods,
        other_nodes
    };
    struct Nearness {
        bool is_refused = false;
        bool is_not_selected = false;
        int failing = 0;  // see scheduling::Distance
        Miss miss = Miss::unknown;
        int shortfall = 0;  // see Refusal
        auto operator<=>(const Nearness&) const = default;
    };
    using ByReason = std::map<Reason, std::vector<NodeGroupId>>;
    using ByMiss = std::map<std::pair<Nearness, Reason>, std::vector<NodeGroupId>>;

    static Miss miss_of(scheduling::Predicate predicate) noexcept;
    static Nearness nearness_of(const scheduling::Refusal& refusal,
                                const scheduling::Distance& distance) noexcept;
    static Reason joined(const scheduling::Refusal& refusal, const Reason& obstacle);
    void add_blocked_new_group(Reason reason, const NodeGroupId& group);
    void collect_growable(PodGroupIndex pod_group, ByMiss& out);
    void collect_blocked(PodGroupIndex pod_group, ByMiss& out);
    Reason sum_up_groups(const std::vector<GroupReason>& reasons) const;

    scheduling::Placement* placement_;
    std::string stopped_;
    Reason no_new_group_reason_;  // see PassContext
    std::string unread_;          // names clouds that were never read; empty: there is none
    std::size_t groups_ = 0;      // existing groups, and groups that could be made
    std::vector<TemplateNodeId> template_nodes_;  // by group, if it has a template
    std::vector<bool> has_template_;              // by group
    int named_ = 0;                               // of the latter, those that cannot grow
    std::vector<Reason> obstacles_;               // by group
    // Groups that cannot grow, by obstacle. Existing groups with a template are kept by template;
    // for the others it is not checked whether a pod would fit.
    std::map<TemplateNodeId, ByReason> blocked_;
    ByReason blocked_without_template_;
    // Groups that may grow, by template: existing groups, and groups that could be made.
    std::map<TemplateNodeId, std::vector<NodeGroupId>> growable_;
    std::map<TemplateNodeId, std::vector<NodeGroupId>> growable_new_;
};

}  // namespace capstan::engine::scale_up
