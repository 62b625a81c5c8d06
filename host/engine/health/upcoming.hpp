/// Nodes that a group will have without being asked again.
#pragma once

#include "engine/health/group_counts.hpp"
#include "engine/health/health.hpp"
#include "engine/memory.hpp"

namespace capstan::engine::health {

/// Whether what began at `since` is still waited for: not where its group has run out of time since
/// then, whatever comes of it later.
bool is_waited_for(const Memory& memory, const NodeGroupId& group, Time since, Time now) noexcept;

/// Fills in what machines make of the group's health: upcoming nodes, unjoined and failed
/// machines. `starting`: nodes of Standing::starting.
void count_upcoming(const GroupCounts& group, int starting, const Memory& memory,
                    NextChange& next_change, GroupHealth& out);

}  // namespace capstan::engine::health
