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

/// "group web-a", "groups web-a, web-b, web-c and 37 more".
std::string group_names(const std::vector<NodeGroupId>& groups) {
    constexpr std::size_t most = 3;
    return (groups.size() == 1 ? "group " : "groups ") +
           listed(groups, [](const NodeGroupId& id) { return id.value(); }, most);
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
        if (!obstacles_[g].is_none() && is_new) {
            add_blocked_new_group(obstacles_[g], context.id(g));
        } else if (!obstacles_[g].is_none()) {
            ++groups_;
            const bool is_seen = context.templates[g].node != nullptr;
            (is_seen ? blocked_[context.predicates->equivalent(g)]
                     : blocked_without_template_)[obstacles_[g]]
                .push_back(context.id(g));
        } else {
            ++groups_;
            (is_new ? growable_new_ : growable_)[context.predicates->equivalent(g)].push_back(
                context.id(g));
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

/// For a group that could be made and cannot grow.
void Reasons::add_blocked_new_group(Reason reason, const NodeGroupId& group) {
    ++groups_;
    if (++named_ > most_named) return;
    blocked_without_template_[std::move(reason)].push_back(group);
}

/// Adds the reasons of the groups that may grow.
void Reasons::collect_growable(PodGroupIndex pod_group, ByMiss& out) {
    const auto reason_of_template_node = [&](TemplateNodeId template_node) -> ByMiss::key_type {
        const scheduling::Refusal refusal = placement_->why_not_new(pod_group, template_node);
        if (refusal.predicate != scheduling::Predicate::none)
            return {{miss_of(refusal.predicate), refusal.shortfall}, reason_of(refusal)};
        const bool is_stopped = !stopped_.empty();
        return {{Miss::cannot_grow},
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

/// Adds the reasons of the groups that cannot grow. A group with nodes for other pods gives
/// that reason alone, because it would not help if it could grow. A group that other pods keep from
/// taking the pod gives its obstacle alone, because those pods may be gone by then.
void Reasons::collect_blocked(PodGroupIndex pod_group, ByMiss& out) {
    for (const auto& [obstacle, groups] : blocked_without_template_)
        out[{{Miss::unknown}, obstacle}] = groups;
    for (const auto& [template_node, obstacles] : blocked_) {
        const scheduling::Refusal refusal = placement_->why_not_new(pod_group, template_node);
        Nearness near{miss_of(refusal.predicate), refusal.shortfall};
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
    const bool holds_for_all = reasons.size() == 1;
    const std::string all = std::to_string(groups_);
    const std::string count = holds_for_all ? all : std::to_string(groups.size());
    out.sentence.insert(0, "0 of " + all + " node groups can schedule it: " + count + " ");
    if (holds_for_all) return out;
    const std::string names = group_names(groups);
    out.sentence += out.sentence.ends_with(')') ? ": " + names : " (" + names + ")";
    return out;
}

}  // namespace capstan::engine::scale_up
