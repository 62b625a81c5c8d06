#include "engine/scale_down/chosen_nodes_check.hpp"

#include <algorithm>

#include <capstan/assert.hpp>

#include "engine/pods/pod_group_key.hpp"

namespace capstan::engine::scale_down {
namespace {

/// The nodes that are removed now or later, the last one first: it is removed last.
std::vector<NodeIndex> nodes_to_remove(const drainability::Candidates& candidates,
                                       const UnneededNodes& unneeded) {
    std::vector<NodeIndex> out;
    for (const RemovalUnit& unit : unneeded.units)
        for (const std::size_t i : unit.candidates) out.push_back(candidates.nodes[i].node);
    for (const std::size_t i : unneeded.short_of_budget) out.push_back(candidates.nodes[i].node);
    std::ranges::reverse(out);
    return out;
}

std::vector<NodeIndex> other_nodes(const snapshot::Cluster& cluster,
                                   const std::vector<NodeIndex>& removed) {
    std::vector<bool> goes(cluster.node_count());
    for (const NodeIndex node : removed) goes[node] = true;
    std::vector<NodeIndex> out;
    for (NodeIndex n = 0; n < goes.size(); ++n) {
        if (!goes[n]) out.push_back(n);
    }
    return out;
}

}  // namespace

ChosenNodesCheck::ChosenNodesCheck(const pass_context::PassContext& context,
                                   scheduling::Placement& placement,
                                   const drainability::Candidates& candidates,
                                   const UnneededNodes& unneeded)
    : context_(context),
      placement_(placement),
      candidates_(candidates),
      unneeded_(unneeded),
      start_(placement.mark()) {}

std::optional<PodIndex> ChosenNodesCheck::choose(const RemovalUnit& unit) {
    if (!relocation_) {
        const std::vector<NodeIndex> removed = nodes_to_remove(candidates_, unneeded_);
        const std::vector<NodeIndex> staying = other_nodes(context_.snapshot->cluster, removed);
        relocation_.emplace(context_, placement_, RemovalTiming::at_once, unneeded_.place_of,
                            staying, removed);
    }
    const Relocation::Mark before = relocation_->mark();
    for (const std::size_t i : unit.candidates) {
        const drainability::Candidate& node = candidates_.nodes[i];
        if (const auto unplaceable = relocation_->remove(node.node, node.moving)) {
            relocation_->undo(before);
            return unplaceable;
        }
    }
    return std::nullopt;
}

std::vector<NodeIndex> ChosenNodesCheck::destinations_of(
    const drainability::Candidate& node) const {
    std::vector<NodeIndex> out;
    for (const PodIndex pod : node.moving) {
        CAPSTAN_ASSERT(relocation_, "the node was not chosen");
        out.push_back(relocation_->where(pod));
        CAPSTAN_ASSERT(out.back() != snapshot::no_node, "a pod of a chosen node has no place");
    }
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

PodPlaces ChosenNodesCheck::places_of(const drainability::Candidate& node) const {
    const snapshot::Cluster& cluster = context_.snapshot->cluster;
    PodPlaces out;
    for (const PodIndex pod : node.moving) {
        CAPSTAN_ASSERT(relocation_, "the node was not chosen");
        const NodeIndex to = relocation_->where(pod);
        CAPSTAN_ASSERT(to != snapshot::no_node, "a pod of a chosen node has no place");
        CAPSTAN_ASSERT(to != node.node, "a pod moves to the node that is removed");
        const PodGroupId pods = cluster.equivalence_group_of(pod);
        ++out[std::string(cluster.text(cluster.node(to).name))][pods::pod_group_key(cluster, pods)];
    }
    return out;
}

}  // namespace capstan::engine::scale_down
