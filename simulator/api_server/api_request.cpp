#include "simulator/api_server/api_request.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include <boost/json/parse.hpp>

#include "io/http_syntax.hpp"
#include "io/url.hpp"
#include "simulator/api_server/protobuf_body.hpp"

namespace capstan::simulator::api_server {
namespace {

struct MergeKey {
    std::string_view field, key;
};

/// The patchMergeKey of lists in core/v1 and related groups; taints and tolerations have none.
constexpr std::array merge_keys = {
    MergeKey{"containers", "name"},
    MergeKey{"initContainers", "name"},
    MergeKey{"ephemeralContainers", "name"},
    MergeKey{"env", "name"},
    MergeKey{"volumes", "name"},
    MergeKey{"volumeMounts", "mountPath"},
    MergeKey{"volumeDevices", "devicePath"},
    MergeKey{"conditions", "type"},
    MergeKey{"addresses", "type"},
    MergeKey{"ownerReferences", "uid"},
    MergeKey{"imagePullSecrets", "name"},
    MergeKey{"hostAliases", "ip"},
    MergeKey{"podIPs", "ip"},
    MergeKey{"hostIPs", "ip"},
    MergeKey{"secrets", "name"},
    MergeKey{"topologySpreadConstraints", "topologyKey"},
    MergeKey{"resourceClaims", "name"},
    MergeKey{"volumesAttached", "name"},
    MergeKey{"schedulingGates", "name"},
};

}  // namespace

std::string_view merge_key(const ListPlace& place) {
    if (place.field == "ports") {
        if (place.is_custom) return {};
        if (place.parent == "spec") return "port";
        return place.parent.ends_with("ontainers") ? "containerPort" : "";
    }
    if (place.is_custom && place.field != "ownerReferences") return {};
    const auto found = std::ranges::find(merge_keys, place.field, &MergeKey::field);
    return found == merge_keys.end() ? std::string_view() : found->key;
}

bool is_set(const ListPlace& place) {
    return place.field == "finalizers" && place.parent == "metadata";
}

json::object* find_element(json::array& list, std::string_view key, const json::value& value) {
    for (json::value& item : list) {
        json::object* object = item.if_object();
        const json::value* member =
            object == nullptr ? nullptr : object->if_contains(json_view(key));
        if (member != nullptr && *member == value) return object;
    }
    return nullptr;
}

namespace {

std::vector<std::string_view> split_at(std::string_view text, char at) {
    std::vector<std::string_view> out;
    for (std::size_t start = 0;;) {
        const std::size_t end = text.find(at, start);
        out.push_back(text.substr(start, end == std::string_view::npos ? end : end - start));
        if (end == std::string_view::npos) return out;
        start = end + 1;
    }
}

/// The schemas of custom resource definitions are nested deeper than other objects.
constexpr std::size_t body_depth_max = 256;

std::string_view media_parameter(const std::vector<std::string_view>& parts,
                                 std::string_view name) {
    for (const std::string_view part : parts) {
        const std::string_view text = io::trimmed(part);
        if (text.starts_with(name) && text.substr(name.size()).starts_with('='))
            return text.substr(name.size() + 1);
    }
    return {};
}

std::optional<Accepted> form_of(std::string_view range) {
    const auto parts = split_at(range, ';');
    const std::string_view type = io::trimmed(parts.front());
    const std::string_view as = media_parameter(parts, "as"), version = media_parameter(parts, "v");
    if (as == "APIGroupDiscoveryList") {
        if (type != "application/json") return std::nullopt;
        if (version == "v2") return Accepted{Form::discovery_v2, {}};
        if (version == "v2beta1") return Accepted{Form::discovery_v2beta1, {}};
        return std::nullopt;
    }
    const bool is_meta = media_parameter(parts, "g") == "meta.k8s.io" &&
                         (version == "v1" || version == "v1beta1") && type == "application/json";
    if (as == "Table" && is_meta) return Accepted{Form::table, std::string(version)};
    if (as.starts_with("PartialObjectMetadata") && is_meta)
        return Accepted{Form::metadata, std::string(version)};
    if (!as.empty()) return std::nullopt;
    if (type == "application/json" || type == "*/*" || type == "application/*" ||
        type.starts_with("text/") || type.starts_with("application/com.github.proto-openapi"))
        return Accepted{};
    return std::nullopt;
}

void read_query(std::string_view text, ApiRequest& out) {
    if (text.empty()) return;
    for (const std::string_view pair : split_at(text, '&')) {
        const std::size_t equals = pair.find('=');
        const std::string_view value =
            equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
        out.query.emplace(io::decode_escapes(pair.substr(0, equals), true),
                          io::decode_escapes(value, true));
    }
}

/// Reads /api/v1/... or /apis/group/version/..., followed by an optional namespace, a resource, an
/// optional name and an optional subresource.
void read_path(ApiRequest& out) {
    std::vector<std::string> steps;
    for (const std::string_view step : split_at(std::string_view(out.path).substr(1), '/'))
        steps.push_back(io::decode_escapes(step, false));
    const bool is_core = steps.front() == "api";
    const std::size_t start = is_core ? 2 : 3;
    if ((!is_core && steps.front() != "apis") || steps.size() < start) return;
    if (!is_core) out.group = steps[1];
    out.version = steps[start - 1];
    std::size_t at = start;
    const auto next = [&] { return at < steps.size() ? steps[at++] : std::string(); };
    const bool is_in_space = steps.size() >= start + 3 && steps[start] == "namespaces" &&
                             steps[start + 2] != "status" && steps[start + 2] != "finalize";
    if (is_in_space) {
        ++at;
        out.space = next();
    }
    out.plural = next();
    out.name = next();
    out.subresource = next();
}

std::string verb_of(const ApiRequest& request, const std::string& method) {
    if (method == "GET" || method == "HEAD") {
        if (request.is_set("watch")) return "watch";
        return request.name.empty() ? "list" : "get";
    }
    if (method == "POST") return "create";
    if (method == "PUT") return "update";
    if (method == "PATCH") return "patch";
    if (method != "DELETE") return {};
    return request.name.empty() ? "deletecollection" : "delete";
}

}  // namespace

std::optional<Accepted> accepted_form(std::string_view accept) {
    if (accept.empty()) return Accepted{};
    for (const std::string_view range : split_at(accept, ','))
        if (auto form = form_of(range)) return form;
    return std::nullopt;
}

std::string_view ApiRequest::option(std::string_view key) const {
    const auto found = query.find(key);
    return found == query.end() ? std::string_view() : std::string_view(found->second);
}

std::string ApiRequest::manager() const {
    if (const std::string_view named = option("fieldManager"); !named.empty())
        return std::string(named);
    return user_agent.empty() ? "unknown" : user_agent.substr(0, user_agent.find('/'));
}

Answer<ApiRequest> parse_request(const io::ServedRequest& request) {
    ApiRequest out;
    const std::string_view target = request.target;
    const std::size_t mark = target.find('?');
    out.path = std::string(target.substr(0, mark));
    if (!out.path.starts_with('/')) return fail(bad_request("the path does not start with /"));
    if (mark != std::string_view::npos) read_query(target.substr(mark + 1), out);
    read_path(out);
    const std::string_view type = request.header("content-type");
    out.content_type = std::string(io::trimmed(type.substr(0, type.find(';'))));
    out.user_agent = std::string(request.header("user-agent"));
    out.body = request.body;
    out.verb = verb_of(out, request.method);
    const auto form = accepted_form(request.header("accept"));
    if (!form)
        return fail(StatusError{406,
                                "NotAcceptable",
                                "only the following media types are accepted: application/json",
                                {},
                                {},
                                {}});
    out.accepted = *form;
    return out;
}

Answer<json::object> parse_body(const ApiRequest& request) {
    const std::string& type = request.content_type;
    if (type == "application/vnd.kubernetes.protobuf") return parse_protobuf_body(request.body);
    const bool is_json = type.empty() || type == "application/json" || type.ends_with("+json") ||
                         type == "application/apply-patch+yaml" || type == "*/*";
    if (!is_json)
        return fail(StatusError{415,
                                "UnsupportedMediaType",
                                "the body of the request was in an unknown format - accepted media "
                                "types include: application/json",
                                {},
                                {},
                                {}});
    boost::system::error_code error;
    json::value parsed = json::parse(request.body, error, {}, {.max_depth = body_depth_max});
    if (error || !parsed.is_object())
        return fail(bad_request("the object provided is unrecognized: " +
                                (error ? error.message() : "not a JSON object")));
    return std::move(parsed.get_object());
}

Answer<std::uint64_t> parse_revision(std::string_view text) {
    std::uint64_t out = 0;
    if (text.empty()) return out;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error != std::errc() || end != text.data() + text.size())
        return fail(bad_request("resourceVersion: Invalid value: \"" + std::string(text) +
                                "\": strconv.ParseUint: parsing \"" + std::string(text) +
                                "\": invalid syntax"));
    return out;
}

}  // namespace capstan::simulator::api_server
