/// What an object must be before it is kept, and which of its members a write may change.
#pragma once

#include <string_view>

#include "simulation/api_server/api_object.hpp"
#include "simulation/api_server/object_store.hpp"
#include "simulation/api_server/resource_kinds.hpp"
#include "simulation/api_server/status_error.hpp"

namespace capstan::simulation::api_server {

/// Fills in kind, apiVersion and namespace where they are missing; 400: they are others.
Answer<void> check_identity(const ResourceKind& kind, std::string_view space, json::object& object);
/// 422: no name that the API takes.
Answer<void> check_name(const ResourceKind& kind, std::string_view name);
/// 400: an amount of a pod, a pod template, a node or a quota is none.
Answer<void> check_amounts(const ResourceKind& kind, const json::object& object);
/// 422: a workload that would not find its own pods, and make more and more of them. `before`:
/// NULL: it is new; what it selects stays.
Answer<void> check_selector(const ResourceKind& kind, const json::object& object,
                            const json::object* before);
/// 409: the object is not the one, or not any more the one, that was meant.
Answer<void> check_preconditions(const ResourceKind& kind, const json::object& current,
                                 std::string_view uid, std::string_view resource_version);

/// What becomes of `current` when `asked` is written to that part of it.
json::object merge_parts(const ResourceKind& kind, const json::object& current, json::object asked,
                         ObjectPart part);
/// Apart from its revision and its managers.
bool is_same_object(const json::object& a, const json::object& b);
/// Apart from metadata and status.
bool is_same_desire(const json::object& a, const json::object& b);

/// "" or the five characters that a generated name ends in.
std::string name_suffix(std::uint64_t random);
bool has_finalizers(const json::object& object);

}  // namespace capstan::simulation::api_server
