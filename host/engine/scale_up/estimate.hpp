/// How many new nodes of one shape a set of pods needs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/scheduling/placement.hpp"

namespace capstan::engine {

struct Demand {
    Subject subject = 0;
    int count = 0;
    bool operator==(const Demand&) const = default;
};

struct Estimate {
    int nodes = 0;                 ///< nodes that hold at least one of the pods
    std::vector<Demand> helped{};  ///< ascending by subject, none of zero
    bool operator==(const Estimate&) const = default;
};

/// Packs as many of `pods` as it can on new nodes of `shape`, largest first: each class fills the
/// nodes opened before it, then opens more. Larger is the sum of the shares of allocatable cpu and
/// memory; a tie goes to the lower subject. Never opens a node that nothing would be put on, nor
/// more than `max_nodes`. The new nodes with their pods stay in `placement`, as slots from the
/// former slot_count() on; undo takes them away.
///     50,000 pods of 50m and 1,000 of 95m on nodes of 1000m, 100 pods each  ->  2,595 nodes
Estimate estimate(Placement& placement, ShapeId shape, std::span<const Demand> pods, int max_nodes);

}  // namespace capstan::engine
