/// What a Placement is made of.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/scheduling/capacity_tree.hpp"
#include "engine/scheduling/compiled.hpp"
#include "engine/scheduling/placement.hpp"

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
    enum class Kind : std::uint8_t { placed, added, split, closed };
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
    void undo(std::size_t mark);

    Room room(Subject subject, Slot slot, int wanted) const;
    Refusal why_not(Subject subject, Slot slot) const;
    /// Of the subject's static demand on nodes like those of the slot.
    Predicate verdict(Subject subject, Slot slot) const {
        return rules->demands.verdict(rules->demand_of[subject], slots[slot].profile);
    }

    const Rules::Compiled* rules;
    std::vector<SlotFacts> slots;
    CapacityTree capacity;
    std::vector<Record> log;

private:
    void put(Subject subject, Slot slot, int per_node);
    void take_back(const Record& record);
};

}  // namespace capstan::engine
