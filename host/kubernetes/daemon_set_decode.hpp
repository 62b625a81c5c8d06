/// A DaemonSet of the Kubernetes API.
#pragma once

#include <optional>

#include "engine/snapshot/objects.hpp"
#include "kubernetes/json_place.hpp"

namespace capstan::kubernetes {

/// Limits stand in for requests that a container does not make, as the API server will write it
/// into the pods; Kubernetes does so for init containers, too, and so does this. Nothing: what its
/// pods need, or its name, could not be read.
std::optional<engine::DaemonSetObject> decode_daemon_set(const JsonPlace& daemon_set);

}  // namespace capstan::kubernetes
