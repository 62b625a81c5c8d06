/// Which nodes go: where each candidate's pods would run instead, for how long it has been
/// unneeded, and whether minima, budgets, cooldowns and the number of removals under way let it go
/// now.
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

/// A node that is to go now.
struct ChosenNode {
    std::size_t candidate = 0;  ///< index into Candidates::nodes
    RemovalCause cause = RemovalCause::underutilized;
    std::string because{};  ///< "unneeded for 10m; its 3 pods fit on node-2 and node-5"
};

struct ScaleDown {
    std::vector<ChosenNode> chosen{};  ///< in the order in which they are to begin
    std::vector<NodeVerdict> nodes{};  ///< every node of the cluster, by name
    std::string no_removals_because{};
    /// Nodes that are unneeded and not yet chosen or under way, by name: for soft taints.
    std::vector<std::string> soft{};
    /// Groups whose size this pass puts right: what is left of them only the next pass knows.
    std::set<NodeGroupId> settling{};
    bool has_waiting = false;       ///< nodes could go but for the removals under way
    std::optional<Time> wake_at{};  ///< when time alone lets another node go
    // See PassFigures.
    std::map<std::string, int> at_minimum{};
    bool looked_at_nodes = false;
};

/// `placement`: nodes as the pass finds them, pending pods that fit on them assigned, nothing of
/// this pass's increases; its rules know the candidates' classes. Comes back as it was. `grows`:
/// what this pass asks for. The other nodes of `candidates` move into the plan. Updates the timers
/// and hints of `memory`.
ScaleDown plan_scale_down(const pass_context::PassContext& context,
                          scheduling::Placement& placement, drainability::Candidates& candidates,
                          pods::DisruptionBudgets budgets, std::span<const Increase> grows,
                          Memory& memory);

}  // namespace capstan::engine::scale_down
