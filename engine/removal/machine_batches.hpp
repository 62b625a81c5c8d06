/// Batches the removal of machines: the machines of which drained nodes are removed now, and which
/// of them in one call.
///
/// Clouds limit the rate of calls, and most clouds can remove many machines of a group in one call.
/// So a removal that is ready waits for the batch interval, counted from the first one of its
/// group, and all that are ready by then are removed together.
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

/// Moves the removals of the nodes in `ready` from phase `delayed` to `deleting`: those of a group
/// together once the first of them has waited for the batch interval, those of a zero-or-max group
/// once all of its removals are ready. `wake_at`: when the next batch is due.
void start_deleting(const Snapshot& snapshot, const std::set<std::string>& ready, Memory& memory,
                    const ScaleDownSettings& settings, Time now, std::optional<Time>& wake_at);

/// The removals in phase `deleting`, one action for each group and cause; all machines of a
/// zero-or-max group are in one action.
std::vector<MachineRemoval> make_machine_removals(const Snapshot& snapshot, const Memory& memory);

}  // namespace capstan::engine::removal
