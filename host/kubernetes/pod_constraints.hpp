/// What a pod says about being near or far from other pods.
#pragma once

#include <vector>

#include "engine/snapshot/pod_spec.hpp"
#include "kubernetes/json_place.hpp"

namespace capstan::kubernetes {

/// The required terms of `podAffinity` or `podAntiAffinity`.
std::vector<engine::PodTerm> decode_pod_terms(const JsonPlace& affinity);

/// From `spec.topologySpreadConstraints`: those that keep pods off nodes (DoNotSchedule).
std::vector<engine::SpreadConstraint> decode_spread(const JsonPlace& constraints);

}  // namespace capstan::kubernetes
