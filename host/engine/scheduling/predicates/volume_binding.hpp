/// VolumeBinding and VolumeZone, as far as a node's labels and name decide.
#pragma once

#include <optional>

#include "engine/scheduling/predicates/volume_needs.hpp"

namespace capstan::engine::scheduling {

/// [any thread]
bool holds(const VolumeCondition& condition, const NodeFacts& node) noexcept;

/// The definite refusal, else that of the first condition that does not hold. Nothing: it passes.
/// [any thread]
std::optional<Refusal> check_volume_binding(const VolumeNeeds& needs, const NodeFacts& node);

}  // namespace capstan::engine::scheduling
