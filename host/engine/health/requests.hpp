/// What groups were asked for, and what became of it.
#pragma once

#include <optional>
#include <set>
#include <string>

#include <capstan/ids.hpp>

#include "engine/actions.hpp"
#include "engine/decision.hpp"
#include "engine/health/group_counts.hpp"
#include "engine/memory.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"

namespace capstan::engine::health {

/// Remembers an increase as a request before its cloud is asked: to a host that starts again before
/// the answer was written down, the machines that come were requested at `now`.
void expect_request(Memory& memory, const Increase& increase, const Settings& settings, Time now);

/// Whether the group is asked again for the one machine that its back-off waits for, which is then
/// no request of its own: the back-off goes on, and the machine has all the time there is. Before
/// its cloud is asked, too.
bool keep_asked_for(Memory& memory, const NodeGroupId& group);
/// Where the decrease takes back also the one machine that a back-off keeps asked for: the back-off
/// goes on without it. Also before its cloud is asked, as expect_request.
void remember_given_back(Memory& memory, const Decrease& decrease);

/// Increases that were taken become requests, those that were refused back-offs. Also looks at
/// decreases and at removals of machines that have no node.
Memory remember_sizes(Memory memory, const Decision& decision, const Results& results,
                      const Settings& settings, Time now);

/// Follows the request of one group at the start of a pass:
///
///     nothing is outstanding                   finished; a back-off until a machine joins ends
///     outstanding after the deadline           timed out: the group is backed off
///     something on its way that no request and
///     no back-off accounts for                 a request, from this pass on
///
/// Where a request was given back to the limits, nothing outstanding ends no back-off; one node
/// more does. Answers how many machines are to be taken back at once; where one stays asked for the
/// size says that (sizes.hpp), and the answer is none.
int follow_request(Memory& memory, const GroupCounts& group, const Settings& settings, Time now);

/// `count` machines of the request will not come.
void lower_request(Memory& memory, const NodeGroupId& group, int count);

/// How the group is backed off when machines fail now: until one joins only where one may.
BackoffPolicy policy_of(const GroupCounts& group, const Memory& memory, const Settings& settings,
                        Time now) noexcept;

// Back-off by machine type and zone: what one group found out spares others the same.

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
