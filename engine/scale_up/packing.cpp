#include "engine/scale_up/packing.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include <capstan/assert.hpp>

namespace capstan::engine::scale_up {
namespace {

using Ratio = std::pair<std::int64_t, std::int64_t>;

/// The ratio of allocatable cpu to memory, in lowest terms: the size order depends on it alone.
Ratio ratio_of(const scheduling::TemplateNode& template_node) {
    const std::int64_t cpu = std::max<std::int64_t>(template_node.allocatable.amount("cpu"), 1);
    const std::int64_t memory =
        std::max<std::int64_t>(template_node.allocatable.amount("memory"), 1);
    const std::int64_t common = std::gcd(cpu, memory);
    return {cpu / common, memory / common};
}

}  // namespace

SizeOrders::SizeOrders(const scheduling::CompiledPredicates& predicates)
    : predicates_(&predicates) {
    sizes_.resize(predicates.pod_groups().size());
    for (PodGroupIndex s = 0; s < sizes_.size(); ++s) {
        for (const snapshot::Request& request : predicates.requests(s)) {
            if (request.resource == snapshot::cpu_index) sizes_[s].cpu = request.amount;
            if (request.resource == snapshot::memory_index) sizes_[s].memory = request.amount;
        }
    }
}

SizeOrder SizeOrders::of(TemplateNodeId template_node) {
    const Ratio ratio = ratio_of(predicates_->template_nodes()[template_node]);
    SizeOrder& order = by_ratio_[ratio];
    if (order != nullptr) return order;

    const double per_cpu = 1.0 / static_cast<double>(ratio.first);
    const double per_memory = 1.0 / static_cast<double>(ratio.second);
    std::vector<std::pair<double, PodGroupIndex>> scored(sizes_.size());
    for (PodGroupIndex s = 0; s < scored.size(); ++s) {
        // The greatest comes first when both parts ascend.
        scored[s] = {-(static_cast<double>(sizes_[s].cpu) * per_cpu +
                       static_cast<double>(sizes_[s].memory) * per_memory),
                     s};
    }
    std::ranges::sort(scored);
    std::vector<PodGroupIndex> pod_groups(scored.size());
    std::ranges::transform(scored, pod_groups.begin(),
                           [](const auto& pair) { return pair.second; });
    order = std::make_shared<const std::vector<PodGroupIndex>>(std::move(pod_groups));
    return order;
}

namespace {

/// The least cpu and memory that any demand from an index to the end of a list requests.
struct Least {
    std::int64_t cpu = std::numeric_limits<std::int64_t>::max();
    std::int64_t memory = std::numeric_limits<std::int64_t>::max();
};

std::vector<Least> least_from_each(const scheduling::CompiledPredicates& predicates,
                                   std::span<const Demand> demands) {
    std::vector<Least> least(demands.size() + 1);
    for (std::size_t i = demands.size(); i-- > 0;) {
        Least own{0, 0};
        for (const snapshot::Request& request : predicates.requests(demands[i].pod_group)) {
            if (request.resource == snapshot::cpu_index) own.cpu = request.amount;
            if (request.resource == snapshot::memory_index) own.memory = request.amount;
        }
        least[i] = {std::min(own.cpu, least[i + 1].cpu), std::min(own.memory, least[i + 1].memory)};
    }
    return least;
}

/// The first slot from `from` on that has room for the smallest pod. The slots before it never
/// will: room on a node only shrinks while packing.
scheduling::Slot skip_full(const scheduling::Placement& placement, scheduling::Slot from,
                           const Least& least) {
    // A pod that requests nothing of a resource fits even where daemons request more of it than
    // there is.
    const auto lacks = [&](scheduling::Slot slot, ResourceIndex resource, std::int64_t amount) {
        return amount > 0 && placement.free(slot, resource) < amount;
    };
    const auto is_full = [&](scheduling::Slot slot) {
        return lacks(slot, snapshot::cpu_index, least.cpu) ||
               lacks(slot, snapshot::memory_index, least.memory) ||
               lacks(slot, snapshot::pods_index, 1);
    };
    while (from < placement.slot_count() && is_full(from)) ++from;
    return from;
}

bool is_spread(const scheduling::CompiledPredicates& predicates, PodGroupIndex pod_group) {
    return !predicates.cluster().spread(predicates.pod_groups()[pod_group]).empty();
}

}  // namespace

bool Packing::is_passed_over(scheduling::Slot slot) const noexcept {
    return passed_over_ != nullptr && slot < passed_over_->size() && (*passed_over_)[slot];
}

int Packing::place_on_part(PodGroupIndex pod_group, scheduling::Slot slot, int nodes,
                           int per_node) {
    if (nodes < placement_->nodes(slot)) slot = placement_->split(slot, nodes);
    placement_->place(pod_group, slot, per_node);
    return nodes * per_node;
}

int Packing::place(PodGroupIndex pod_group, scheduling::Slot slot, const scheduling::Room& room,
                   int wanted) {
    CAPSTAN_ASSERT(room.per_node > 0, "pods are placed where none has room");
    const int pods = std::min(room.in_all, wanted);
    const int full = pods / room.per_node, rest = pods % room.per_node;
    if (full > 0) place_on_part(pod_group, slot, full, room.per_node);
    if (rest > 0) place_on_part(pod_group, slot, 1, rest);
    return pods;
}

int Packing::fill(PodGroupIndex pod_group, scheduling::Slot from, scheduling::Slot end,
                  int wanted) {
    const bool again = is_spread(placement_->predicates(), pod_group);
    int placed = 0;
    // With a spread constraint a pod may fit on an earlier slot once another domain has caught up,
    // so the slots are tried again until nothing changes.
    for (int before = -1; placed < wanted && placed != before;) {
        before = placed;
        for (scheduling::Slot slot = from; placed < wanted; ++slot) {
            const auto found = placement_->find_room(pod_group, slot, end, wanted - placed);
            if (!found) break;
            slot = found->slot;
            if (!is_passed_over(slot))
                placed += place(pod_group, slot, found->room, wanted - placed);
        }
        if (!again) break;
    }
    return placed;
}

int Packing::open_nodes(PodGroupIndex pod_group, Supply& supply, int nodes, int per_node) {
    if (nodes == 0 || per_node == 0) return 0;
    CAPSTAN_ASSERT(nodes <= supply.nodes, "more nodes are opened than are supplied");
    const scheduling::Slot slot = placement_->add(supply.template_node, nodes);
    supply.nodes -= nodes;
    placement_->place(pod_group, slot, per_node);
    return nodes * per_node;
}

int Packing::open_some(PodGroupIndex pod_group, Supply& supply, int wanted) {
    const scheduling::Placement::Mark mark = placement_->mark();
    const scheduling::Slot trial =
        placement_->add(supply.template_node, std::min(wanted, supply.nodes));
    const scheduling::Room room = placement_->room(pod_group, trial, wanted);
    placement_->undo(mark);
    if (room.in_all == 0) return 0;
    // Nodes opened one after the other each take as many pods as the first: the least count among
    // the hosts before it is the one that the first node saw, or the one it reached.
    return open_nodes(pod_group, supply, room.in_all / room.per_node, room.per_node) +
           open_nodes(pod_group, supply, 1, room.in_all % room.per_node);
}

int Packing::open(PodGroupIndex pod_group, std::span<Supply> supplies, int wanted) {
    int placed = 0;
    for (Supply& supply : supplies) {
        while (placed < wanted && supply.nodes > 0) {
            const int missing = placement_->missing_hosts(pod_group);
            const int most = missing > 0 ? std::min(missing, supply.nodes) : supply.nodes;
            Supply some{supply.template_node, most};
            const int more = open_some(pod_group, some, wanted - placed);
            supply.nodes -= most - some.nodes;
            placed += more;
            if (more == 0) break;
            if (missing > 0 && placement_->missing_hosts(pod_group) == 0) return placed;
        }
    }
    return placed;
}

bool Packing::pack_one(std::span<Supply> supplies, const Demand& demand, scheduling::Slot from,
                       int& placed) {
    const bool again = is_spread(placement_->predicates(), demand.pod_group);
    const int start = placed;
    for (int before = -1; placed < demand.count && placed != before;) {
        before = placed;
        const auto end = static_cast<scheduling::Slot>(placement_->slot_count());
        if (from < end) placed += fill(demand.pod_group, from, end, demand.count - placed);
        if (placed < demand.count)
            placed += open(demand.pod_group, supplies, demand.count - placed);
        // With a spread constraint, new nodes may let the nodes before them take more.
        if (!again) break;
    }
    return placed > start;
}

Packed Packing::pack(std::span<Supply> supplies, std::span<const Demand> demands) {
    const std::vector<Least> least = least_from_each(placement_->predicates(), demands);
    const auto first = static_cast<scheduling::Slot>(placement_->slot_count());
    std::vector<int> placed(demands.size(), 0);
    Packed packed;
    scheduling::Slot from = first;
    for (std::size_t i = 0; i < demands.size(); ++i) {
        from = skip_full(*placement_, from, least[i]);
        const bool may_open =
            std::ranges::any_of(supplies, [](const auto& s) { return s.nodes > 0; });
        if (!pack_one(supplies, demands[i], from, placed[i]) && may_open) {
            packed.refused.push_back(demands[i].pod_group);
        }
    }
    // A pod with inter-pod constraints may have been tried before the pods that it has to be near.
    const auto pack_late = [&](std::size_t i) {
        return placed[i] < demands[i].count &&
               placement_->predicates().has_inter_pod_constraints(demands[i].pod_group) &&
               pack_one(supplies, demands[i], first, placed[i]);
    };
    for (bool progress = true; progress;) {
        progress = false;
        for (std::size_t i = 0; i < demands.size(); ++i) progress = pack_late(i) || progress;
    }
    for (std::size_t i = 0; i < demands.size(); ++i) {
        CAPSTAN_ASSERT(placed[i] <= demands[i].count, "more pods are placed than were asked for");
        if (placed[i] > 0) packed.schedulable.push_back({demands[i].pod_group, placed[i]});
    }
    return packed;
}

}  // namespace capstan::engine::scale_up
