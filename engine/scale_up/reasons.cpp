#include "engine/scale_up/reasons.hpp"

#include <algorithm>
#include <tuple>

#include <capstan/sentence.hpp>

namespace capstan::engine::scale_up {
namespace {

/// How many groups that could be made are named for each pod group.
constexpr int most_named = 100;

bool is_to_be_made(const Group& group) { return group.plan != nullptr && group.group.target == 0; }

/// Names the clouds that were never read; empty: there is none.
std::string unread_sentence(const UnreadClouds& unread) {
    std::string out;
    for (const auto& [cloud, because] : unread)
        out += (out.empty() ? "" : "; ") + std::string("node groups of cloud ") + cloud.value() +
               " are unknown: " + because;
    return out;
}

}  // namespace

Reasons::Reasons(const pass_context::PassContext& context, const QuotaTracker& quotas,
                 scheduling::Placement& placement, std::string stopped)
    : placement_(&placement),
      stopped_(std::move(stopped)),
      no_new_group_reason_(context.no_new_group_reason),
      unread_(unread_sentence(context.snapshot->unread)) {
    for (const NewGroup& made : context.new_groups) {
        if (made.group.value().empty() || made.dropped.is_none()) continue;
        Reason reason = made.dropped;
        reason.sentence.insert(0, "could be created, but ");
        add_blocked_new_group(std::move(reason), made.group);
    }
    for (GroupIndex g = 0; g < context.groups().size(); ++g) {
        const bool is_new = is_to_be_made(context.groups()[g]);
        obstacles_.push_back(quotas.obstacle(g));
        has_template_.push_back(context.templates[g].node != nullptr);
        template_nodes_.push_back(has_template_[g] ? context.predicates->equivalent(g)
                                                   : TemplateNodeId{0});
        if (!obstacles_[g].is_none() && is_new) {
            add_blocked_new_group(obstacles_[g], context.id(g));
        } else if (!obstacles_[g].is_none()) {
            ++groups_;
            (has_template_[g] ? blocked_[template_nodes_[g]]
                              : blocked_without_template_)[obstacles_[g]]
                .push_back(context.id(g));
        } else {
            ++groups_;
            (is_new ? growable_new_ : growable_)[template_nodes_[g]].push_back(context.id(g));
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

Reasons::Nearness Reasons::nearness_of(const scheduling::Refusal& refusal,
                                       const scheduling::Distance& distance) noexcept {
    if (refusal.predicate == scheduling::Predicate::none) return {.miss = Miss::cannot_grow};
    return {.is_refused = true,
            .is_not_selected = !distance.is_selected,
            .failing = distance.failing,
            .miss = miss_of(refusal.predicate),
            .shortfall = refusal.shortfall};
}

/// For a group that could be made and cannot grow.
void Reasons::add_blocked_new_group(Reason reason, const NodeGroupId& group) {
    ++groups_;
    if (++named_ > most_named) return;
    blocked_without_template_[std::move(reason)].push_back(group);
}

/// Adds the reasons of the groups that may grow.
void Reasons::collect_growable(PodGroupIndex pod_group, ByMiss& out) {
    const auto reason_of_template_node = [&](TemplateNodeId template_node) -> ByMiss::key_type {
        scheduling::Distance distance;
        const scheduling::Refusal refusal =
            placement_->why_not_new(pod_group, template_node, &distance);
        if (refusal.predicate != scheduling::Predicate::none)
            return {nearness_of(refusal, distance), reason_of(refusal)};
        const bool is_stopped = !stopped_.empty();
        return {nearness_of(refusal, distance),
                {is_stopped ? ReasonCode::pass_stopped : ReasonCode::would_fit,
                 {},
                 "can schedule it" + (is_stopped ? ", but " + stopped_ : "")}};
    };
    for (const auto& [template_node, groups] : growable_) {
        auto& all = out[reason_of_template_node(template_node)];
        all.insert(all.end(), groups.begin(), groups.end());
    }
    int named = named_;
    for (const auto& [template_node, groups] : growable_new_) {
        const ByMiss::key_type reason = reason_of_template_node(template_node);
        for (const NodeGroupId& group : groups) {
            if (++named > most_named && reason.first.miss != Miss::cannot_grow) break;
            out[reason].push_back(group);
        }
    }
}

/// The reason of a group that cannot grow. A group with nodes for other pods gives that reason
/// alone, because it would not help if it could grow.
Reason Reasons::joined(const scheduling::Refusal& refusal, const Reason& obstacle) {
    const Miss miss = miss_of(refusal.predicate);
    if (miss == Miss::cannot_grow || miss == Miss::unknown) return obstacle;
    Reason out = reason_of(refusal);
    if (miss != Miss::other_nodes) out.sentence += "; also " + obstacle.sentence;
    return out;
}

/// Adds the reasons of the groups that cannot grow.
void Reasons::collect_blocked(PodGroupIndex pod_group, ByMiss& out) {
    for (const auto& [obstacle, groups] : blocked_without_template_)
        out[{{.miss = Miss::unknown}, obstacle}] = groups;
    for (const auto& [template_node, obstacles] : blocked_) {
        scheduling::Distance distance;
        const scheduling::Refusal refusal =
            placement_->why_not_new(pod_group, template_node, &distance);
        Nearness near = nearness_of(refusal, distance);
        if (near.miss == Miss::room) near.miss = Miss::room_if_it_could_grow;
        for (const auto& [obstacle, groups] : obstacles) {
            auto& all = out[{near, joined(refusal, obstacle)}];
            all.insert(all.end(), groups.begin(), groups.end());
        }
    }
}

Reason Reasons::of_group(PodGroupIndex pod_group, GroupIndex group) const {
    const Reason& obstacle = obstacles_[group];
    if (!has_template_[group]) return obstacle;
    const scheduling::Refusal refusal = placement_->why_not_new(pod_group, template_nodes_[group]);
    return obstacle.is_none() ? reason_of(refusal) : joined(refusal, obstacle);
}

std::vector<GroupReason> Reasons::of(PodGroupIndex pod_group) {
    ByMiss by_miss;
    collect_blocked(pod_group, by_miss);
    collect_growable(pod_group, by_miss);
    std::vector<std::pair<Nearness, GroupReason>> sorted;
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

namespace {

/// Whether a limit that keeps a new group from being created is nearer than the reasons of existing
/// groups: all of them have nodes for other pods.
bool is_limit_nearer(const Reason& no_new_group, const std::vector<GroupReason>& reasons) {
    const auto is_for_others = [](const GroupReason& each) {
        return each.reason.code >= ReasonCode::node_unschedulable &&
               each.reason.code <= ReasonCode::node_affinity;
    };
    return no_new_group.code == ReasonCode::limit_reached &&
           std::ranges::all_of(reasons, is_for_others);
}

}  // namespace

Reason Reasons::sum_up(const std::vector<GroupReason>& reasons) const {
    Reason out = sum_up_groups(reasons);
    if (!no_new_group_reason_.is_none()) {
        const bool is_first = is_limit_nearer(no_new_group_reason_, reasons);
        if (reasons.empty() || is_first)
            std::tie(out.code, out.subject) =
                std::tie(no_new_group_reason_.code, no_new_group_reason_.subject);
        out.sentence = is_first && !reasons.empty()
                           ? no_new_group_reason_.sentence + "; " + out.sentence
                           : out.sentence + "; " + no_new_group_reason_.sentence;
    }
    if (!unread_.empty()) out.sentence += "; " + unread_;
    return out;
}

Reason Reasons::sum_up_groups(const std::vector<GroupReason>& reasons) const {
    if (reasons.empty()) return {ReasonCode::no_node_group, {}, "no node group exists"};
    for (const auto& [groups, reason] : reasons) {
        if (reason.code == ReasonCode::pass_stopped) return {reason.code, {}, stopped_};
        if (reason.code == ReasonCode::would_fit)
            return {reason.code, {}, "group " + groups.front().value() + " " + reason.sentence};
    }
    const auto& [groups, nearest] = reasons.front();
    Reason out = nearest;
    if (groups_ == 1) {
        out.sentence.insert(0, "group " + groups.front().value() + ": ");
        return out;
    }
    const std::string all = std::to_string(groups_);
    const bool holds_for_all = reasons.size() == 1;
    out.sentence = "0 of " + all + " node groups can schedule it: " +
                   (holds_for_all ? all + " " + nearest.sentence : describe(reasons.front()));
    return out;
}

}  // namespace capstan::engine::scale_up
