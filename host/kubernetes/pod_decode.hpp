/// A Pod of the Kubernetes API, as an object and as the class it belongs to.
#pragma once

#include <capstan/pod.hpp>

#include "engine/snapshot/objects.hpp"
#include "kubernetes/json_place.hpp"

namespace capstan::kubernetes {

struct DecodedPod {
    engine::PodObject pod;
    /// False: what the pod needs, or what selects it, could not be read in full; to count with what
    /// was read would be to count wrong.
    bool is_complete = true;
};

/// Members that are not known are ignored; what is known and wrong is complained about and left
/// out, so the answer is of use even then. Without a namespace: "default".
DecodedPod decode_pod_object(const JsonPlace& pod);

/// A class with this pod alone (`count` 1).
PodEquivalenceGroup decode_pod(const JsonPlace& pod);

}  // namespace capstan::kubernetes
