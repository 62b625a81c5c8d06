/// Which of the unneeded nodes go now, and what the others wait for.
///
/// Being unneeded is not enough: a node has to be so for its group's unneeded time, no cool-down
/// may last, and only so many removals may be under way. Nodes whose turn it is are placed once
/// more one after the other, for the plan let all of them go and now only some do.
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
    std::vector<RemovalUnit> units{};  ///< that go, in the order in which they are to begin
    std::vector<Keep> verdicts{};      ///< by candidate; those that are needed have none
    std::string no_removals_because{};
    bool has_waiting = false;  ///< nodes that could go but for the removals under way
    std::optional<Time> wake_at{};
};

/// Asked of each unit whose turn it is, once, in the order in which they begin: a pod that finds no
/// place while all but those before it are still there; nothing: the unit goes.
using FindUnplaceable = std::function<std::optional<snapshot::PodIndex>(const RemovalUnit&)>;

/// `memory` knows since when each of them has been unneeded. `assigned`: waiting pods that found
/// room on what there is.
Selection choose_nodes(const pass_context::PassContext& context,
                       const drainability::Candidates& candidates, const UnneededNodes& unneeded,
                       std::span<const Increase> grows, std::int64_t assigned, const Memory& memory,
                       const FindUnplaceable& find_unplaceable);

}  // namespace capstan::engine::scale_down
