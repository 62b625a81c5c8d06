/// Defaults that an API server sets in objects.
#pragma once

#include "simulator/api_server/api_object.hpp"
#include "simulator/api_server/resource_kinds.hpp"

namespace capstan::simulator::api_server {

/// Sets the status of a new object. A status that the client sent is dropped, unless the kind keeps
/// it (ResourceKind::keeps_initial_status).
void set_initial_status(const ResourceKind& kind, json::object& object);

/// Sets the missing members of the spec that controllers, schedulers and kubectl rely on.
void set_defaults(const ResourceKind& kind, json::object& object);

}  // namespace capstan::simulator::api_server
