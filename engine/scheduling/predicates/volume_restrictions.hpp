/// VolumeRestrictions: only one pod of the whole cluster may use a ReadWriteOncePod claim.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "engine/scheduling/predicates/volume_needs.hpp"

namespace capstan::engine::scheduling {

/// `in_use`: the claims of all bound pods, as "namespace/name". Absent: no exclusive claim is in
/// use. [any thread]
std::optional<std::string> check_volume_restrictions(const VolumeNeeds& needs,
                                                     const std::set<std::string>& in_use);

}  // namespace capstan::engine::scheduling
