/// Which of the unneeded nodes are removed now, and what the others wait for.
///
/// Being unneeded is not enough: the node has to be unneeded for its group's unneeded time, there
/// may be no cooldown, and the number of removals under way is limited. The pods of each chosen
/// node are placed once more, because the plan removed all unneeded nodes and now only some are
/// removed.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/actions.hpp"
#include "engine/drainability/candidates.hpp"
#include "engine/memory.hpp"
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
};

/// Called once for each unit that is to begin, in their order. Returns a pod of the unit that finds
/// no place after the units before it were removed, with all other nodes still there; absent: the
/// unit can be removed.
using FindUnplaceable = std::function<std::optional<PodIndex>(const RemovalUnit&)>;

/// `memory`: has the unneeded time of each unneeded node. `grows`: the increases of this pass.
/// `assigned`: the number of pending pods that found room on existing or upcoming nodes.
Selection choose_nodes(const pass_context::PassContext& context,
                       const drainability::Candidates& candidates, const UnneededNodes& unneeded,
                       std::span<const Increase> grows, std::int64_t assigned, const Memory& memory,
                       const FindUnplaceable& find_unplaceable);

}  // namespace capstan::engine::scale_down
