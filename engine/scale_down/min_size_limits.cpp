#include "engine/scale_down/min_size_limits.hpp"

#include <algorithm>

#include <capstan/sentence.hpp>

#include "engine/health/answered_targets.hpp"
#include "engine/health/removal_backoff.hpp"
#include "engine/health/removed_machines.hpp"

namespace capstan::engine::scale_down {
namespace {

/// Whether the group's target still includes the machine: the cloud has not agreed to remove it.
bool is_in_target(RemovalPhase phase) {
    return phase != RemovalPhase::removed && phase != RemovalPhase::undoing;
}

std::string why_at_minimum(const NodeGroup& group, int target, int uncertain, int being_removed,
                           int planned) {
    std::string out = "node group min size reached (" + std::to_string(group.min.value_or(0)) +
                      "): group " + group.id.value() + " has " + counted(target, "node");
    if (uncertain > 0)
        out += ", " + std::to_string(uncertain) + " requested without a known response";
    if (being_removed > 0) out += ", " + std::to_string(being_removed) + " being removed";
    if (planned > 0) out += ", " + std::to_string(planned) + " to be removed before this one";
    return out;
}

}  // namespace

MinSizeLimits::MinSizeLimits(const pass_context::PassContext& context, const Memory& memory)
    : context_(&context),
      sizes_(context.groups().size()),
      totals_(limits::make_totals(*context.settings)) {
    const snapshot::Cluster& cluster = context.snapshot->cluster;
    std::vector<bool> goes(cluster.node_count());
    for (const auto& [name, removal] : memory.removals) {
        const auto node = cluster.find_node(name);
        if (!node || removal.phase == RemovalPhase::undoing) continue;
        goes[*node] = true;
        const auto& machine = context.membership.machine_of[*node];
        if (machine && is_in_target(removal.phase)) ++sizes_[machine->group].being_removed;
    }
    for (GroupIndex g = 0; g < context.groups().size(); ++g) {
        sizes_[g].being_removed += health::count_unanswered(memory, context.id(g));
        sizes_[g].uncertain = health::count_uncertain(memory, context.groups()[g]);
        if (const RemovalBackoff* const left_out =
                health::find_unremovable(memory, context.id(g), context.now))
            sizes_[g].left_out = left_out->because;
    }
    std::erase_if(totals_, [](const limits::ResourceTotal& total) { return total.bound.min <= 0; });
    for (NodeIndex n = 0; n < cluster.node_count(); ++n) {
        const snapshot::NodeRow& node = cluster.node(n);
        if (goes[n] || !limits::counts(cluster, node)) continue;
        for (limits::ResourceTotal& total : totals_) total.count({cluster, node}, 1);
    }
}

std::optional<UnremovableReason> MinSizeLimits::find_unremovable_reason(NodeIndex node,
                                                                        GroupIndex group) const {
    const NodeGroup& its = context_->groups()[group].group;
    const std::string& unreadable = context_->groups()[group].unreadable_because;
    if (!unreadable.empty()) {
        return UnremovableReason{Unremovable::unexpected_error,
                                 "group " + its.id.value() + " cannot be changed: " + unreadable};
    }
    if (!sizes_[group].left_out.empty()) {
        return UnremovableReason{Unremovable::unexpected_error,
                                 "the cloud refuses removals from group " + its.id.value() + ": " +
                                     sizes_[group].left_out};
    }
    if (!its.target) {
        return UnremovableReason{Unremovable::unexpected_error,
                                 "the target size of group " + its.id.value() + " is unknown"};
    }
    const Size& size = sizes_[group];
    const int left = *its.target - size.uncertain - size.being_removed - size.planned;
    if (left <= its.min.value_or(0)) {
        return UnremovableReason{
            Unremovable::node_group_min_size_reached,
            why_at_minimum(its, *its.target, size.uncertain, size.being_removed, size.planned)};
    }
    const snapshot::Cluster& cluster = context_->snapshot->cluster;
    const limits::CountedNode counted_node(cluster, cluster.node(node));
    for (const limits::ResourceTotal& total : totals_) {
        const std::int64_t share = total.of(counted_node);
        if (share <= 0 || total.used - share >= total.bound.min) continue;
        return UnremovableReason{Unremovable::minimal_resource_limit_exceeded,
                                 "min cluster " + total.name + " limit reached (" +
                                     total.format(total.bound.min) + "): the cluster has " +
                                     total.format(total.used) + ", the node " + total.format(share),
                                 {},
                                 total.name};
    }
    return std::nullopt;
}

void MinSizeLimits::take(NodeIndex node, GroupIndex group) {
    ++sizes_[group].planned;
    const snapshot::Cluster& cluster = context_->snapshot->cluster;
    const snapshot::NodeRow& row = cluster.node(node);
    if (!limits::counts(cluster, row)) return;
    for (limits::ResourceTotal& total : totals_) total.count({cluster, row}, -1);
}

}  // namespace capstan::engine::scale_down
