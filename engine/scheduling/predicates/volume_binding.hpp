/// VolumeBinding and VolumeZone, as far as a node's labels and name decide.
#pragma once

#include <optional>

#include "engine/scheduling/predicates/volume_needs.hpp"

namespace capstan::engine::scheduling {

/// Whether the node matches the condition. [any thread]
bool holds(const VolumeCondition& condition, const NodeFacts& node) noexcept;

/// `needs.refusal`, else a refusal for the first condition that does not hold. Absent: the node
/// passes. [any thread]
std::optional<Refusal> check_volume_binding(const VolumeNeeds& needs, const NodeFacts& node);

}  // namespace capstan::engine::scheduling
