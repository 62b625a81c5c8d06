/// Requests for machines: those under way, those that timed out, and the back-offs that follow.
#pragma once

#include <cstddef>
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

/// Records an increase as a request before its cloud is asked. If the host stops before the answer
/// is saved, the machines that come count as requested at `now`.
void expect_request(Memory& memory, const Increase& increase, const Settings& settings, Time now);

/// A group that is backed off until a machine joins keeps one machine requested. If that request
/// was given back to make room within the limits, records that the machine is requested again, and
/// returns true. This is no ScaleUpRequest: the back-off goes on, and the machine may take any
/// time. To be called before and after the cloud is asked.
bool restore_kept_request(Memory& memory, const NodeGroupId& group);
/// If the decrease also takes back the one machine that a back-off keeps requested, records that:
/// the back-off goes on without it. To be called before and after the cloud is asked.
void release_kept_request(Memory& memory, const Decrease& decrease);

/// Accepted increases become requests, refused ones back-offs. Also takes the results of decreases
/// and of removals of machines without a node.
Memory remember_sizes(Memory memory, const Decision& decision, const Results& results,
                      const Settings& settings, Time now);

/// Updates the request of one group at the start of a pass:
///
///     no machine is outstanding                finished; a back-off by until_joined ends
///     machines outstanding after the deadline  timed out: the group is backed off
///     upcoming machines without a request
///     and without a back-off                   become a request, from this pass on
///
/// If the request was cancelled to make room within the limits, the back-off ends only once the
/// group has one node more. Returns how many machines are to be taken back at once: none if one
/// machine stays requested, since update_incorrect_size covers that case.
int update_request(Memory& memory, const GroupCounts& group, const Settings& settings, Time now);

/// Takes `count` machines, which will not come, off the request.
void lower_request(Memory& memory, const NodeGroupId& group, int count);

/// How the group is backed off if machines fail now: by until_joined only if a machine may still
/// join.
BackoffPolicy policy_of(const GroupCounts& group, const Memory& memory, const Settings& settings,
                        Time now) noexcept;

// Machines that failed, or took longer than they may.

/// Records the failed machines of one group, and backs the group off if any of them is not among
/// `known`, the failed machines of the pass before: all new ones count as one failure. An overdue
/// machine counts only while the group has an open request, since otherwise no pod waits for it.
void update_failed_machines(Memory& memory, const GroupCounts& group,
                            const std::set<MachineId>& known, const Settings& settings, Time now);

/// Records which machines without a node had one in the pass before: not more machines have become
/// machines without a node than nodes have vanished without a removal, and none was requested.
/// Somebody deleted their Node objects, so they are no failures of their group.
void record_lost_nodes(Memory& memory, GroupCounts& group, const snapshot::Cluster& cluster,
                       std::size_t nodes);

/// Records since when machines have no node, and when they were launched: no earlier than this host
/// requested them. Machines that the cloud has not begun to make are not timed while their group is
/// backed off until a machine joins; their time begins when that back-off ends. At most
/// `unjoined_max` machines of all groups are timed, those that were seen first; the time of another
/// machine begins when one of them has joined or is gone. `room`: how many more may be timed.
void record_machine_times(Memory& memory, const GroupCounts& group, const PassTime& time,
                          std::size_t& room);
inline constexpr std::size_t unjoined_max = 10'000;
std::size_t find_room_for_unjoined(const Memory& memory) noexcept;

}  // namespace capstan::engine::health
