#include "engine/scale_down/relocation.hpp"

#include <algorithm>
#include <utility>

#include <capstan/well_known.hpp>

#include "engine/pass_context/spread_emulation.hpp"
#include "engine/scheduling/predicate_data.hpp"
#include "engine/snapshot/spread_timeout.hpp"

namespace capstan::engine::scale_down {
namespace {

constexpr PodGroupIndex no_pod_group = ~PodGroupIndex{0};
constexpr int many = 1'000'000'000;  // more pods than there are

}  // namespace

Relocation::Relocation(const pass_context::PassContext& context, scheduling::Placement& placement,
                       RemovalTiming timing, std::vector<NodeIndex> hints,
                       std::span<const NodeIndex> staying, std::span<const NodeIndex> undecided)
    : context_(&context),
      predicates_(&placement.predicates()),
      timing_(timing),
      destinations_(context, placement, staying, undecided),
      hints_(std::move(hints)) {
    if (timing == RemovalTiming::at_once)
        for (const NodeIndex node : context.being_removed) placement.set_draining(node, true);
    const snapshot::Cluster& cluster = context.snapshot->cluster;
    const auto pod_groups = predicates_->pod_groups();
    pod_groups_.assign(cluster.pod_group_count(), no_pod_group);
    for (PodGroupIndex s = 0; s < pod_groups.size(); ++s) {
        pod_groups_[pod_groups[s]] = s;
        relocation_rules_.push_back(relocation_rule_of(placement, s));
    }
    where_.assign(cluster.pod_count(), snapshot::no_node);
    hints_.resize(cluster.pod_count(), snapshot::no_node);
    arrived_.resize(cluster.node_count());
}

Relocation::RelocationRule Relocation::relocation_rule_of(scheduling::Placement& placement,
                                                          PodGroupIndex pod_group) const {
    if (!predicates_->has_inter_pod_constraints(pod_group)) return {.scope = ConstraintScope::none};
    const std::optional<scheduling::SpreadDomains> spread = placement.spread(pod_group);
    if (!spread || spread->topology_key != well_known::zone_label) return {};
    const bool is_all = scheduling::is_only_spread(*predicates_, pod_group);
    const snapshot::Cluster& cluster = context_->snapshot->cluster;
    if (!pass_context::is_emulated(cluster, predicates_->pod_groups()[pod_group],
                                   *context_->settings))
        return {.scope = is_all ? ConstraintScope::per_zone : ConstraintScope::per_node};
    for (std::uint32_t domain = 0; domain < spread->domains.size(); ++domain)
        placement.allow(pod_group, domain, many);
    return {.scope = is_all ? ConstraintScope::none : ConstraintScope::per_node,
            .stays_in_zone = true};
}

std::optional<PodGroupIndex> Relocation::pod_group_of(PodIndex pod) const noexcept {
    const PodGroupIndex pod_group =
        pod_groups_[context_->snapshot->cluster.equivalence_group_of(pod)];
    return pod_group == no_pod_group ? std::nullopt : std::optional(pod_group);
}

/// The pods that have to leave the node, the largest first, which packs best. Absent: the
/// predicates do not include one of them.
std::optional<std::vector<Relocation::DisplacedPod>> Relocation::displaced_pods(
    NodeIndex node, std::span<const PodIndex> pods) const {
    std::vector<DisplacedPod> out;
    out.reserve(pods.size() + arrived_[node].size());
    const auto add = [&](PodIndex pod) {
        const std::optional<PodGroupIndex> pod_group = pod_group_of(pod);
        if (!pod_group) return false;
        const auto requests = predicates_->requests(*pod_group);
        // Requests ascend by resource, so cpu comes first if it is requested at all.
        const bool asks_cpu = requests.front().resource == snapshot::cpu_index;
        const RelocationRule& rule = relocation_rules_[*pod_group];
        DisplacedPod& one = out.emplace_back();
        one.pod = pod;
        one.size = asks_cpu ? requests.front().amount : 0;
        one.relocating = {.pod_group = *pod_group, .hint = hints_[pod], .scope = rule.scope};
        if (rule.stays_in_zone) {
            one.relocating.zone = destinations_.zone_of(context_->snapshot->cluster.pod(pod).node);
        }
        return true;
    };
    if (!std::ranges::all_of(pods, add)) return std::nullopt;
    if (!std::ranges::all_of(arrived_[node], add)) return std::nullopt;
    const auto rank = [](const DisplacedPod& l) { return -l.size; };
    if (std::ranges::is_sorted(out, {}, rank)) return out;
    std::vector<std::size_t> order(out.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(rank(out[i]), i); });
    std::vector<DisplacedPod> sorted;
    for (const std::size_t i : order) sorted.push_back(out[i]);
    return sorted;
}

bool Relocation::assign(const DisplacedPod& pod) {
    const std::optional<NodeIndex> node = destinations_.assign(pod.relocating);
    if (!node) return false;
    moves_.push_back({.pod = pod.pod, .before = where_[pod.pod]});
    where_[pod.pod] = *node;
    arrived_[*node].push_back(pod.pod);
    return true;
}

std::optional<PodIndex> Relocation::remove(NodeIndex node, std::span<const PodIndex> pods) {
    const Mark before = mark();
    auto left = displaced_pods(node, pods);
    if (!left) return pods.front();
    destinations_.drain(node);
    while (!left->empty()) {
        std::vector<DisplacedPod> without;
        for (const DisplacedPod& pod : *left) {
            if (assign(pod)) continue;
            without.push_back(pod);
            // Only a pod with inter-pod constraints may still fit once the others have a place.
            if (pod.relocating.scope == ConstraintScope::none) break;
        }
        const bool is_hopeless =
            !without.empty() && (without.size() == left->size() ||
                                 without.back().relocating.scope == ConstraintScope::none);
        if (is_hopeless) {
            undo(before);
            return without.back().pod;
        }
        *left = std::move(without);
    }
    if (timing_ == RemovalTiming::in_turn) destinations_.remove(node);
    return std::nullopt;
}

void Relocation::undo(const Mark& mark) {
    while (moves_.size() > mark.moves) {
        const Move move = moves_.back();
        moves_.pop_back();
        arrived_[where_[move.pod]].pop_back();
        where_[move.pod] = move.before;
    }
    destinations_.undo(mark.destinations);
}

}  // namespace capstan::engine::scale_down
