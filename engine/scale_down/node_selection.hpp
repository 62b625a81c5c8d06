/// Which of the unneeded nodes are removed now, and what the others wait for.
///
/// Being unneeded is not enough: the node has to be unneeded for its group's unneeded time, there
/// may be no cooldown, no pod that an earlier removal has evicted may still be pending or yet to be
/// replaced, and the number of removals under way is limited. The pods of each chosen node are
/// placed once more (chosen_nodes_check.hpp).
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/actions.hpp"
#include "engine/decision.hpp"
#include "engine/drainability/candidates.hpp"
#include "engine/memory.hpp"
#include "engine/scale_down/chosen_nodes_check.hpp"
#include "engine/scale_down/unneeded.hpp"

namespace capstan::engine::scale_down {

struct Selection {
    std::vector<RemovalUnit> units{};  ///< to remove now, in the order in which they begin
    /// By candidate: why it is not removed now. A needed candidate has no verdict here; of a chosen
    /// one only `because` is set.
    std::vector<UnremovableReason> verdicts{};
    std::string no_removals_because{};
    bool has_waiting = false;  ///< some nodes wait for nothing but their turn
    std::optional<Time> wake_at{};
    std::map<std::string, HeldBackNodes> held_back{};  ///< see PassFigures
};

/// `memory`: has the unneeded time of each unneeded node. `grows`: the increases of this pass.
/// `assigned`: the number of pending pods that found room on existing or upcoming nodes. `check`
/// has chosen the units of the selection afterwards.
Selection choose_nodes(const pass_context::PassContext& context,
                       const drainability::Candidates& candidates, const UnneededNodes& unneeded,
                       std::span<const Increase> grows, std::int64_t assigned, const Memory& memory,
                       ChosenNodesCheck& check);

}  // namespace capstan::engine::scale_down
