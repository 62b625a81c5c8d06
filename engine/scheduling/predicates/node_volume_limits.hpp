/// NodeVolumeLimits: a node can attach only a limited number of volumes of a CSI driver.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "engine/scheduling/predicates/volume_needs.hpp"

namespace capstan::engine::scheduling {

/// Absent: the node passes. A wanted volume that is attached already does not count again. A driver
/// without an entry in `limits`, or with an absent number, has no limit. [any thread]
std::optional<std::string> check_node_volume_limits(
    const VolumesByDriver& wanted, const VolumesByDriver& attached,
    const std::map<std::string, std::optional<int>>& limits);

}  // namespace capstan::engine::scheduling
