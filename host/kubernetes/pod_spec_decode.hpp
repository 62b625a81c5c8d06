/// The `spec` of a Pod, or of a DaemonSet's template.
#pragma once

#include "engine/snapshot/pod_spec.hpp"
#include "kubernetes/json_place.hpp"

namespace capstan::kubernetes {

struct DecodedPodSpec {
    engine::PodSpec spec;
    /// False: something could not be read without which the pod would seem to need less than it
    /// does, or to fit where it does not.
    bool is_complete = true;
};

/// What is wrong is complained about and left out. Without that a pod is rather kept off a node
/// than let on it where the two differ: a toleration that cannot be read tolerates nothing, a term
/// of node affinity that cannot be read holds for no node. Where leaving out would do the contrary,
/// the answer says that it is not complete.
DecodedPodSpec decode_pod_spec(const JsonPlace& spec);

}  // namespace capstan::kubernetes
