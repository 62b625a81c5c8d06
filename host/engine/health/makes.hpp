/// Back-off by machine type and zone: what one group found out spares others the same.
#pragma once

#include <optional>

#include "engine/memory.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"

namespace capstan::engine {

/// The make of a group's new machines, where its cloud describes just one in one zone.
std::optional<Make> find_make(const Group& group);

/// After `group` was backed off: makes of which one of its machines says that its cloud has none
/// left (`out_of_capacity`) are backed off for as long.
void back_off_makes(Memory& memory, const Group& group, const Settings& settings);

/// Forgets those that have ended, by time or with the back-off of the group that found out.
void forget_make_backoffs(Memory& memory, const Settings& settings, Time now);

}  // namespace capstan::engine
