/// Which nodes are unneeded: they could all be removed, one after another, and every pod would have
/// a place.
///
/// Candidates are tried in the order of removal_order.hpp. Each is removed from the simulated
/// cluster, and its pods, together with pods that moved to it before, are placed on nodes that stay
/// or are undecided. If a pod finds no place, or a minimum or a disruption budget forbids it, the
/// step is undone and the node stays. So one walk over the candidates decides for all of them
/// together, and no two nodes count on each other's room. A node that waits for the next attempt
/// after a failed removal takes pods only if no other node does, since these pods would soon be
/// moved again. Nodes that wait for a budget are removed after all others in the same way, so pods
/// move to none of those that can go.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/decision.hpp"
#include "engine/drainability/candidates.hpp"
#include "engine/memory.hpp"
#include "engine/pass_context/pass_context.hpp"
#include "engine/scale_down/removal_order.hpp"
#include "engine/scheduling/placement.hpp"

namespace capstan::engine::scale_down {

/// Why a node is not removed.
struct UnremovableReason {
    Unremovable reason = Unremovable::none;
    std::string because{};  ///< one sentence with numbers
    std::string pod{};      ///< "namespace/name" of the pod that keeps the node; empty: none does
    std::string total{};    ///< "cpu": the cluster minimum that keeps the node; empty: none does
};

struct UnneededNodes {
    std::vector<RemovalUnit> units{};  ///< unneeded, in the order of removal_order
    /// By candidate: why it is needed; absent: it is unneeded.
    std::vector<std::optional<UnremovableReason>> kept{};
    /// Candidates that are kept only because earlier removals use up a disruption budget. All of
    /// them could be removed after these, and every pod would have a place. No pod moves to them.
    std::vector<std::size_t> short_of_budget{};
    /// By candidate: the nodes to which its pods would move, ascending.
    std::vector<std::vector<NodeIndex>> to{};
    /// By pod: the node to which it would move; no_node: it does not move.
    std::vector<NodeIndex> place_of{};
};

/// Whether the node was unneeded when its removal failed, and is removed again soon.
bool waits_for_retry(const pass_context::PassContext& context, const Memory& memory,
                     NodeIndex node);

/// `placement` is unchanged afterwards. A node with pending pods assigned to it is needed.
UnneededNodes find_unneeded(const pass_context::PassContext& context,
                            scheduling::Placement& placement,
                            const drainability::Candidates& candidates,
                            pods::DisruptionBudgets budgets, const Memory& memory);

/// Stores hints for the next pass: for the pods of the first units, which will be removed first.
void remember_hints(const UnneededNodes& unneeded, const pass_context::PassContext& context,
                    const drainability::Candidates& candidates, Memory& memory);

}  // namespace capstan::engine::scale_down
