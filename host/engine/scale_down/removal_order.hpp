/// In which order nodes are to go.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/memory.hpp"
#include "engine/scale_down/candidates.hpp"
#include "engine/scale_up/scene.hpp"

namespace capstan::engine {

/// Candidates that go together or not at all, by their index.
struct RemovalUnit {
    std::vector<std::size_t> candidates{};
    bool whole = false;  ///< a group that is only ever empty or full
};

/// Whole groups first, by id; then empty nodes; then those that could go already in the pass
/// before, so that a plan does not change without need; then those whose pods' budgets allow all to
/// go at once; then the fewest pods and the least used. Among equals the one whose zone has the
/// most nodes of its machine type, so that zones stay even; then by name.
std::vector<RemovalUnit> removal_order(const Scene& scene, const Candidates& candidates,
                                       const Memory& memory);

}  // namespace capstan::engine
