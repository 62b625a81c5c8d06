/// The owner of a pod.
#pragma once

#include "engine/snapshot/objects.hpp"
#include "kubernetes/json_cursor.hpp"

namespace capstan::kubernetes {

/// From `metadata.ownerReferences`.
engine::snapshot::PodOwner decode_owner(const JsonCursor& references);

}  // namespace capstan::kubernetes
