#include "engine/scale_up/quota_tracker.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include <capstan/assert.hpp>

namespace capstan::engine::scale_up {
namespace {

/// Nodes ordered in this pass to bring the group up to its minimum.
int ordered_nodes(const pass_context::PassContext& context, GroupIndex group) {
    int out = 0;
    for (const Increase& increase : context.repairs.increases) {
        if (increase.group == context.id(group)) out += increase.by;
    }
    return out;
}

/// Existing groups, and groups that a cloud has agreed to make.
int count_agreed_groups(const pass_context::PassContext& context) {
    return static_cast<int>(std::ranges::count_if(context.groups(), [](const Group& group) {
        return group.plan == nullptr || group.group.target != 0;
    }));
}

/// The template of the group; without one the cloud's description, else an empty template.
NodeTemplate template_of(const pass_context::PassContext& context, GroupIndex group) {
    if (const auto& node = context.templates[group].node) return *node;
    const auto& described = context.groups()[group].described;
    return described ? *described : NodeTemplate();
}

/// Machines that no pass waits for count, too: a cloud that has capacity again may still make them.
/// Machines that this pass takes back count as well, because the cloud has yet to agree.
std::vector<limits::UpcomingNodes> nodes_to_come(const pass_context::PassContext& context) {
    std::vector<limits::UpcomingNodes> out;
    for (GroupIndex g = 0; g < context.groups().size(); ++g) {
        const std::int64_t nodes =
            std::int64_t{context.health.groups[g].outstanding} + ordered_nodes(context, g);
        if (nodes > 0) out.push_back({template_of(context, g), nodes});
    }
    return out;
}

}  // namespace

QuotaTracker::QuotaTracker(const pass_context::PassContext& context)
    : context_(&context),
      budget_(*context.snapshot, nodes_to_come(context), *context.settings),
      groups_(count_agreed_groups(context)),
      grown_(context.groups().size(), 0) {}

Reason QuotaTracker::obstacle(GroupIndex group) const {
    const pass_context::GroupHeadroom& before = context_->headrooms[group];
    if (!before.obstacle.is_none()) return before.obstacle;
    if (const auto closed = closed_.find(group); closed != closed_.end()) return closed->second;
    const int left = room(group);
    if (left == 0) {
        const int most =
            context_->groups()[group].group.max.value_or(std::numeric_limits<int>::max());
        return {ReasonCode::max_size_reached,
                {},
                "max node group size reached (" + std::to_string(most) +
                    "): " + std::to_string(grown_[group]) + " added in this pass"};
    }
    const auto [least, allowed] = least_growth(group);
    if (allowed.nodes >= least) {
        const auto& most = context_->most_groups;
        if (!most || groups_ < *most || !is_new(group)) return {};
        return {ReasonCode::limit_reached,
                {SubjectKind::limit, "groups"},
                "max number of node groups reached: " + std::to_string(groups_) + " of " +
                    std::to_string(*most)};
    }
    Reason out = allowed.reason();
    if (before.atomic) out.sentence = "atomic node group (0 or max nodes): " + out.sentence;
    return out;
}

std::string QuotaTracker::total_at_limit(GroupIndex group) const {
    const bool is_closed =
        !context_->headrooms[group].obstacle.is_none() || closed_.contains(group);
    if (is_closed || room(group) == 0) return {};
    const auto [least, allowed] = least_growth(group);
    return allowed.nodes < least ? allowed.total : std::string();
}

QuotaTracker::Least QuotaTracker::least_growth(GroupIndex group) const {
    const int least = context_->headrooms[group].atomic ? room(group) : 1;
    return {least, allows(group, least)};
}

limits::Allowed QuotaTracker::allows(GroupIndex group, int wanted) const {
    return budget_.allows(*context_->templates[group].node, wanted);
}

bool QuotaTracker::is_new(GroupIndex group) const {
    const Group& of = context_->groups()[group];
    return of.plan != nullptr && of.group.target == 0 && grown_[group] == 0;
}

std::optional<int> QuotaTracker::new_groups_left() const {
    if (!context_->most_groups) return std::nullopt;
    return std::max(*context_->most_groups - groups_, 0);
}

void QuotaTracker::take(GroupIndex group, int nodes) {
    CAPSTAN_ASSERT(group < grown_.size(), "there is no such group");
    CAPSTAN_ASSERT(nodes > 0, "a group grows by no nodes");
    CAPSTAN_ASSERT(allows(group, nodes).nodes == nodes, "a group grows beyond a cluster limit");
    if (is_new(group)) ++groups_;
    grown_[group] += nodes;
    const std::optional<int>& max = context_->groups()[group].group.max;
    CAPSTAN_ASSERT(!max || std::int64_t{context_->target(group)} + grown_[group] <= *max,
                   "a group grows beyond its maximum");
    budget_.take(*context_->templates[group].node, nodes);
}

void QuotaTracker::give_up(GroupIndex group, int nodes) {
    CAPSTAN_ASSERT(group < grown_.size(), "there is no such group");
    CAPSTAN_ASSERT(nodes > 0 && nodes <= grown_[group], "more nodes are given up than were taken");
    grown_[group] -= nodes;
    budget_.take(*context_->templates[group].node, -nodes);
    if (is_new(group)) --groups_;
}

void QuotaTracker::release(GroupIndex group, int nodes) {
    CAPSTAN_ASSERT(group < grown_.size(), "there is no such group");
    CAPSTAN_ASSERT(nodes >= 0, "fewer than no machines are released");
    budget_.take(template_of(*context_, group), -nodes);
}

bool QuotaTracker::counts_in(GroupIndex group, std::string_view total) const {
    return budget_.counts_in(template_of(*context_, group), total);
}

std::vector<TemplateNodeId> growing_template_nodes(const pass_context::PassContext& context,
                                                   const QuotaTracker& quotas) {
    std::set<TemplateNodeId> template_nodes;
    for (GroupIndex g = 0; g < context.groups().size(); ++g) {
        if (quotas.obstacle(g).is_none()) template_nodes.insert(context.predicates->equivalent(g));
    }
    return {template_nodes.begin(), template_nodes.end()};
}

}  // namespace capstan::engine::scale_up
