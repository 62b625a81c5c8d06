/// What an API server writes into objects that their authors left out.
#pragma once

#include "simulation/api_server/api_object.hpp"
#include "simulation/api_server/resource_kinds.hpp"

namespace capstan::simulation::api_server {

/// A fresh object's first status; its old one goes where the kind's clients do not write it.
void set_first_status(const ResourceKind& kind, json::object& object);

/// Those members that controllers, schedulers and kubectl rely on.
void set_defaults(const ResourceKind& kind, json::object& object);

}  // namespace capstan::simulation::api_server
