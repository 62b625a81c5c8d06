/// metadata.ownerReferences: who an object belongs to, and who controls it.
#pragma once

#include <string_view>
#include <vector>

#include "simulation/api_server/api_object.hpp"
#include "simulation/api_server/resource_kinds.hpp"

namespace capstan::simulation {

/// In the order in which they are written.
std::vector<const json::object*> owners_of(const json::object& object);
/// NULL: it has none.
const json::object* find_controller(const json::object& object);
/// Empty: it has no controller.
std::string_view controller_uid(const json::object& object);

/// A reference that makes `owner` the controller, and holds up its foreground deletion.
json::object make_controller_reference(const ResourceKind& kind, const json::object& owner);
void add_owner(json::object& object, json::object reference);
void remove_owner(json::object& object, std::string_view uid);

}  // namespace capstan::simulation
