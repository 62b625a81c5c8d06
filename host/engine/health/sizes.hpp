/// Targets that the machines of a group do not add up to.
#pragma once

#include "engine/health/figures.hpp"
#include "engine/memory.hpp"

namespace capstan::engine {

/// Notes that the target of one group is more than it should be, and since when. What it should be:
///
///     backed off until a machine joins    its real machines, and one that stays asked for
///     `at_once` above 0                    that much less than it is
///     otherwise                            what the cloud lists
///
/// A target that is less than the machines there are is none of ours to mend.
void follow_size(Memory& memory, const GroupFigures& group, int at_once, Time now);

/// Whether the note is to be acted on: its figures have stood for longer than a machine may take,
/// or the request for the surplus has just timed out, or has and its cloud refused a decrease.
bool is_due(const WrongSize& size, const GroupFigures& group, const Memory& memory, Time now);
/// The latter alone: the group is backed off for a time-out that was no earlier than the figures.
bool is_of_time_out(const WrongSize& size, const NodeGroupId& group, const Memory& memory,
                    Time now);

}  // namespace capstan::engine
