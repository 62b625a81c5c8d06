/// Ports of the node that a pod takes for itself.
#pragma once

#include <vector>

#include "engine/snapshot/pod_spec.hpp"
#include "kubernetes/json_place.hpp"

namespace capstan::kubernetes {

/// From a Pod's `spec`: the host ports of its containers and its sidecars, as NodePorts counts
/// them. In the node's own network every port of a container is one; the API server writes that
/// into pods but not into the templates of DaemonSets, so it is done here, too.
std::vector<engine::HostPort> decode_host_ports(const JsonPlace& spec);

}  // namespace capstan::kubernetes
