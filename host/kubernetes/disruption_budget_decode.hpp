/// A PodDisruptionBudget of the Kubernetes API.
#pragma once

#include <optional>

#include "engine/snapshot/objects.hpp"
#include "kubernetes/json_place.hpp"

namespace capstan::kubernetes {

/// Nothing when it cannot be told which pods it is for. A budget that has no status yet, or none
/// that can be read, allows no disruption.
std::optional<engine::DisruptionBudgetObject> decode_disruption_budget(const JsonPlace& budget);

}  // namespace capstan::kubernetes
