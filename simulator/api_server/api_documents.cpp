#include "simulator/api_server/api_documents.hpp"

#include <algorithm>
#include <utility>

#include "simulator/api_server/api_call.hpp"
#include "simulator/api_server/api_server.hpp"

namespace capstan::simulator::api_server {

// Answers at fixed paths: discovery, OpenAPI, version, health, and /capstan/faults.

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

/// The document of /version, which repeats major and minor of "v1.33.0" as members of their own.
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

/// Group and version of a path after "/openapi/v3/": "api/v1", "apis/apps/v1".
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

namespace {

const std::vector<std::string> all_verbs = {"create", "delete", "deletecollection", "get",
                                            "list",   "patch",  "update",           "watch"};

json::array texts(const std::vector<std::string>& list) {
    json::array out;
    for (const std::string& text : list) out.emplace_back(text);
    return out;
}

json::object response_kind(std::string_view group, std::string_view version,
                           std::string_view kind) {
    return {
        {"group", json_view(group)}, {"version", json_view(version)}, {"kind", json_view(kind)}};
}

json::object discovered(const ResourceKind& kind) {
    json::object out{{"resource", kind.plural},
                     {"responseKind", response_kind(kind.group, kind.version, kind.kind)},
                     {"scope", kind.namespaced ? "Namespaced" : "Cluster"},
                     {"singularResource", kind.singular},
                     {"verbs", texts(all_verbs)}};
    if (!kind.short_names.empty()) out["shortNames"] = texts(kind.short_names);
    if (!kind.categories.empty()) out["categories"] = texts(kind.categories);
    json::array below;
    for (const Subresource& sub : subresources_of(kind))
        below.push_back(
            json::object{{"subresource", sub.name},
                         {"responseKind", response_kind(sub.group, sub.version, sub.kind)},
                         {"verbs", texts(sub.verbs)}});
    if (!below.empty()) out["subresources"] = std::move(below);
    return out;
}

/// The last entry of the list if it has that name; else `fresh`, appended.
json::object& last_named(json::array& list, const char* key, const std::string& name,
                         json::object fresh) {
    if (list.empty() || text_at(list.back().get_object(), key) != name)
        list.push_back(std::move(fresh));
    return list.back().get_object();
}

json::object group_version(const std::string& group, const std::string& version) {
    return {{"groupVersion", group + "/" + version}, {"version", version}};
}

json::object make_group(const ResourceKinds& kinds, const std::string& group) {
    json::array versions;
    for (const KindPtr& kind : kinds.all()) {
        const json::object entry = group_version(group, kind->version);
        if (kind->group == group &&
            std::ranges::find(versions, json::value(entry)) == versions.end())
            versions.push_back(entry);
    }
    const json::value preferred = versions.front();
    return {{"kind", "APIGroup"},
            {"apiVersion", "v1"},
            {"name", group},
            {"versions", std::move(versions)},
            {"preferredVersion", preferred}};
}

json::object legacy_resource(const ResourceKind& kind) {
    json::object out{{"name", kind.plural},
                     {"singularName", kind.singular},
                     {"namespaced", kind.namespaced},
                     {"kind", kind.kind},
                     {"verbs", texts(all_verbs)}};
    if (!kind.short_names.empty()) out["shortNames"] = texts(kind.short_names);
    if (!kind.categories.empty()) out["categories"] = texts(kind.categories);
    return out;
}

json::object legacy_subresource(const ResourceKind& kind, const Subresource& sub) {
    json::object out{{"name", kind.plural + "/" + sub.name},
                     {"singularName", ""},
                     {"namespaced", kind.namespaced},
                     {"kind", sub.kind},
                     {"verbs", texts(sub.verbs)}};
    if (sub.group == kind.group && sub.version == kind.version) return out;
    out["group"] = sub.group;
    out["version"] = sub.version;
    return out;
}

bool is_served(const ResourceKinds& kinds, std::string_view group, std::string_view version) {
    return std::ranges::any_of(kinds.all(), [&](const KindPtr& kind) {
        return kind->group == group && (version.empty() || kind->version == version);
    });
}

}  // namespace

std::vector<Subresource> subresources_of(const ResourceKind& kind) {
    std::vector<Subresource> out;
    if (kind.resource() == "pods") {
        out.push_back({"binding", "", "v1", "Binding", {"create"}});
        out.push_back({"eviction", "policy", "v1", "Eviction", {"create"}});
        out.push_back({"log", "", "v1", "Pod", {"get"}});
    }
    if (kind.resource() == "serviceaccounts")
        out.push_back({"token", "authentication.k8s.io", "v1", "TokenRequest", {"create"}});
    const std::vector<std::string> verbs = {"get", "patch", "update"};
    if (kind.scale) out.push_back({"scale", "autoscaling", "v1", "Scale", verbs});
    if (kind.has_status) out.push_back({"status", kind.group, kind.version, kind.kind, verbs});
    return out;
}

json::object group_discovery(const ResourceKinds& kinds, bool is_core, Form form) {
    json::array groups;
    for (const KindPtr& kind : kinds.all()) {
        if (kind->group.empty() != is_core) continue;
        json::object metadata;
        if (!is_core) metadata["name"] = kind->group;
        json::object& group =
            last_named(groups, "metadata.name", kind->group,
                       {{"metadata", std::move(metadata)}, {"versions", json::array()}});
        json::object& version = last_named(
            group["versions"].get_array(), "version", kind->version,
            {{"version", kind->version}, {"resources", json::array()}, {"freshness", "Current"}});
        version["resources"].get_array().push_back(discovered(*kind));
    }
    const bool is_beta = form == Form::discovery_v2beta1;
    return {{"kind", "APIGroupDiscoveryList"},
            {"apiVersion", is_beta ? "apidiscovery.k8s.io/v2beta1" : "apidiscovery.k8s.io/v2"},
            {"metadata", json::object()},
            {"items", std::move(groups)}};
}

json::object legacy_versions() {
    return {{"kind", "APIVersions"},
            {"versions", json::array{"v1"}},
            {"serverAddressByClientCIDRs", json::array()}};
}

json::object legacy_groups(const ResourceKinds& kinds) {
    json::array groups;
    for (const KindPtr& kind : kinds.all())
        if (!kind->group.empty())
            last_named(groups, "name", kind->group, make_group(kinds, kind->group));
    return {{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(groups)}};
}

std::optional<json::object> legacy_group(const ResourceKinds& kinds, std::string_view group) {
    if (!is_served(kinds, group, {})) return std::nullopt;
    return make_group(kinds, std::string(group));
}

std::optional<json::object> legacy_resources(const ResourceKinds& kinds, std::string_view group,
                                             std::string_view version) {
    if (!is_served(kinds, group, version)) return std::nullopt;
    json::array resources;
    std::string name;
    for (const KindPtr& kind : kinds.all()) {
        if (kind->group != group || kind->version != version) continue;
        name = kind->api_version();
        resources.push_back(legacy_resource(*kind));
        for (const Subresource& sub : subresources_of(*kind))
            resources.push_back(legacy_subresource(*kind, sub));
    }
    return json::object{{"kind", "APIResourceList"},
                        {"apiVersion", "v1"},
                        {"groupVersion", name},
                        {"resources", std::move(resources)}};
}

// OpenAPI v3, reduced to what makes clients send their requests: the operations that validate
// fields, and the schemas of custom resource definitions.

namespace {

/// "api/v1", "apis/apps/v1"
std::string document_path(const ResourceKind& kind) {
    return (kind.group.empty() ? "api/" : "apis/" + kind.group + "/") + kind.version;
}

json::object group_version_kind(const ResourceKind& kind) {
    return {{"group", kind.group}, {"version", kind.version}, {"kind", kind.kind}};
}

json::object operation(const ResourceKind& kind, const char* action) {
    const json::object parameter{
        {"name", "fieldValidation"}, {"in", "query"}, {"schema", json::object{{"type", "string"}}}};
    return {{"x-kubernetes-action", action},
            {"x-kubernetes-group-version-kind", group_version_kind(kind)},
            {"parameters", json::array{parameter}},
            {"responses", json::object{{"200", json::object{{"description", "OK"}}}}}};
}

/// The schema of a custom resource definition. Other kinds get a description that says that their
/// fields are not described, for `kubectl explain`.
json::object schema_of(const ResourceKind& kind) {
    json::object out{{"type", "object"},
                     {"description", "This simulated API server stores all fields of a " +
                                         kind.kind + " but does not describe them."}};
    if (kind.schema != nullptr) out = *kind.schema;
    out["x-kubernetes-group-version-kind"] = json::array{group_version_kind(kind)};
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
        // A document changes only with the served kinds, so their number of changes is its hash.
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

// OpenAPI v2 in protobuf, which kubectl up to 1.28 asks for. The field numbers are those of
// gnostic's openapi_v2.Document.

namespace {

void append_varint(std::string& out, std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) out += static_cast<char>(number | 0x80);
    out += static_cast<char>(number);
}

/// A field of type string or message, which have the same encoding.
std::string protobuf_field(unsigned number, std::string_view content) {
    constexpr unsigned length_delimited = 2;
    std::string out;
    append_varint(out, number << 3 | length_delimited);
    append_varint(out, content.size());
    return out.append(content);
}

/// The query parameter "fieldValidation", wrapped in the messages for the kinds of parameters.
std::string validation_parameter() {
    const std::string query = protobuf_field(2, "query") + protobuf_field(4, "fieldValidation") +
                              protobuf_field(6, "string");
    return protobuf_field(1, protobuf_field(2, protobuf_field(3, query)));
}

std::string patch_operation(const ResourceKind& kind) {
    const std::string group_version_kind = "group: \"" + kind.group + "\"\nversion: \"" +
                                           kind.version + "\"\nkind: \"" + kind.kind + "\"\n";
    const std::string extension = protobuf_field(1, "x-kubernetes-group-version-kind") +
                                  protobuf_field(2, protobuf_field(2, group_version_kind));
    return protobuf_field(8, validation_parameter()) + protobuf_field(13, extension);
}

}  // namespace

std::string openapi_protobuf(const ResourceKinds& kinds) {
    constexpr unsigned patch = 8, path = 2, paths = 8;
    std::string all;
    for (const KindPtr& kind : kinds.all()) {
        const std::string name = (kind->group.empty() ? "/api/" : "/apis/" + kind->group + "/") +
                                 kind->version + "/" + kind->plural + "/{name}";
        all += protobuf_field(path,
                              protobuf_field(1, name) +
                                  protobuf_field(2, protobuf_field(patch, patch_operation(*kind))));
    }
    return protobuf_field(1, "2.0") +
           protobuf_field(2, protobuf_field(1, "Kubernetes") + protobuf_field(2, "v1")) +
           protobuf_field(paths, all);
}

}  // namespace capstan::simulator::api_server
