/// Why groups do not help a class.
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

/// As context, quotas and placement stand; borrows them.
class Reasons {
public:
    /// `stopped`: why a pass takes no further option; empty: it would.
    Reasons(const pass_context::PassContext& context, const QuotaTracker& quotas,
            scheduling::Placement& placement, std::string stopped);

    /// Why the group cannot grow; none: it can.
    const Reason& obstacle(pass_context::GroupIndex group) const noexcept {
        return obstacles_[group];
    }
    /// Every group in one of them, the nearest miss first: groups whose new node would take a pod
    /// and that only cannot grow, then those with too little room, then those kept by other pods,
    /// last those with nodes for other pods. Of too little room, groups that could grow come
    /// first, and the less of what the pod asks for is missing the nearer. Equally near, those that
    /// hold for most groups come first, ties by the first group. What keeps a group from growing is
    /// told beside why a pod would not fit. Of groups that could be made, which may be thousands, a
    /// hundred are named, and those that would take it.
    std::vector<GroupReason> of(scheduling::PodGroupIndex pod_group);
    /// All of it in one sentence; code and subject are those of the first.
    Reason sum_up(const std::vector<GroupReason>& reasons) const;

private:
    /// How far a group is from helping, nearest first.
    enum class Miss : std::uint8_t {
        cannot_grow,
        unknown,
        room,
        room_if_it_could_grow,
        other_pods,
        other_nodes
    };
    struct Near {
        Miss miss = Miss::unknown;
        int shortfall = 0;  // see Refusal
        auto operator<=>(const Near&) const = default;
    };
    using ByReason = std::map<Reason, std::vector<NodeGroupId>>;
    using ByMiss = std::map<std::pair<Near, Reason>, std::vector<NodeGroupId>>;

    static Miss miss_of(scheduling::Predicate predicate) noexcept;
    void shut(Reason reason, const NodeGroupId& group);
    void look_at_open(scheduling::PodGroupIndex pod_group, ByMiss& out);
    void look_at_shut(scheduling::PodGroupIndex pod_group, ByMiss& out);
    Reason sum_up_groups(const std::vector<GroupReason>& reasons) const;

    scheduling::Placement* placement_;
    std::string stopped_;
    Reason no_new_group_reason_;  // see PassContext
    std::string unread_;          // clouds of unknown groups, in a sentence; empty: there is none
    std::size_t groups_ = 0;      // that there are, and that could be made
    int named_ = 0;               // of the latter, in shut_unseen_
    std::vector<Reason> obstacles_;  // by group
    // Groups that cannot grow, by obstacle: those that are there by shape, the others of which it
    // is not looked at whether a pod would fit.
    std::map<scheduling::TemplateNodeId, ByReason> shut_;
    ByReason shut_unseen_;
    std::map<scheduling::TemplateNodeId, std::vector<NodeGroupId>> open_;  // the others, by shape
    std::map<scheduling::TemplateNodeId, std::vector<NodeGroupId>>
        open_new_;  // those that could be made
};

}  // namespace capstan::engine::scale_up
