/// Which manager set which fields: metadata.managedFields, and applying a configuration by it.
#pragma once

#include <string>

#include "simulation/api_server/api_object.hpp"
#include "simulation/api_server/resource_kinds.hpp"
#include "simulation/api_server/status_error.hpp"

namespace capstan::simulation::api_server {

// Sets of fields, written as metadata.managedFields has them: "f:" a member, "k:" an element by
// its key, "v:" an element by its value, "." the element itself; nothing below: all of it.

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

struct FieldManager {
    std::string name{};
    std::string operation{};  ///< "Apply" or "Update"
    std::string subresource{};
};

/// An object's entries; empty: none.
const json::array& managers_of(const json::object& object);

/// The fields that `fresh` has otherwise than `before` (NULL: all of them) become the manager's
/// alone.
void record_fields(json::object& fresh, const json::object* before, const FieldManager& manager,
                   Time now);

/// Server-side apply. `live`, NULL: there is none yet, with `config` put over it and without what
/// the manager had set and sets no more. 409: a field belongs to another, has another value there,
/// and `force` is false.
Answer<json::object> apply_config(const ResourceKind& kind, const json::object* live,
                                  const json::object& config, const FieldManager& manager,
                                  bool force, Time now);

}  // namespace capstan::simulation::api_server
