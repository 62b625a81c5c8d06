/// Which nodes are unneeded: all of them could go at once, and every pod would have a place.
///
/// Candidates are taken in the order of removal_order.hpp. Each is taken away from the simulated
/// cluster, and its pods, with those that moved to it before, are placed on nodes that stay or are
/// undecided. If one finds no place, or a minimum or a disruption budget forbids it, the step is
/// undone and the node stays. So one walk over the candidates decides for all of them together, and
/// no two nodes count on each other's room.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/drainability/candidates.hpp"
#include "engine/memory.hpp"
#include "engine/scale_down/min_size_limits.hpp"
#include "engine/scale_down/relocation.hpp"
#include "engine/scale_down/removal_order.hpp"

namespace capstan::engine::scale_down {

struct UnneededNodes {
    std::vector<RemovalUnit> units{};         ///< those that are not needed, in order
    std::vector<std::optional<Keep>> kept{};  ///< by candidate; nothing: it is not needed
    std::vector<std::vector<snapshot::NodeIndex>>
        to{};  ///< by candidate: where its pods would go, ascending
    std::vector<snapshot::NodeIndex> place_of{};  ///< by pod: where it would go; no_node: nowhere
};

/// As `placement` finds things, which comes back as it was; pods assigned on a node keep it.
UnneededNodes find_unneeded(const pass_context::PassContext& context,
                            scheduling::Placement& placement,
                            const drainability::Candidates& candidates,
                            pods::DisruptionBudgets budgets, const Memory& memory);

/// Hints for the next pass: of the first nodes in order, since those will go first.
void remember_hints(const UnneededNodes& unneeded, const pass_context::PassContext& context,
                    const drainability::Candidates& candidates, Memory& memory);

}  // namespace capstan::engine::scale_down
