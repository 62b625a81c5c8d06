#include "engine/scale_down/relocation.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include <capstan/assert.hpp>
#include <capstan/well_known.hpp>

#include "engine/pass_context/spread_emulation.hpp"
#include "engine/scheduling/capacity_tree.hpp"
#include "engine/scheduling/predicate_data.hpp"
#include "engine/snapshot/label_finder.hpp"
#include "engine/snapshot/spread_timeout.hpp"

namespace capstan::engine::scale_down {

/// How a pod's inter-pod constraints restrict the nodes it may move to.
enum class ConstraintScope : std::uint8_t {
    none,      ///< not at all: each node decides on its own
    per_zone,  ///< by zone: either all nodes of a zone are allowed, or none
    per_node,  ///< node by node
};

/// A pod as the search for its new place sees it.
struct RelocatingPod {
    PodGroupIndex pod_group = 0;
    NodeIndex hint = snapshot::no_node;  ///< tried first if it stays
    std::uint32_t zone = 0;              ///< 0: any
    ConstraintScope scope = ConstraintScope::per_node;
};

namespace {

constexpr PodGroupIndex no_pod_group = ~PodGroupIndex{0};
constexpr int many = 1'000'000'000;  // more pods than there are

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

/// The nodes to which pods of removed nodes may move.
///
/// A large cluster has many nodes and many pods to move, so trying each node for each pod would be
/// quadratic. Free resources are kept in trees that find the first node with room, and a search
/// starts where the last search for an equivalent pod ended, since room is only lost.
///
/// There are two tiers of nodes: nodes that stay in any case, and nodes that are yet to be decided
/// on. A pod goes to the first node with room in the first tier, else in the second. Nodes without
/// room for a pod group are not searched again for equivalent pods until room is given back.
/// Borrows context and placement; the placement has the pods that were assigned.
class Relocation::Destinations {
public:
    /// Nodes of `staying` and `undecided` take no pods if they are not ready, are being removed, do
    /// not have yet what their template promises, or have a machine with a notice that it leaves.
    Destinations(const pass_context::PassContext& context, scheduling::Placement& placement,
                 std::span<const NodeIndex> staying, std::span<const NodeIndex> undecided)
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

    /// Puts the pod on a node with room and returns the node; absent: there is none.
    std::optional<NodeIndex> assign(const RelocatingPod& pod) {
        std::optional<NodeIndex> found;
        if (pod.hint != snapshot::no_node && tier_of_[pod.hint] == Tier::staying &&
            takes(pod, pod.hint))
            found = pod.hint;
        for (const Tier tier : {Tier::staying, Tier::undecided})
            if (!found) found = search(tier, pod);
        if (found) assign_to(*found, pod.pod_group);
        return found;
    }

