/// Plans scale-down: which nodes are removed now, and why the others are not.
///
/// First all unneeded nodes are found (unneeded.hpp): nodes whose pods would run elsewhere, and
/// which no minimum or budget keeps. Of these, node_selection.hpp chooses the nodes that have been
/// unneeded for long enough, as far as cooldowns and the number of removals under way allow.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "engine/decision.hpp"
#include "engine/drainability/candidates.hpp"
#include "engine/memory.hpp"
#include "engine/pass_context/pass_context.hpp"
#include "engine/scheduling/placement.hpp"

namespace capstan::engine::scale_down {

/// A node to remove now.
struct ChosenNode {
    std::size_t candidate = 0;  ///< index into Candidates::nodes
    RemovalCause cause = RemovalCause::underutilized;
    std::string because{};  ///< "unneeded for 10m; its 3 pods fit on node-2, node-5"
    PodPlaces places{};     ///< where its pods move
};

struct ScaleDown {
    std::vector<ChosenNode> chosen{};  ///< in the order in which they begin
    std::vector<NodeVerdict> nodes{};  ///< every node of the cluster, by name
    std::string no_removals_because{};
    /// Nodes that may be removed soon and are neither chosen nor being removed: they get soft
    /// taints. These are the unneeded nodes, and those that wait only for a budget.
    std::vector<std::string> soft_taint_nodes{};
    /// Groups that a repair of this pass makes smaller: only the next pass knows their size.
    std::set<NodeGroupId> groups_under_repair{};
    bool has_waiting = false;       ///< some nodes wait for nothing but their turn
    std::optional<Time> wake_at{};  ///< when time alone lets another node be removed
    // See PassFigures.
    std::map<std::string, int> at_minimum{};
    std::map<std::string, HeldBackNodes> held_back{};
    bool looked_at_nodes = false;
};

/// `placement`: the existing and upcoming nodes with the pending pods that fit on them, without the
/// increases of this pass; its predicates include the pod groups of the candidates' pods. It is
/// unchanged afterwards. `increases`: of this pass. Moves the verdicts of `candidates.others` into
/// the plan. Updates the unneeded times and hints of `memory`.
ScaleDown plan_scale_down(const pass_context::PassContext& context,
                          scheduling::Placement& placement, drainability::Candidates& candidates,
                          pods::DisruptionBudgets budgets, std::span<const Increase> increases,
                          Memory& memory);

}  // namespace capstan::engine::scale_down
