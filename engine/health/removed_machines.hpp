/// Machines without a node that clouds were asked to remove, for as long as the clouds may still
/// list them. (Machines with a node: Memory::removals.)
///
///     target 3, min 1; the cloud agrees to remove 2 machines    1 counts, nothing more is removed
///     the list still says 3 machines, target 3                  1 counts
///     the list lacks the machines                               the list counts
///     the cloud gives no answer to the removal of 2 machines    3 counts, but it is lowered by no
///                                                               more than if the 2 were gone
///     the list still has them after removal_listed_time         the list counts
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <vector>

#include "engine/actions.hpp"
#include "engine/decision.hpp"
#include "engine/memory.hpp"
#include "engine/snapshot.hpp"

namespace capstan::engine::health {

/// For how long a cloud may list a machine after it has removed it. A second request might lower
/// the target again, or end the machine's successor.
inline constexpr Duration removal_listed_time = std::chrono::minutes(2);

/// Before the clouds are asked: records the machines without a node as possibly removed. `groups`:
/// with the targets on which the removals were decided.
void expect_removals(Memory& memory, const std::vector<MachineRemoval>& removals,
                     std::span<const Group> groups, Time now);

/// After a decision was carried out: records which removals were agreed to, and forgets those that
/// were refused. To be called before anything else lowers the targets.
void remember_removed_machines(Memory& memory, const Decision& decision, const Results& results,
                               Time now);

/// At the start of a pass: forgets machines that `listed` does not have any more, and machines
/// whose time is over.
void update_removed_machines(Memory& memory, const Snapshot& listed, Time now);

/// The record of the machine; NULL: there is none. Borrows from `memory`.
const RemovedMachine* find_removed_machine(const Memory& memory, const NodeGroupId& group,
                                           const MachineId& machine) noexcept;

/// How many machines the group may have lost because of removals whose answer is not known.
int count_unanswered(const Memory& memory, const NodeGroupId& group) noexcept;

/// When the time of the next of these machines is over; absent: there is none.
std::optional<Time> next_removed_machine_end(const Memory& memory, Time now) noexcept;

}  // namespace capstan::engine::health
