/// VolumeRestrictions: a ReadWriteOncePod claim is for one pod alone, in the whole cluster.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "engine/scheduling/predicates/volume_needs.hpp"

namespace capstan::engine::scheduling {

/// `in_use`: claims of all pods that have a node, as "namespace/name". Nothing: it passes.
/// [any thread]
std::optional<std::string> check_volume_restrictions(const VolumeNeeds& needs,
                                                     const std::set<std::string>& in_use);

}  // namespace capstan::engine::scheduling
