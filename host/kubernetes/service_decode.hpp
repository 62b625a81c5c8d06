/// A Service of the Kubernetes API.
#pragma once

#include <optional>

#include "engine/snapshot/objects.hpp"
#include "kubernetes/json_place.hpp"

namespace capstan::kubernetes {

/// Of whatever type. Nothing when it cannot be told which it is, or which pods it selects.
std::optional<engine::ServiceObject> decode_service(const JsonPlace& service);

}  // namespace capstan::kubernetes
