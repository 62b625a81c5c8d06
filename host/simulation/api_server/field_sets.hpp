/// Sets of fields, written as metadata.managedFields has them: "f:" a member, "k:" an element by
/// its key, "v:" an element by its value, "." the element itself; nothing below: all of it.
#pragma once

#include "simulation/api_server/api_object.hpp"

namespace capstan::simulation::api_server {

using FieldSet = json::object;

/// All fields of an object, but those that tell which it is and those that its server keeps.
FieldSet fields_of(const json::object& object, bool is_custom);
/// Those of `after` that are not, or not so, in `before`.
FieldSet changed_fields(const json::object& before, const json::object& after, bool is_custom);

void unite(FieldSet& into, const FieldSet& other);
FieldSet subtract(const FieldSet& from, const FieldSet& other);
FieldSet intersect(const FieldSet& a, const FieldSet& b);

/// Takes what is in the set out of an object.
void remove_fields(json::object& object, const FieldSet& fields);
/// ".spec.replicas", the first one of a set: for messages.
std::string first_field(const FieldSet& fields);

}  // namespace capstan::simulation::api_server
