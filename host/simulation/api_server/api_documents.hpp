/// What an API server says of itself: which resources it serves, and how they are written.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "simulation/api_server/api_request.hpp"
#include "simulation/api_server/resource_kinds.hpp"

namespace capstan::simulation::api_server {

/// All groups at once, of the core ("/api") or of the others ("/apis").
json::object group_discovery(const ResourceKinds& kinds, bool is_core, Form form);
/// The same in the older way, group by group and version by version.
json::object legacy_versions();
json::object legacy_groups(const ResourceKinds& kinds);
/// Nothing: no such group, or no such version.
std::optional<json::object> legacy_group(const ResourceKinds& kinds, std::string_view group);
std::optional<json::object> legacy_resources(const ResourceKinds& kinds, std::string_view group,
                                             std::string_view version);

/// The index of the OpenAPI documents, and one of them: which patches are taken, and custom
/// resources' schemas.
json::object openapi_index(const ResourceKinds& kinds);
std::optional<json::object> openapi_document(const ResourceKinds& kinds, std::string_view group,
                                             std::string_view version);

/// The same in one protobuf of OpenAPI v2.
std::string openapi_protobuf(const ResourceKinds& kinds);

/// A subresource and what comes back from it.
struct Subresource {
    std::string name{}, group{}, version{}, kind{};
    std::vector<std::string> verbs{};
};
std::vector<Subresource> subresources_of(const ResourceKind& kind);

}  // namespace capstan::simulation::api_server
