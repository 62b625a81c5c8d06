/// Groups that are left alone for a while because growing them failed.
///
///     fails at 0:00   ->  alone until 0:05
///     fails at 0:06   ->  alone until 0:16, twice as long
///     fails at 0:10   ->  alone until 0:20: while alone, the time starts again but does not grow
///     3h without one  ->  forgotten
#pragma once

#include <optional>
#include <string>

#include "engine/memory.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"
#include "engine/templates/membership.hpp"

namespace capstan::engine {

/// Brings memory up to the moment, at the start of a pass: forgets what is long past, and counts
/// machines that failed since the pass before as one failure of their group. A machine that has
/// joined, or is being removed, has not failed.
Memory remember(Memory memory, const Snapshot& snapshot, const Membership& membership,
                const Settings& settings, Time now);

/// A cloud refused to grow `group`: leaves it alone for a while, longer after each failure in a
/// row.
Memory remember_failure(Memory memory, const NodeGroupId& group, const Error& error,
                        const Settings& settings, Time now);

/// The back-off that keeps `group` from growing now, its last instant included; NULL: none does.
/// Borrows from `memory`.
const Backoff* find_backoff(const Memory& memory, const NodeGroupId& group, Time now) noexcept;

/// The first moment at which a group may grow again that may not now; nothing: all may.
std::optional<Time> next_backoff_end(const Memory& memory, Time now) noexcept;

/// "backed off for 3m20s more: i-1: no capacity in zone a", said of the group.
std::string why_backed_off(const Backoff& backoff, Time now);

}  // namespace capstan::engine
