/// PreferNoSchedule taints on nodes that may be removed soon, so that the scheduler prefers other
/// nodes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/actions.hpp"
#include "engine/memory.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"
#include "engine/templates/membership.hpp"

namespace capstan::engine::removal {

/// The changes, by node. First takes the taint off nodes that are not in `wanted` and not being
/// removed, then sets it on nodes in `wanted`; both together are at most as many as the settings
/// allow in one pass. With a maximum of 0 all such taints are taken off at once. Nodes in no group,
/// and nodes of groups that cannot be read, are not changed. `wall`: the time in new taints, see
/// PassTime.
std::vector<NodeChange> plan_soft_taints(const Snapshot& snapshot,
                                         const templates::Membership& membership,
                                         std::span<const std::string> wanted, const Memory& memory,
                                         const ScaleDownSettings& settings, Time wall);

}  // namespace capstan::engine::removal
