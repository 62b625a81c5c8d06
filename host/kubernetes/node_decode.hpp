/// A Node of the Kubernetes API.
#pragma once

#include <optional>

#include "engine/snapshot/objects.hpp"
#include "kubernetes/json_place.hpp"

namespace capstan::kubernetes {

/// Nothing: its name, its labels or its taints could not be read, so nobody can tell which pods it
/// takes. A resource that cannot be read is one the node has none of. A node whose `allocatable` is
/// absent gives all its capacity, and one that says nothing at all of its condition counts as
/// ready: whatever runs in a cluster carries the not-ready taint until its kubelet has spoken.
std::optional<engine::NodeObject> decode_node(const JsonPlace& node);

}  // namespace capstan::kubernetes
