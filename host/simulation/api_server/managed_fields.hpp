/// Which manager set which fields: metadata.managedFields, and applying a configuration by it.
#pragma once

#include <string>

#include "simulation/api_server/api_object.hpp"
#include "simulation/api_server/field_sets.hpp"
#include "simulation/api_server/resource_kinds.hpp"
#include "simulation/api_server/status_error.hpp"

namespace capstan::simulation::api_server {

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
