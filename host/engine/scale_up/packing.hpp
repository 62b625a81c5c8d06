/// Puts pods on nodes class by class, in the first places that have room.
#pragma once

#include <span>
#include <vector>

#include "engine/scale_up/estimate.hpp"
#include "engine/scheduling/placement.hpp"

namespace capstan::engine {

/// New nodes of a shape that may be opened.
struct Supply {
    ShapeId shape = 0;
    int nodes = 0;
    bool operator==(const Supply&) const = default;
};

/// What came of packing a list of classes.
struct Packed {
    std::vector<Demand> helped{};    ///< in the order of the list, none of zero
    std::vector<Subject> refused{};  ///< not even an empty node has room for one of these
};

/// Borrows its arguments.
class Packing {
public:
    /// `passed_over` by slot: those that take no pod; NULL: none.
    explicit Packing(Placement& placement, const std::vector<bool>* passed_over = nullptr)
        : placement_(&placement), passed_over_(passed_over) {}

    /// Puts pods on slots of [from, end), in order, until none has room or `wanted` are placed;
    /// what is placed is the answer. A slot of which only some nodes are needed is split.
    int fill(Subject subject, Slot from, Slot end, int wanted);
    /// Opens nodes as the pods need them, each with the pods it takes before the next, and takes
    /// them off the supplies, in their order; never an empty one. What is placed is the answer. It
    /// ends early once there are as many nodes as a minDomains asks for: those before have room
    /// again.
    int open(Subject subject, std::span<Supply> supplies, int wanted);
    /// Each of `demands` in its turn fills the nodes that were opened since the call began, then
    /// opens more of `supplies`, in their order.
    Packed pack(std::span<Supply> supplies, std::span<const Demand> demands);

private:
    bool pack_one(std::span<Supply> supplies, const Demand& demand, Slot from, int& placed);
    int place(Subject subject, Slot slot, const Room& room, int wanted);
    int place_on_part(Subject subject, Slot slot, int nodes, int per_node);
    int open_some(Subject subject, Supply& supply, int wanted);
    int open_nodes(Subject subject, Supply& supply, int nodes, int per_node);

    bool is_passed_over(Slot slot) const noexcept;

    Placement* placement_;
    const std::vector<bool>* passed_over_;
};

}  // namespace capstan::engine
