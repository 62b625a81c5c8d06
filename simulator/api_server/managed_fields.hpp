/// Which manager set which fields (metadata.managedFields), and server-side apply.
///
/// Each field manager has an entry with the set of fields that it set last. An update makes the
/// changed fields its manager's own and takes them out of all other entries. An apply compares the
/// fields of its configuration with the entries: a field that would change and is in another
/// manager's entry is a conflict. A field that only the applying manager had set before, and that
/// it no longer sets, is removed from the object. So several managers can write one object, and
/// each removes only its own fields.
#pragma once

#include <string>

#include "simulator/api_server/api_object.hpp"
#include "simulator/api_server/resource_kinds.hpp"
#include "simulator/api_server/status_error.hpp"

namespace capstan::simulator::api_server {

/// A set of fields in the notation of metadata.managedFields (FieldsV1). A key is "f:" and a
/// member's name, "k:" and the merge key of a list's element, "v:" and the value of a list's
/// element, or "." for the element itself. A key with an empty value stands for the whole field.
using FieldSet = json::object;

/// All fields of an object without apiVersion, kind, and the metadata that identify the object or
/// that the server sets.
FieldSet fields_of(const json::object& object, bool is_custom);
/// The fields of `after` that `before` lacks or has with another value.
FieldSet changed_fields(const json::object& before, const json::object& after, bool is_custom);

void unite(FieldSet& into, const FieldSet& other);
FieldSet subtract(const FieldSet& from, const FieldSet& other);
FieldSet intersect(const FieldSet& a, const FieldSet& b);

/// Removes the fields of the set from an object.
void remove_fields(json::object& object, const FieldSet& fields);
/// The path of a set's first field, ".spec.replicas", for messages.
std::string first_field(const FieldSet& fields);

struct FieldManager {
    std::string name{};
    std::string operation{};  ///< "Apply" or "Update"
    std::string subresource{};
};

/// The entries of metadata.managedFields; empty: the object has none.
const json::array& managers_of(const json::object& object);

/// Makes `manager` the only manager of the fields in which `fresh` differs from `before`. `before`,
/// NULL: the object is new, and all its fields count.
void record_fields(json::object& fresh, const json::object* before, const FieldManager& manager,
                   Time now);

/// Server-side apply: `live` merged with `config`, without the fields that only `manager` had set
/// and that `config` lacks. `live`, NULL: the object is new. 409: `config` changes a field that
/// belongs to another manager, and `force` is false.
Answer<json::object> apply_config(const ResourceKind& kind, const json::object* live,
                                  const json::object& config, const FieldManager& manager,
                                  bool force, Time now);

}  // namespace capstan::simulator::api_server
