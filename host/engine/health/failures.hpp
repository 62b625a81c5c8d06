/// Back-off by machine type and zone: what one group found out spares others the same.
#pragma once

#include <optional>
#include <set>

#include <capstan/ids.hpp>

#include "engine/health/group_counts.hpp"
#include "engine/memory.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"

namespace capstan::engine::health {

/// The make of a group's new machines, where its cloud describes just one in one zone.
std::optional<InstanceOffering> find_make(const Group& group);

/// After `group` was backed off: makes of which one of its machines says that its cloud has none
/// left (`out_of_capacity`) are backed off for as long.
void back_off_makes(Memory& memory, const Group& group, const Settings& settings);

/// Forgets those that have ended, by time or with the back-off of the group that found out.
void forget_make_backoffs(Memory& memory, const Settings& settings, Time now);

// Machines that failed, or took longer than they may.

/// Notes the machines of one group that have failed, and backs it off where one is not among
/// `known`, those of the pass before: all new ones are one failure. A machine that is overdue
/// counts only while the group has an open request: no pod waits for the machine otherwise.
void follow_failures(Memory& memory, const GroupCounts& group, const std::set<MachineId>& known,
                     const Settings& settings, Time now);

/// Notes since when machines have no node, and when they were launched, which is
/// after their group was asked for them. Those that a cloud has not begun have all the time there
/// is while their group is backed off until one joins, and begin to be timed when it ends.
void time_machines(Memory& memory, const GroupCounts& group, const PassTime& time);

}  // namespace capstan::engine::health
