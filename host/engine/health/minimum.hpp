/// Groups that are smaller than they may be.
#pragma once

#include <vector>

#include "engine/health/health.hpp"
#include "engine/health/repairs.hpp"
#include "engine/memory.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"

namespace capstan::engine {

/// Raises groups to their minimum, in the order of their ids, as far as their maximum and the
/// limits of the cluster allow. Not those that are backed off, not healthy, or `changed` already.
void raise_to_minimum(const Snapshot& snapshot, const Health& health, const Memory& memory,
                      const Settings& settings, const std::vector<bool>& changed, Time now,
                      Repairs& out);

}  // namespace capstan::engine
