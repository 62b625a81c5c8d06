/// What a Placement is made of.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/scheduling/allowances.hpp"
#include "engine/scheduling/capacity_tree.hpp"
#include "engine/scheduling/compiled.hpp"
#include "engine/scheduling/placement.hpp"
#include "engine/scheduling/tally.hpp"

namespace capstan::engine {

inline constexpr ShapeId no_shape = ~ShapeId{0};
inline constexpr std::uint32_t no_record = ~std::uint32_t{0};

struct SlotFacts {
    int nodes = 1;
    ProfileId profile = 0;
    ShapeId shape = no_shape;  ///< no_shape: a node of the cluster
    bool closed = false;
    std::uint32_t last_placed = no_record;  ///< the youngest record of pods placed here
};

/// One change, with what is needed to take it back. Records of pods on a slot are chained, so that
/// what is on it is found without a search.
struct Record {
    enum class Kind : std::uint8_t { placed, added, split, closed, allowances };
    Kind kind = Kind::placed;
    Slot slot = 0;
    std::uint32_t other = 0;  ///< placed: the record before it on the slot; split: where from
    Subject subject = 0;
    int count = 0;  ///< placed: per node; split: nodes
};

struct Placement::State {
    explicit State(const Rules::Compiled& the_rules);

    Slot add(ShapeId shape, int nodes);
    Slot split(Slot from, int nodes);
    void close(Slot slot);
    void place(Subject subject, Slot slot, int per_node);
    void allow(Subject subject, std::uint32_t domain, int pods);
    void disallow(Subject subject);
    void undo(std::size_t mark);

    Room room(Subject subject, Slot slot, int wanted) const;
    Refusal why_not(Subject subject, Slot slot, Wording wording) const;
    /// Of the subject's static demand on nodes like those of the slot.
    Predicate verdict(Subject subject, Slot slot) const {
        return rules->demands.verdict(rules->demand_of[subject], slots[slot].profile);
    }

    const Rules::Compiled* rules;
    std::vector<SlotFacts> slots;
    CapacityTree capacity;
    Tally tally;  ///< has slots only where some counter counts
    Allowances allowances;
    std::vector<Record> log;

    Tally::Place place_of(Slot slot) const noexcept {
        return {.slot = slot,
                .profile = slots[slot].profile,
                .nodes = slots[slot].nodes,
                .open = is_open(slot)};
    }
    /// Nodes to come are opened by the first pod that is put on them.
    bool is_open(Slot slot) const noexcept {
        return slots[slot].shape == no_shape || slots[slot].last_placed != no_record;
    }
    std::optional<int> attach_limit(Slot slot, std::uint32_t driver) const noexcept;
    /// Place of the profile's nodes among the domains that the subject is spread over; nothing: in
    /// none. Only for subjects with one wide constraint.
    std::optional<std::uint32_t> spread_domain(Subject subject, ProfileId profile) const noexcept;

private:
    bool counts() const noexcept { return rules->pods.counters.size() != 0; }
    void put(Subject subject, Slot slot, int per_node);
    /// Takes what is on a slot's nodes off all counters, or puts it back.
    void count_all_on(Slot slot, int times);
    void take_back(const Record& record);
    void drop_last_slot();
};

}  // namespace capstan::engine
