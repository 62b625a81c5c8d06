#include "engine/scale_up/packing.hpp"

#include <algorithm>
#include <limits>

namespace capstan::engine {
namespace {

/// The least that any class from here to the end of a list asks for.
struct Least {
    std::int64_t cpu = std::numeric_limits<std::int64_t>::max();
    std::int64_t memory = std::numeric_limits<std::int64_t>::max();
};

std::vector<Least> least_from_each(const Rules& rules, std::span<const Demand> demands) {
    std::vector<Least> least(demands.size() + 1);
    for (std::size_t i = demands.size(); i-- > 0;) {
        Least own{0, 0};
        for (const Request& request : rules.requests(demands[i].subject)) {
            if (request.resource == cpu_index) own.cpu = request.amount;
            if (request.resource == memory_index) own.memory = request.amount;
        }
        least[i] = {std::min(own.cpu, least[i + 1].cpu), std::min(own.memory, least[i + 1].memory)};
    }
    return least;
}

/// The first slot that may still take one of the smallest. Those before it never will: room on a
/// node only shrinks while packing.
Slot skip_full(const Placement& placement, Slot from, const Least& least) {
    // Who asks for nothing of a resource does not mind that its daemons ask for more than there is.
    const auto lacks = [&](Slot slot, ResourceIndex resource, std::int64_t amount) {
        return amount > 0 && placement.free(slot, resource) < amount;
    };
    const auto is_full = [&](Slot slot) {
        return lacks(slot, cpu_index, least.cpu) || lacks(slot, memory_index, least.memory) ||
               lacks(slot, pods_index, 1);
    };
    while (from < placement.slot_count() && is_full(from)) ++from;
    return from;
}

bool is_spread(const Rules& rules, Subject subject) {
    return !rules.cluster().spread(rules.subjects()[subject]).empty();
}

}  // namespace

bool Packing::is_passed_over(Slot slot) const noexcept {
    return passed_over_ != nullptr && slot < passed_over_->size() && (*passed_over_)[slot];
}

int Packing::place_on_part(Subject subject, Slot slot, int nodes, int per_node) {
    if (nodes < placement_->nodes(slot)) slot = placement_->split(slot, nodes);
    placement_->place(subject, slot, per_node);
    return nodes * per_node;
}

int Packing::place(Subject subject, Slot slot, const Room& room, int wanted) {
    const int pods = std::min(room.in_all, wanted);
    const int full = pods / room.per_node, rest = pods % room.per_node;
    if (full > 0) place_on_part(subject, slot, full, room.per_node);
    if (rest > 0) place_on_part(subject, slot, 1, rest);
    return pods;
}

int Packing::fill(Subject subject, Slot from, Slot end, int wanted) {
    const bool again = is_spread(placement_->rules(), subject);
    int placed = 0;
    // A pod that is spread may find a door open that was shut before it: one domain waits for the
    // next to catch up.
    for (int before = -1; placed < wanted && placed != before;) {
        before = placed;
        for (Slot slot = from; placed < wanted; ++slot) {
            const auto found = placement_->find_room(subject, slot, end, wanted - placed);
            if (!found) break;
            slot = found->slot;
            if (!is_passed_over(slot)) placed += place(subject, slot, found->room, wanted - placed);
        }
        if (!again) break;
    }
    return placed;
}

int Packing::open_nodes(Subject subject, Supply& supply, int nodes, int per_node) {
    if (nodes == 0 || per_node == 0) return 0;
    const Slot slot = placement_->add(supply.shape, nodes);
    supply.nodes -= nodes;
    placement_->place(subject, slot, per_node);
    return nodes * per_node;
}

int Packing::open_some(Subject subject, Supply& supply, int wanted) {
    const Placement::Mark mark = placement_->mark();
    const Slot trial = placement_->add(supply.shape, std::min(wanted, supply.nodes));
    const Room room = placement_->room(subject, trial, wanted);
    placement_->undo(mark);
    if (room.in_all == 0) return 0;
    // Opened one after the other, each takes as many as the first: the least on those before it is
    // what the first saw, or what the first took.
    return open_nodes(subject, supply, room.in_all / room.per_node, room.per_node) +
           open_nodes(subject, supply, 1, room.in_all % room.per_node);
}

int Packing::open(Subject subject, std::span<Supply> supplies, int wanted) {
    int placed = 0;
    for (Supply& supply : supplies) {
        while (placed < wanted && supply.nodes > 0) {
            const int missing = placement_->missing_hosts(subject);
            const int most = missing > 0 ? std::min(missing, supply.nodes) : supply.nodes;
            Supply some{supply.shape, most};
            const int more = open_some(subject, some, wanted - placed);
            supply.nodes -= most - some.nodes;
            placed += more;
            if (more == 0) break;
            if (missing > 0 && placement_->missing_hosts(subject) == 0) return placed;
        }
    }
    return placed;
}

bool Packing::pack_one(std::span<Supply> supplies, const Demand& demand, Slot from, int& placed) {
    const bool again = is_spread(placement_->rules(), demand.subject);
    const int start = placed;
    for (int before = -1; placed < demand.count && placed != before;) {
        before = placed;
        const auto end = static_cast<Slot>(placement_->slot_count());
        if (from < end) placed += fill(demand.subject, from, end, demand.count - placed);
        if (placed < demand.count) placed += open(demand.subject, supplies, demand.count - placed);
        // Nodes opened for pods that are spread may let others take more.
        if (!again) break;
    }
    return placed > start;
}

Packed Packing::pack(std::span<Supply> supplies, std::span<const Demand> demands) {
    const std::vector<Least> least = least_from_each(placement_->rules(), demands);
    const auto first = static_cast<Slot>(placement_->slot_count());
    std::vector<int> placed(demands.size(), 0);
    Packed packed;
    Slot from = first;
    for (std::size_t i = 0; i < demands.size(); ++i) {
        from = skip_full(*placement_, from, least[i]);
        const bool may_open =
            std::ranges::any_of(supplies, [](const auto& s) { return s.nodes > 0; });
        if (!pack_one(supplies, demands[i], from, placed[i]) && may_open) {
            packed.refused.push_back(demands[i].subject);
        }
    }
    // Who looks at other pods may have come before those it wants to see.
    const auto pack_late = [&](std::size_t i) {
        return placed[i] < demands[i].count &&
               placement_->rules().looks_at_pods(demands[i].subject) &&
               pack_one(supplies, demands[i], first, placed[i]);
    };
    for (bool progress = true; progress;) {
        progress = false;
        for (std::size_t i = 0; i < demands.size(); ++i) progress = pack_late(i) || progress;
    }
    for (std::size_t i = 0; i < demands.size(); ++i) {
        if (placed[i] > 0) packed.helped.push_back({demands[i].subject, placed[i]});
    }
    return packed;
}

}  // namespace capstan::engine
