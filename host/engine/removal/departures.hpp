/// Which emptied nodes' machines are asked to go now, and with which others in one call.
///
/// Clouds count calls, and most of them remove many machines of a group in one. So a removal that
/// is ready waits for the batch interval, counted from the first of its group, and all that are
/// ready by then go together.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/actions.hpp"
#include "engine/memory.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"

namespace capstan::engine::removal {

/// Has removals that are `ready` (in phase `delayed`, by node) enter `deleting`: those of a group
/// together once the first of them has waited for the batch interval, those of a zero-or-max group
/// once none of the group's removals is behind. `wake_at`: when the next batch is due.
void depart(const Snapshot& snapshot, const std::set<std::string>& ready, Memory& memory,
            const ScaleDownSettings& settings, Time now, std::optional<Time>& wake_at);

/// One for each group and cause of the removals in `deleting`; all of a zero-or-max group in one.
std::vector<MachineRemoval> make_machine_removals(const Snapshot& snapshot, const Memory& memory);

}  // namespace capstan::engine::removal
