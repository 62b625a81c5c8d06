/// DynamicResources: not simulated. A pod with resource claims is refused on every node, with this
/// reason.
#pragma once

#include <optional>
#include <string>

#include "engine/snapshot/pod_spec.hpp"

namespace capstan::engine::scheduling {

/// Absent: the pod has no resource claims. [any thread]
std::optional<std::string> check_dynamic_resources(const snapshot::PodSpec& pod);

}  // namespace capstan::engine::scheduling
