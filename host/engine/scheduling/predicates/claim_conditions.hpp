/// What one claim asks of a node's labels.
#pragma once

#include <vector>

#include "engine/scheduling/predicates/volume_needs.hpp"
#include "engine/snapshot/objects.hpp"

namespace capstan::engine {

/// Where the volume is: by its node affinity (VolumeBinding), by its labels (VolumeZone).
std::vector<VolumeCondition> conditions_of(const VolumeObject& volume);

/// Where an unbound claim that waits for its first consumer finds a free volume, or is given one.
std::vector<VolumeCondition> conditions_of(const ClaimObject& claim, const StorageClassObject& of,
                                           const ClusterObjects& objects);

}  // namespace capstan::engine
