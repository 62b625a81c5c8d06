/// NodeVolumeLimits: a node attaches so many volumes of a CSI driver and no more.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "engine/scheduling/predicates/volume_needs.hpp"

namespace capstan::engine::scheduling {

/// Volumes that are attached already cost nothing; a driver without a limit has room. Nothing: it
/// passes. [any thread]
std::optional<std::string> check_node_volume_limits(
    const VolumesByDriver& wanted, const VolumesByDriver& attached,
    const std::map<std::string, std::optional<int>>& limits);

}  // namespace capstan::engine::scheduling
