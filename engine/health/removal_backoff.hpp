/// Backs off removals that failed or that a cloud refused: they are not tried again for a while.
///
///     fails at 0:00:00   ->  not tried again before 0:00:30
///     fails at 0:00:30   ->  not tried again before 0:01:30, twice as long
///     and so on, up to Settings::backoff_max; forgotten Settings::backoff_reset after the end
///
/// Machines are backed off one by one, so that a machine that cannot be removed does not block the
/// removal of others.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "engine/actions.hpp"
#include "engine/decision.hpp"
#include "engine/memory.hpp"
#include "engine/pass_time.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"

namespace capstan::engine::health {

/// The length of the back-off after a first failure, for machines without a node and for decreases.
inline constexpr Duration first_removal_backoff = std::chrono::seconds(30);

/// The back-off that keeps the machine from being removed; NULL: there is none. Borrows from
/// `memory`.
const RemovalBackoff* find_removal_backoff(const Memory& memory, const NodeGroupId& group,
                                           const MachineId& machine, Time now) noexcept;
/// The back-off that keeps all machines of the group from being removed, because its cloud does not
/// remove single machines; NULL: there is none. Borrows from `memory`.
const RemovalBackoff* find_unremovable(const Memory& memory, const NodeGroupId& group,
                                       Time now) noexcept;
/// The same for machines that are to be replaced (MachineRemoval::keep_target).
const RemovalBackoff* find_unreplaceable(const Memory& memory, const NodeGroupId& group,
                                         Time now) noexcept;
/// Whether the group's target is not to be lowered now.
bool is_decrease_backed_off(const Memory& memory, const NodeGroupId& group, Time now) noexcept;

/// The removal of a machine failed. `first`: the length of the back-off if this is the first
/// failure in a row.
void back_off_removal(Memory& memory, const NodeGroupId& group, const MachineId& machine,
                      std::string because, Duration first, const Settings& settings, Time now);
/// Backs the machine off for `length`, unless it is backed off for longer already. This does not
/// count as a failure, and it does not end a row of failures: the next failure doubles the length
/// of the last one.
void postpone_removal(Memory& memory, const NodeGroupId& group, const MachineId& machine,
                      std::string because, Duration length, Time now);
/// The same, but only while the machine's node has pods that a removal would move.
void postpone_drain(Memory& memory, const NodeGroupId& group, const MachineId& machine,
                    std::string because, Duration length, Time now);

/// Takes the results of decreases, and of removals of machines without a node. For machines with a
/// node see removal/results.hpp.
Memory remember_refused_removals(Memory memory, const Decision& decision, const Results& results,
                                 const Settings& settings, Time now);

/// Forgets back-offs that are long past, and back-offs of machines or groups that are not listed
/// any more.
void forget_removal_backoffs(Memory& memory, const Snapshot& snapshot, const Settings& settings,
                             Time now);
/// The first end of a back-off that has not passed; absent: there is none.
std::optional<Time> next_removal_backoff_end(const Memory& memory, Time now) noexcept;

/// "removal backed off until 03:02:10Z (2m left): pod shop/web-1 cannot be evicted: ... (3 times in
/// a row)"
std::string why_removal_backed_off(const RemovalBackoff& backoff, const PassTime& time);

}  // namespace capstan::engine::health
