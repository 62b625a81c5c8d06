/// The validation of objects before they are stored, and which of their members a write may change.
#pragma once

#include <string_view>

#include "simulator/api_server/api_object.hpp"
#include "simulator/api_server/object_store.hpp"
#include "simulator/api_server/resource_kinds.hpp"
#include "simulator/api_server/status_error.hpp"

namespace capstan::simulator::api_server {

/// Sets kind, apiVersion and namespace if they are missing. 400: the object has others.
Answer<void> check_identity(const ResourceKind& kind, std::string_view space, json::object& object);
/// 422: the API does not allow the name.
Answer<void> check_name(const ResourceKind& kind, std::string_view name);
/// 400: an amount of a pod, a pod template, a node or a quota is not a quantity.
Answer<void> check_amounts(const ResourceKind& kind, const json::object& object);
/// 422: the selector of a workload does not match its pod template, so that its controller would
/// create pods without end; or the selector differs from that of `before`, since it is immutable.
/// `before`, NULL: the object is new.
Answer<void> check_selector(const ResourceKind& kind, const json::object& object,
                            const json::object* before);
/// 409: `current` has another uid or resourceVersion. An empty one matches any.
Answer<void> check_preconditions(const ResourceKind& kind, const json::object& current,
                                 std::string_view uid, std::string_view resource_version);

/// `current` after a write of `written` to that part of it.
json::object merge_parts(const ResourceKind& kind, const json::object& current,
                         json::object written, ObjectPart part);
/// Equality apart from resourceVersion and managedFields.
bool is_same_object(const json::object& a, const json::object& b);
/// Equality apart from apiVersion, kind, metadata and status: metadata.generation stays then.
bool is_same_desire(const json::object& a, const json::object& b);

/// The five characters at the end of a generated name.
std::string name_suffix(std::uint64_t random);
bool has_finalizers(const json::object& object);

}  // namespace capstan::simulator::api_server
