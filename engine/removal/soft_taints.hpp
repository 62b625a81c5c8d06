/// PreferNoSchedule taints on nodes that may be removed soon, so that the scheduler prefers other
/// nodes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/actions.hpp"
#include "engine/pass_view.hpp"

namespace capstan::engine::removal {

/// The changes, by node. First takes the taint off nodes that are not in `wanted` and not being
/// removed, then sets it on nodes in `wanted`; both together are at most as many as the settings
/// allow in one pass. With a maximum of 0 all such taints are taken off at once. Nodes in no group
/// are not changed, nor, unless the maximum is 0, nodes of groups that cannot be read.
std::vector<NodeChange> plan_soft_taints(const PassView& view, std::span<const std::string> wanted);

}  // namespace capstan::engine::removal
