/// What is answered at fixed paths: discovery, OpenAPI, version, health and the faults' own door.
#include "simulation/api_server/api_call.hpp"
#include "simulation/api_server/api_server.hpp"
#include "simulation/api_server/discovery_documents.hpp"

namespace capstan::simulation::api_server {
namespace {

HttpReply found(const std::optional<json::object>& document, const ApiRequest& request) {
    if (document) return json_reply(200, *document);
    return refusal_reply({404,
                          "NotFound",
                          "the server could not find the requested resource",
                          {{"path", request.path}},
                          {},
                          {}});
}

bool is_discovery(Form form) {
    return form == Form::discovery_v2 || form == Form::discovery_v2beta1;
}

HttpReply discovery(const ResourceKinds& kinds, bool is_core, Form form) {
    if (!is_discovery(form))
        return json_reply(200, is_core ? legacy_versions() : legacy_groups(kinds));
    HttpReply out = json_reply(200, group_discovery(kinds, is_core, form));
    const std::string version = form == Form::discovery_v2 ? "v2" : "v2beta1";
    out.headers = {{"content-type", "application/json;g=apidiscovery.k8s.io;v=" + version +
                                        ";as=APIGroupDiscoveryList"}};
    return out;
}

/// "v1.33.0" says major and minor once more, each alone.
json::object version_object(const std::string& version) {
    const std::size_t first = version.find('.');
    const std::size_t second = version.find('.', first + 1);
    return {{"major", version.substr(1, first - 1)},
            {"minor", version.substr(first + 1, second - first - 1)},
            {"gitVersion", version + "+capstan"},
            {"gitCommit", ""},
            {"gitTreeState", "clean"},
            {"buildDate", "1970-01-01T00:00:00Z"},
            {"goVersion", "none"},
            {"compiler", "none"},
            {"platform", "linux/amd64"}};
}

bool is_health(std::string_view path) {
    for (const std::string_view place : {"/healthz", "/livez", "/readyz"})
        if (path == place || path.starts_with(std::string(place) + "/")) return true;
    return false;
}

/// Group and version behind "/openapi/v3/": "api/v1", "apis/apps/v1".
std::pair<std::string, std::string> document_name(std::string_view path) {
    const std::size_t last = path.rfind('/');
    const std::string version(path.substr(last + 1));
    const std::string_view front = path.substr(0, last);
    return {front == "api" ? "" : std::string(front.substr(front.find('/') + 1)), version};
}

}  // namespace

std::optional<HttpReply> ApiServer::serve_document(const ApiRequest& request) {
    const std::string& path = request.path;
    const ResourceKinds& kinds = store_.kinds();
    if (request.verb != "get" && request.verb != "list") return std::nullopt;
    if (path == "/api" || path == "/apis")
        return discovery(kinds, path == "/api", request.accepted.form);
    if (path == "/version") return json_reply(200, version_object(options_.version));
    if (is_health(path)) return text_reply(200, "ok");
    if (path.starts_with("/openapi/")) return serve_openapi(request);
    if (!request.plural.empty()) return std::nullopt;
    if (path.starts_with("/api/"))
        return found(legacy_resources(kinds, "", request.version), request);
    if (!path.starts_with("/apis/")) return std::nullopt;
    if (request.version.empty())
        return found(legacy_group(kinds, path.substr(std::string_view("/apis/").size())), request);
    return found(legacy_resources(kinds, request.group, request.version), request);
}

std::optional<HttpReply> ApiServer::serve_openapi(const ApiRequest& request) {
    constexpr std::string_view front = "/openapi/v3/";
    if (request.path == "/openapi/v3") return json_reply(200, openapi_index(store_.kinds()));
    if (request.path == "/openapi/v2")
        return HttpReply{
            200,
            {{"content-type", "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"}},
            openapi_protobuf(store_.kinds())};
    if (!request.path.starts_with(front)) return found(std::nullopt, request);
    const auto [group, version] =
        document_name(std::string_view(request.path).substr(front.size()));
    return found(openapi_document(store_.kinds(), group, version), request);
}

HttpReply ApiServer::serve_faults(const ApiRequest& request) {
    const bool posts = request.verb == "create";
    if (posts && request.path == "/capstan/faults/cut") {
        cut_watches();
    } else if (posts && request.path == "/capstan/faults/compact") {
        store_.compact(store_.revision());
    } else if (posts) {
        const auto fault = parse_body(request).and_then(parse_fault);
        if (!fault) return refusal_reply(fault.error());
        faults_.add(*fault);
    } else if (request.verb.starts_with("delete")) {
        faults_.clear();
    }
    json::array all;
    for (const ApiFault& fault : faults_.all()) all.push_back(fault_object(fault));
    return json_reply(200, {{"faults", std::move(all)}, {"taken", faults_.taken()}});
}

}  // namespace capstan::simulation::api_server
