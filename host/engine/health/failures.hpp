/// Machines that failed, or took longer than they may.
#pragma once

#include <set>

#include <capstan/ids.hpp>

#include "engine/health/figures.hpp"
#include "engine/memory.hpp"
#include "engine/settings.hpp"

namespace capstan::engine {

/// Notes the machines of one group that have failed, and backs it off where one is not among
/// `known`, those of the pass before: all new ones are one failure. A machine that is overdue
/// counts only while something is asked for: nobody waits for it otherwise.
void follow_failures(Memory& memory, const GroupFigures& group, const std::set<MachineId>& known,
                     const Settings& settings, Time now);

/// Notes since when machines have no node, and when they were launched, which is
/// after their group was asked for them. Those that a cloud has not begun have all the time there
/// is while their group is backed off until one joins, and begin to be timed when it ends.
void time_machines(Memory& memory, const GroupFigures& group, const PassTime& time);

}  // namespace capstan::engine