    /// Drains the node: it takes no pods from now on, and its pods are gone. kube-scheduler still
    /// sees it.
    void drain(NodeIndex node) {
        placement_->close(node);
        placement_->set_draining(node, true);
        if (tier_of_[node] == Tier::none) return;
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

    /// A drained node is deleted.
    void remove(NodeIndex node) { placement_->set_draining(node, false); }

    /// Moves an undecided node to the tier that stays.
    void stay(NodeIndex node) {
        if (tier_of_[node] != Tier::undecided) return;
        const std::uint32_t row = row_of_[node];
        const std::int64_t left = on(Tier::undecided).free.free(row, snapshot::pods_index);
        const scheduling::Need all{.column = snapshot::pods_index, .amount = left};
        if (left > 0) on(Tier::undecided).free.take(row, {&all, 1}, 1);
        put(Tier::staying, node);
    }

    /// The number of the node's zone; 0: it is in no zone.
    std::uint32_t zone_of(NodeIndex node) const noexcept { return zones_[node]; }

    std::size_t mark() const noexcept { return journal_.size(); }
    void undo(std::size_t mark) {
        while (journal_.size() > mark) {
            take_back(journal_.back());
            journal_.pop_back();
        }
    }

private:
    enum class Tier : std::uint8_t { staying, undecided, none };
    struct Nodes {
        explicit Nodes(std::size_t columns) : free(columns) {}
        scheduling::CapacityTree free;
        std::vector<NodeIndex> nodes{};  // by row
    };
    struct Change {
        enum class Kind : std::uint8_t { assigned, closed, searched } kind = Kind::assigned;
        Tier tier = Tier::staying;
        std::uint32_t at = 0;  // a row; for `searched` an index in start_
        std::uint32_t pod_group = 0;
        std::int64_t before = 0;
    };

    void put(Tier tier, NodeIndex node) {
        std::vector<std::int64_t> row(context_->snapshot->cluster.resource_count());
        for (ResourceIndex r = 0; r < row.size(); ++r) row[r] = placement_->free(node, r);
        Nodes& nodes = on(tier);
        tier_of_[node] = tier;
        row_of_[node] = static_cast<std::uint32_t>(nodes.nodes.size());
        nodes.nodes.push_back(node);
        nodes.free.push(row);
    }

    bool takes(const RelocatingPod& pod, NodeIndex node) const {
        return (pod.zone == 0 || pod.zone == zones_[node]) &&
               placement_->room(pod.pod_group, node, 1).in_all > 0;
    }

    void assign_to(NodeIndex node, PodGroupIndex pod_group) {
        CAPSTAN_ASSERT(tier_of_[node] != Tier::none, "a pod moves to a node that takes none");
        placement_->place(pod_group, node, 1);
        on(tier_of_[node]).free.take(row_of_[node], needs(pod_group), 1);
        journal_.push_back({.kind = Change::Kind::assigned,
                            .tier = tier_of_[node],
                            .at = row_of_[node],
                            .pod_group = pod_group});
    }

    std::optional<NodeIndex> search(Tier tier, const RelocatingPod& pod) {
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

    /// The first row of the zone (0: of any zone) that would take the pod if its inter-pod
    /// constraints did not count. Room is only lost, except by undo; so the next search goes on
    /// from there.
    std::optional<std::uint32_t> search_zone(Tier tier, const RelocatingPod& pod,
                                             std::uint32_t zone) {
        const std::size_t at =
            (static_cast<std::size_t>(tier) * zone_count_ + zone) * equivalent_.size() +
            equivalent_[pod.pod_group];
        Nodes& nodes = on(tier);
        const auto size = static_cast<std::uint32_t>(nodes.nodes.size());
        const auto row =
            nodes.free.find(needs(pod.pod_group), start_[at], size, [&](std::uint32_t r) {
                const NodeIndex node = nodes.nodes[r];
                return (zone == 0 || zone == zones_[node]) &&
                       scheduling::passes_node_predicates(placement_->predicates(), pod.pod_group,
                                                          node);
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

    void take_back(const Change& change) {
        switch (change.kind) {
            case Change::Kind::searched:
                start_[change.at] = static_cast<std::uint32_t>(change.before);
                return;
            case Change::Kind::assigned:
                on(change.tier).free.take(change.at, needs(change.pod_group), -1);
                return;
            case Change::Kind::closed:
                if (change.before > 0) {
                    const scheduling::Need all{.column = snapshot::pods_index,
                                               .amount = change.before};
                    on(change.tier).free.take(change.at, {&all, 1}, -1);
                }
                tier_of_[on(change.tier).nodes[change.at]] = change.tier;
                return;
        }
    }

    std::span<const scheduling::Need> needs(PodGroupIndex pod_group) const noexcept {
        return {&needs_[first_need_[pod_group]],
                first_need_[pod_group + 1] - first_need_[pod_group]};
    }
    Nodes& on(Tier tier) noexcept { return tiers_[static_cast<std::size_t>(tier)]; }

    const pass_context::PassContext* context_;
    scheduling::Placement* placement_;
    std::vector<Nodes> tiers_{};
    std::vector<Tier> tier_of_{};          // by node
    std::vector<std::uint32_t> row_of_{};  // by node
    std::vector<std::uint32_t> zones_{};   // by node
    std::vector<PodGroupIndex> equivalent_{};
    std::vector<std::uint32_t> first_need_{};
    std::vector<scheduling::Need> needs_{};
    // The row at which a search begins, by tier, zone and equivalent pod group: the rows before it
    // have no room.
    std::vector<std::uint32_t> start_{};
    std::uint32_t zone_count_ = 1;
    std::vector<Change> journal_{};
};

struct Relocation::DisplacedPod {
    PodIndex pod = 0;
    RelocatingPod relocating{};
    std::int64_t size = 0;
};

/// Where pods of a pod group may move.
struct Relocation::RelocationRule {
    ConstraintScope scope = ConstraintScope::per_node;
    bool stays_in_zone = false;
};

Relocation::Relocation(const pass_context::PassContext& context, scheduling::Placement& placement,
                       RemovalTiming timing, std::vector<NodeIndex> hints,
                       std::span<const NodeIndex> staying, std::span<const NodeIndex> undecided)
    : context_(&context),
      placement_(&placement),
      predicates_(&placement.predicates()),
      timing_(timing),
      destinations_(std::make_unique<Destinations>(context, placement, staying, undecided)),
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

Relocation::~Relocation() = default;

void Relocation::stay(NodeIndex node) { destinations_->stay(node); }

Relocation::Mark Relocation::mark() const noexcept {
    return {placement_->mark(), destinations_->mark(), moves_.size()};
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
            one.relocating.zone = destinations_->zone_of(context_->snapshot->cluster.pod(pod).node);
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
    const std::optional<NodeIndex> node = destinations_->assign(pod.relocating);
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
    destinations_->drain(node);
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
    if (timing_ == RemovalTiming::in_turn) destinations_->remove(node);
    return std::nullopt;
}

void Relocation::undo(const Mark& mark) {
    while (moves_.size() > mark.moves) {
        const Move move = moves_.back();
        moves_.pop_back();
        std::vector<PodIndex>& arrived = arrived_[where_[move.pod]];
        CAPSTAN_ASSERT(!arrived.empty() && arrived.back() == move.pod,
                       "a move is undone before later ones");
        arrived.pop_back();
        where_[move.pod] = move.before;
    }
    destinations_->undo(mark.destinations);
    placement_->undo(mark.placement);
}

}  // namespace capstan::engine::scale_down
