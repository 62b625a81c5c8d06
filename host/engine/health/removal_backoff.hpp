/// Removals that failed, or that a cloud refused, are not tried again for a while:
///
///     fails at 0:00:00   ->  not tried again before 0:00:30
///     fails at 0:00:30   ->  not before 0:01:30, twice as long
///     and so on, up to Settings::backoff_max; Settings::backoff_reset without one: forgotten
///
/// Machines are backed off one by one, so that one which cannot go keeps no other.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "engine/actions.hpp"
#include "engine/decision.hpp"
#include "engine/memory.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"

namespace capstan::engine::health {

/// After the first failure of a machine that has no node, or of a decrease.
inline constexpr Duration first_removal_backoff = std::chrono::seconds(30);

/// What keeps the machine from being asked to go; NULL: nothing. Borrows from `memory`.
const RemovalBackoff* find_removal_backoff(const Memory& memory, const NodeGroupId& group,
                                           const MachineId& machine, Time now) noexcept;
/// What keeps all machines of the group from being asked to go: its cloud does not remove machines
/// at all. NULL: nothing.
const RemovalBackoff* find_unremovable(const Memory& memory, const NodeGroupId& group,
                                       Time now) noexcept;
/// Whether the group's target is not lowered now.
bool is_decrease_backed_off(const Memory& memory, const NodeGroupId& group, Time now) noexcept;

/// The removal of a machine failed: `first` is how long it is backed off if that was the first
/// failure in a row.
void back_off_removal(Memory& memory, const NodeGroupId& group, const MachineId& machine,
                      std::string because, Duration first, const Settings& settings, Time now);
/// The machine is backed off for just so long, or for longer where failures before say so. That is
/// no failure, and ends no row of them: the next one leaves it alone for longer than the last did.
void leave_machine_alone(Memory& memory, const NodeGroupId& group, const MachineId& machine,
                         std::string because, Duration length, Time now);

/// What clouds made of decreases, and of removals of machines without a node; what becomes of those
/// with one is removal/results.hpp's.
Memory remember_refused_removals(Memory memory, const Decision& decision, const Results& results,
                                 const Settings& settings, Time now);

/// Forgets what is long past, and what is about machines or groups that are listed no more.
void forget_removal_backoffs(Memory& memory, const Snapshot& snapshot, const Settings& settings,
                             Time now);
/// The first moment at which something may be tried again that may not now; nothing: there is none.
std::optional<Time> next_removal_backoff_end(const Memory& memory, Time now) noexcept;

/// "it is backed off for 2m more: pod shop/web-1 cannot be evicted: ... (3 times in a row)"
std::string why_left_alone(const RemovalBackoff& backoff, Time now);

}  // namespace capstan::engine::health
