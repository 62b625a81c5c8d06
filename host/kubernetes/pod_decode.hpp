/// A Pod of the Kubernetes API as the class it belongs to.
#pragma once

#include <capstan/pod.hpp>

#include "kubernetes/json_place.hpp"

namespace capstan::kubernetes {

/// A class with this pod alone (`count` 1). Members that are not known are ignored; what is known
/// and wrong is complained about and left out, so the answer is of use even then. Without a
/// namespace: "default".
PodClass decode_pod(const JsonPlace& pod);

}  // namespace capstan::kubernetes
