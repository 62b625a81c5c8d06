/// Discovery and OpenAPI documents: which resources an API server serves, and their schemas.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "simulator/api_server/api_request.hpp"
#include "simulator/api_server/resource_kinds.hpp"

namespace capstan::simulator::api_server {

/// Aggregated discovery: the core group ("/api"), or all other groups ("/apis").
json::object group_discovery(const ResourceKinds& kinds, bool is_core, Form form);
/// Discovery before it was aggregated: one document for each group and for each version.
json::object legacy_versions();
json::object legacy_groups(const ResourceKinds& kinds);
/// Absent: there is no such group, or no such version.
std::optional<json::object> legacy_group(const ResourceKinds& kinds, std::string_view group);
std::optional<json::object> legacy_resources(const ResourceKinds& kinds, std::string_view group,
                                             std::string_view version);

/// The index of the OpenAPI v3 documents.
json::object openapi_index(const ResourceKinds& kinds);
/// One OpenAPI v3 document: the operations that validate fields, and the schemas of custom
/// resources. Absent: there is no such group, or no such version.
std::optional<json::object> openapi_document(const ResourceKinds& kinds, std::string_view group,
                                             std::string_view version);

/// OpenAPI v2 of all kinds, in protobuf: the patches that validate fields, without schemas.
std::string openapi_protobuf(const ResourceKinds& kinds);

/// A subresource, and the group, version and kind of the object that it takes or returns.
struct Subresource {
    std::string name{}, group{}, version{}, kind{};
    std::vector<std::string> verbs{};
};
std::vector<Subresource> subresources_of(const ResourceKind& kind);

}  // namespace capstan::simulator::api_server
