#include "engine/scale_up/reasons.hpp"

#include <algorithm>
#include <tuple>

namespace capstan::engine::scale_up {
namespace {

/// Of groups that could be made, for each class of pods.
constexpr int most_named = 100;

bool is_to_be_made(const Group& group) { return group.plan != nullptr && group.group.target == 0; }

/// What to say to pods of clouds whose groups are not known.
std::string tell_unread(const UnreadClouds& unread) {
    std::string out;
    for (const auto& [cloud, because] : unread)
        out += (out.empty() ? "" : "; ") + std::string("the groups of cloud ") + cloud.value() +
               " are not known yet: " + because;
    return out;
}

}  // namespace

Reasons::Reasons(const pass_context::PassContext& context, const QuotaTracker& quotas,
                 scheduling::Placement& placement, std::string stopped)
    : placement_(&placement),
      stopped_(std::move(stopped)),
      no_new_group_reason_(context.no_new_group_reason),
      unread_(tell_unread(context.snapshot->unread)) {
    for (const NewGroup& made : context.new_groups) {
        if (made.group.value().empty() || made.dropped.is_none()) continue;
        Reason reason = made.dropped;
        reason.sentence.insert(0, "would be made, but ");
        shut(std::move(reason), made.group);
    }
    for (pass_context::GroupIndex g = 0; g < context.groups().size(); ++g) {
        const bool is_new = is_to_be_made(context.groups()[g]);
        obstacles_.push_back(quotas.obstacle(g));
        if (!obstacles_[g].is_none() && is_new) {
            shut(obstacles_[g], context.id(g));
        } else if (!obstacles_[g].is_none()) {
            ++groups_;
            const bool is_seen = context.templates[g].node != nullptr;
            (is_seen ? shut_[context.rules->equivalent(g)] : shut_unseen_)[obstacles_[g]].push_back(
                context.id(g));
        } else {
            ++groups_;
            (is_new ? open_new_ : open_)[context.rules->equivalent(g)].push_back(context.id(g));
        }
    }
}

Reasons::Miss Reasons::miss_of(scheduling::Predicate predicate) noexcept {
    switch (predicate) {
        case scheduling::Predicate::none: return Miss::cannot_grow;
        case scheduling::Predicate::node_ports:
        case scheduling::Predicate::node_resources_fit:
        case scheduling::Predicate::node_volume_limits:
        case scheduling::Predicate::dynamic_resources: return Miss::room;
        case scheduling::Predicate::volume_restrictions:
        case scheduling::Predicate::volume_binding:
        case scheduling::Predicate::volume_zone:
        case scheduling::Predicate::pod_topology_spread:
        case scheduling::Predicate::inter_pod_affinity: return Miss::other_pods;
        case scheduling::Predicate::node_unschedulable:
        case scheduling::Predicate::node_name:
        case scheduling::Predicate::taint_toleration:
        case scheduling::Predicate::node_affinity: return Miss::other_nodes;
    }
    return Miss::unknown;
}

/// Of a group that could be made.
void Reasons::shut(Reason reason, const NodeGroupId& group) {
    ++groups_;
    if (++named_ > most_named) return;
    shut_unseen_[std::move(reason)].push_back(group);
}

/// What groups that may grow say to pods of the class.
void Reasons::look_at_open(scheduling::PodGroupIndex pod_group, ByMiss& out) {
    const auto reason_of_shape = [&](scheduling::TemplateNodeId shape) -> ByMiss::key_type {
        const scheduling::Refusal refusal = placement_->why_not_new(pod_group, shape);
        if (refusal.predicate != scheduling::Predicate::none)
            return {{miss_of(refusal.predicate), refusal.shortfall}, reason_of(refusal)};
        const bool is_stopped = !stopped_.empty();
        return {{Miss::cannot_grow},
                {is_stopped ? ReasonCode::pass_stopped : ReasonCode::would_fit,
                 {},
                 "would take it" + (is_stopped ? ", but " + stopped_ : "")}};
    };
    for (const auto& [shape, groups] : open_) {
        auto& all = out[reason_of_shape(shape)];
        all.insert(all.end(), groups.begin(), groups.end());
    }
    int named = named_;
    for (const auto& [shape, groups] : open_new_) {
        const ByMiss::key_type reason = reason_of_shape(shape);
        for (const NodeGroupId& group : groups) {
            if (++named > most_named && reason.first.miss != Miss::cannot_grow) break;
            out[reason].push_back(group);
        }
    }
}

/// What groups that cannot grow say. To pods that its nodes are not for, a group says that alone,
/// since it would be of no use either if it could grow; what other pods keep from it, they may not
/// by then.
void Reasons::look_at_shut(scheduling::PodGroupIndex pod_group, ByMiss& out) {
    for (const auto& [obstacle, groups] : shut_unseen_) out[{{Miss::unknown}, obstacle}] = groups;
    for (const auto& [shape, obstacles] : shut_) {
        const scheduling::Refusal refusal = placement_->why_not_new(pod_group, shape);
        Near near{miss_of(refusal.predicate), refusal.shortfall};
        if (near.miss == Miss::room) near.miss = Miss::room_if_it_could_grow;
        for (const auto& [obstacle, groups] : obstacles) {
            Reason reason = obstacle;
            if (near.miss == Miss::room_if_it_could_grow) {
                reason = reason_of(refusal);
                reason.sentence += "; also " + obstacle.sentence;
            }
            if (near.miss == Miss::other_nodes) reason = reason_of(refusal);
            auto& all = out[{near, std::move(reason)}];
            all.insert(all.end(), groups.begin(), groups.end());
        }
    }
}

std::vector<GroupReason> Reasons::of(scheduling::PodGroupIndex pod_group) {
    ByMiss by_miss;
    look_at_shut(pod_group, by_miss);
    look_at_open(pod_group, by_miss);
    std::vector<std::pair<Near, GroupReason>> sorted;
    for (auto& [reason, groups] : by_miss) {
        std::ranges::sort(groups);
        sorted.push_back({reason.first, {std::move(groups), reason.second}});
    }
    std::ranges::sort(sorted, [](const auto& a, const auto& b) {
        if (a.first != b.first) return a.first < b.first;
        const auto &of_a = a.second.groups, &of_b = b.second.groups;
        return of_a.size() != of_b.size() ? of_a.size() > of_b.size() : of_a < of_b;
    });
    std::vector<GroupReason> out;
    for (auto& [near, reason] : sorted) out.push_back(std::move(reason));
    return out;
}

Reason Reasons::sum_up(const std::vector<GroupReason>& reasons) const {
    Reason out = sum_up_groups(reasons);
    if (!no_new_group_reason_.is_none()) {
        if (reasons.empty())
            std::tie(out.code, out.subject) =
                std::tie(no_new_group_reason_.code, no_new_group_reason_.subject);
        out.sentence += "; " + no_new_group_reason_.sentence;
    }
    if (!unread_.empty()) out.sentence += "; " + unread_;
    return out;
}

Reason Reasons::sum_up_groups(const std::vector<GroupReason>& reasons) const {
    if (reasons.empty()) return {ReasonCode::no_node_group, {}, "there is no node group"};
    for (const auto& [groups, reason] : reasons) {
        if (reason.code == ReasonCode::pass_stopped) return {reason.code, {}, stopped_};
        if (reason.code == ReasonCode::would_fit)
            return {reason.code, {}, groups.front().value() + " " + reason.sentence};
    }
    const auto& [groups, nearest] = reasons.front();
    Reason out = nearest;
    const std::string all = std::to_string(groups_) + " groups";
    if (groups_ == 1) {
        out.sentence.insert(0, groups.front().value() + ": ");
    } else if (reasons.size() == 1) {
        out.sentence.insert(0, "none of " + all + " helps: ");
    } else {
        out.sentence.insert(
            0, "none of " + all + " helps; " + std::to_string(groups.size()) + " of them: ");
    }
    return out;
}

}  // namespace capstan::engine::scale_up
