/// Taints that ask the scheduler to keep new pods off nodes that may go soon, without forbidding
/// it.
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

/// By node. First takes them off nodes of groups that are not in `wanted` and not being removed,
/// then sets them, together as many as the settings allow in one pass; nodes of groups that cannot
/// be read stay as they are. With none allowed takes all of them off at once. `wall`: what the new
/// ones say, see PassTime.
std::vector<NodeChange> plan_soft_taints(const Snapshot& snapshot,
                                         const templates::Membership& membership,
                                         std::span<const std::string> wanted, const Memory& memory,
                                         const ScaleDownSettings& settings, Time wall);

}  // namespace capstan::engine::removal
