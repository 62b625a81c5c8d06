/// As little OpenAPI as makes clients send what they have: which patches validate fields, and the
/// schemas of those who wrote one.
#include <utility>

#include "simulation/api_server/discovery_documents.hpp"

namespace capstan::simulation {
namespace {

/// "api/v1", "apis/apps/v1"
std::string document_path(const ResourceKind& kind) {
    return (kind.group.empty() ? "api/" : "apis/" + kind.group + "/") + kind.version;
}

json::object itself(const ResourceKind& kind) {
    return {{"group", kind.group}, {"version", kind.version}, {"kind", kind.kind}};
}

json::object operation(const ResourceKind& kind, const char* action) {
    const json::object parameter{
        {"name", "fieldValidation"}, {"in", "query"}, {"schema", json::object{{"type", "string"}}}};
    return {{"x-kubernetes-action", action},
            {"x-kubernetes-group-version-kind", itself(kind)},
            {"parameters", json::array{parameter}},
            {"responses", json::object{{"200", json::object{{"description", "OK"}}}}}};
}

/// That of a definition; of other kinds that they are there, for `kubectl explain` to say so.
json::object schema_of(const ResourceKind& kind) {
    json::object out{
        {"type", "object"},
        {"description", "This simulated API server serves " + kind.kind +
                            " whole, but does not describe its fields; a real one does."}};
    if (kind.schema != nullptr) out = *kind.schema;
    out["x-kubernetes-group-version-kind"] = json::array{itself(kind)};
    return out;
}

std::string schema_name(const ResourceKind& kind) {
    return (kind.group.empty() ? "core" : kind.group) + "." + kind.version + "." + kind.kind;
}

}  // namespace

json::object openapi_index(const ResourceKinds& kinds) {
    json::object paths;
    for (const KindPtr& kind : kinds.all()) {
        const std::string path = document_path(*kind);
        // A document changes with what is served; the hash only has to tell that.
        paths[path] =
            json::object{{"serverRelativeURL",
                          "/openapi/v3/" + path + "?hash=" + std::to_string(kinds.changes())}};
    }
    return {{"paths", std::move(paths)}};
}

std::optional<json::object> openapi_document(const ResourceKinds& kinds, std::string_view group,
                                             std::string_view version) {
    json::object paths, schemas;
    for (const KindPtr& kind : kinds.all()) {
        if (kind->group != group || kind->version != version) continue;
        schemas[schema_name(*kind)] = schema_of(*kind);
        const std::string list = "/" + document_path(*kind) +
                                 (kind->namespaced ? "/namespaces/{namespace}/" : "/") +
                                 kind->plural;
        paths[list] = json::object{{"post", operation(*kind, "post")}};
        paths[list + "/{name}"] =
            json::object{{"patch", operation(*kind, "patch")}, {"put", operation(*kind, "put")}};
    }
    if (paths.empty()) return std::nullopt;
    return json::object{{"openapi", "3.0.0"},
                        {"info", json::object{{"title", "Kubernetes"}, {"version", "v1"}}},
                        {"paths", std::move(paths)},
                        {"components", json::object{{"schemas", std::move(schemas)}}}};
}

}  // namespace capstan::simulation
