#include "engine/scale_down/destinations.hpp"

#include <algorithm>
#include <map>

#include <capstan/well_known.hpp>

#include "engine/scheduling/predicate_data.hpp"
#include "engine/snapshot/label_finder.hpp"
#include "engine/snapshot/spread_timeout.hpp"

namespace capstan::engine::scale_down {
namespace {

std::vector<std::uint32_t> number_zones(const snapshot::Cluster& cluster, std::uint32_t& count) {
    std::map<snapshot::Symbol, std::uint32_t> numbers;
    snapshot::LabelFinder zones(cluster, well_known::zone_label);
    std::vector<std::uint32_t> out(cluster.node_count(), 0);
    for (NodeIndex n = 0; n < out.size(); ++n) {
        const auto zone = zones.find(cluster.node(n).labels);
        if (!zone) continue;
        out[n] = numbers.try_emplace(*zone, numbers.size() + 1).first->second;
    }
    count = static_cast<std::uint32_t>(numbers.size()) + 1;
    return out;
}

}  // namespace

Destinations::Destinations(const pass_context::PassContext& context,
                           scheduling::Placement& placement, std::span<const NodeIndex> staying,
                           std::span<const NodeIndex> undecided)
    : context_(&context),
      placement_(&placement),
      equivalent_(scheduling::find_equivalent(placement.predicates())) {
    const snapshot::Cluster& cluster = context.snapshot->cluster;
    const scheduling::CompiledPredicates& predicates = placement.predicates();
    first_need_.push_back(0);
    for (PodGroupIndex s = 0; s < predicates.pod_groups().size(); ++s) {
        for (const snapshot::Request& request : predicates.requests(s))
            needs_.push_back({.column = request.resource, .amount = request.amount});
        first_need_.push_back(static_cast<std::uint32_t>(needs_.size()));
    }
    zones_ = number_zones(cluster, zone_count_);
    tier_of_.assign(cluster.node_count(), Tier::none);
    row_of_.assign(cluster.node_count(), 0);
    for (int tier = 0; tier < 2; ++tier) tiers_.emplace_back(cluster.resource_count());
    start_.assign(std::size_t{2} * zone_count_ * equivalent_.size(), 0);
    const auto put_all = [&](Tier tier, std::span<const NodeIndex> nodes) {
        for (const NodeIndex node : nodes) {
            if (context.health.nodes[node] != health::NodeUsability::takes_pods) continue;
            if (std::ranges::binary_search(context.being_removed, node)) continue;
            if (health::find_departure(context.health.leaving, node) != nullptr) continue;
            if (std::ranges::binary_search(context.promises, node, {},
                                           &scheduling::NodePromise::node))
                continue;
            put(tier, node);
        }
    };
    put_all(Tier::staying, staying);
    put_all(Tier::undecided, undecided);
}

void Destinations::put(Tier tier, NodeIndex node) {
    std::vector<std::int64_t> row(context_->snapshot->cluster.resource_count());
    for (ResourceIndex r = 0; r < row.size(); ++r) row[r] = placement_->free(node, r);
    Nodes& nodes = on(tier);
    tier_of_[node] = tier;
    row_of_[node] = static_cast<std::uint32_t>(nodes.nodes.size());
    nodes.nodes.push_back(node);
    nodes.free.push(row);
}

bool Destinations::takes(const RelocatingPod& pod, NodeIndex node) const {
    return (pod.zone == 0 || pod.zone == zones_[node]) &&
           placement_->room(pod.pod_group, node, 1).in_all > 0;
}

void Destinations::assign_to(NodeIndex node, PodGroupIndex pod_group) {
    placement_->place(pod_group, node, 1);
    on(tier_of_[node]).free.take(row_of_[node], needs(pod_group), 1);
    journal_.push_back({.kind = Change::Kind::assigned,
                        .tier = tier_of_[node],
                        .at = row_of_[node],
                        .pod_group = pod_group});
}

std::optional<NodeIndex> Destinations::assign(const RelocatingPod& pod) {
    std::optional<NodeIndex> found;
    if (pod.hint != snapshot::no_node && tier_of_[pod.hint] == Tier::staying &&
        takes(pod, pod.hint))
        found = pod.hint;
    for (const Tier tier : {Tier::staying, Tier::undecided})
        if (!found) found = search(tier, pod);
    if (found) assign_to(*found, pod.pod_group);
    return found;
}

std::optional<NodeIndex> Destinations::search(Tier tier, const RelocatingPod& pod) {
    Nodes& nodes = on(tier);
    const auto size = static_cast<std::uint32_t>(nodes.nodes.size());
    std::optional<std::uint32_t> row;
    switch (pod.scope) {
        case ConstraintScope::none:
            row = search_zone(tier, pod, pod.zone);
            if (row && !takes(pod, nodes.nodes[*row])) row.reset();
            break;
        case ConstraintScope::per_node:
            row = nodes.free.find(needs(pod.pod_group), 0, size,
                                  [&](std::uint32_t r) { return takes(pod, nodes.nodes[r]); });
            break;
        case ConstraintScope::per_zone:
            for (std::uint32_t zone = 1; zone < zone_count_; ++zone) {
                const auto first = search_zone(tier, pod, zone);
                if (first && (!row || *first < *row) && takes(pod, nodes.nodes[*first]))
                    row = first;
            }
            break;
    }
    return row ? std::optional(nodes.nodes[*row]) : std::nullopt;
}

/// The first row of the zone (0: of any zone) that would take the pod if its inter-pod constraints
/// did not count. Room is only lost, except by undo; so the next search goes on from there.
std::optional<std::uint32_t> Destinations::search_zone(Tier tier, const RelocatingPod& pod,
                                                       std::uint32_t zone) {
    const std::size_t at =
        (static_cast<std::size_t>(tier) * zone_count_ + zone) * equivalent_.size() +
        equivalent_[pod.pod_group];
    Nodes& nodes = on(tier);
    const auto size = static_cast<std::uint32_t>(nodes.nodes.size());
    const auto row = nodes.free.find(needs(pod.pod_group), start_[at], size, [&](std::uint32_t r) {
        const NodeIndex node = nodes.nodes[r];
        return (zone == 0 || zone == zones_[node]) &&
               scheduling::passes_node_predicates(placement_->predicates(), pod.pod_group, node);
    });
    const std::uint32_t start = row.value_or(size);
    if (start != start_[at]) {
        journal_.push_back({.kind = Change::Kind::searched,
                            .at = static_cast<std::uint32_t>(at),
                            .before = start_[at]});
        start_[at] = start;
    }
    return row;
}

void Destinations::drain(NodeIndex node) {
    placement_->close(node);
    placement_->set_draining(node, true);
    if (!is_open(node)) return;
    // Every pod requests one of the resource "pods", so a node without any takes none.
    const Tier tier = tier_of_[node];
    const std::int64_t left = on(tier).free.free(row_of_[node], snapshot::pods_index);
    journal_.push_back(
        {.kind = Change::Kind::closed, .tier = tier, .at = row_of_[node], .before = left});
    if (left > 0) {
        const scheduling::Need all{.column = snapshot::pods_index, .amount = left};
        on(tier).free.take(row_of_[node], {&all, 1}, 1);
    }
    tier_of_[node] = Tier::none;
}

void Destinations::stay(NodeIndex node) {
    if (tier_of_[node] != Tier::undecided) return;
    const std::uint32_t row = row_of_[node];
    const std::int64_t left = on(Tier::undecided).free.free(row, snapshot::pods_index);
    const scheduling::Need all{.column = snapshot::pods_index, .amount = left};
    if (left > 0) on(Tier::undecided).free.take(row, {&all, 1}, 1);
    put(Tier::staying, node);
}

void Destinations::undo(const Mark& mark) {
    while (journal_.size() > mark.journal) {
        take_back(journal_.back());
        journal_.pop_back();
    }
    placement_->undo(mark.placement);
}

void Destinations::take_back(const Change& change) {
    switch (change.kind) {
        case Change::Kind::searched:
            start_[change.at] = static_cast<std::uint32_t>(change.before);
            return;
        case Change::Kind::assigned:
            on(change.tier).free.take(change.at, needs(change.pod_group), -1);
            return;
        case Change::Kind::closed:
            if (change.before > 0) {
                const scheduling::Need all{.column = snapshot::pods_index, .amount = change.before};
                on(change.tier).free.take(change.at, {&all, 1}, -1);
            }
            tier_of_[on(change.tier).nodes[change.at]] = change.tier;
            return;
    }
}

}  // namespace capstan::engine::scale_down
