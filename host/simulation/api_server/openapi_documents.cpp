/// As little OpenAPI as makes clients send what they have: which patches validate fields.
#include <set>

#include "simulation/api_server/discovery_documents.hpp"

namespace capstan::simulation {
namespace {

/// "api/v1", "apis/apps/v1"
std::string document_path(const ResourceKind& kind) {
    return (kind.group.empty() ? "api/" : "apis/" + kind.group + "/") + kind.version;
}

json::object operation(const ResourceKind& kind, const char* action) {
    const json::object parameter{
        {"name", "fieldValidation"}, {"in", "query"}, {"schema", json::object{{"type", "string"}}}};
    const json::object itself{
        {"group", kind.group}, {"version", kind.version}, {"kind", kind.kind}};
    return {{"x-kubernetes-action", action},
            {"x-kubernetes-group-version-kind", itself},
            {"parameters", json::array{parameter}},
            {"responses", json::object{{"200", json::object{{"description", "OK"}}}}}};
}

}  // namespace

json::object openapi_index(const ResourceKinds& kinds) {
    json::object paths;
    for (const KindPtr& kind : kinds.all()) {
        const std::string path = document_path(*kind);
        // A document changes with what is served; the hash only has to tell that.
        paths[path] =
            json::object{{"serverRelativeURL",
                          "/openapi/v3/" + path + "?hash=" + std::to_string(kinds.all().size())}};
    }
    return {{"paths", std::move(paths)}};
}

std::optional<json::object> openapi_document(const ResourceKinds& kinds, std::string_view group,
                                             std::string_view version) {
    json::object paths;
    for (const KindPtr& kind : kinds.all()) {
        if (kind->group != group || kind->version != version) continue;
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
                        {"components", json::object{{"schemas", json::object()}}}};
}

}  // namespace capstan::simulation
