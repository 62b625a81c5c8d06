#include "autoscaler/dump/dumped_api.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <capstan/ascii.hpp>
#include <capstan/labels.hpp>
#include <capstan/selector_text.hpp>
#include <capstan/url.hpp>

#include "kubernetes/base/json_path.hpp"
#include "kubernetes/client/api_status.hpp"
#include "kubernetes/client/paths.hpp"

namespace capstan::autoscaler::dump {
namespace {

namespace json = boost::json;
using kubernetes::base::text_at;
using kubernetes::client::ApiReply;
using kubernetes::client::ApiRequest;

/// The API groups that each server has.
constexpr std::array<std::string_view, 6> own_groups{
    "", "apps", "batch", "policy", "storage.k8s.io", "coordination.k8s.io"};

/// The parts of "/apis/GROUP/VERSION/namespaces/NS/PLURAL/NAME".
struct ApiPath {
    std::string group{}, version{}, ns{}, plural{};
    std::string name{};  ///< empty: the collection
};

/// Absent: the path is of another form.
std::optional<std::vector<std::string>> segments_of(std::string_view path) {
    std::vector<std::string> out;
    while (path.starts_with('/')) {
        path.remove_prefix(1);
        const std::size_t end = std::min(path.find('/'), path.size());
        Result<std::string> segment = percent_decode(path.substr(0, end));
        if (!segment) return std::nullopt;
        out.push_back(*std::move(segment));
        path.remove_prefix(end);
    }
    return out;
}

std::optional<ApiPath> parse_path(std::string_view path) {
    const auto segments = segments_of(path);
    if (!segments || segments->empty()) return std::nullopt;
    const bool is_core = segments->front() == "api";
    std::size_t at = is_core ? 1 : 2;  // of the version
    if ((!is_core && segments->front() != "apis") || segments->size() < at + 2) return std::nullopt;
    ApiPath out{.group = is_core ? "" : (*segments)[1], .version = (*segments)[at++]};
    if ((*segments)[at] == "namespaces" && segments->size() > at + 2) {
        out.ns = (*segments)[at + 1];
        at += 2;
    }
    out.plural = (*segments)[at++];
    if (at < segments->size()) out.name = (*segments)[at++];
    return at == segments->size() ? std::optional(out) : std::nullopt;
}

std::string query_of(const ApiRequest& request, std::string_view key) {
    const auto found = std::ranges::find(request.query, key, &ApiRequest::Query::value_type::first);
    return found == request.query.end() ? std::string() : found->second;
}

Labels labels_of(const json::object& object) {
    Labels out;
    const json::object* const labels = kubernetes::base::find_object(object, "metadata.labels");
    if (labels == nullptr) return out;
    for (const auto& [key, value] : *labels)
        if (value.is_string()) out.emplace(key, value.get_string());
    return out;
}

/// Whether the object has all fields of the selector "metadata.name=web,metadata.namespace=shop".
Result<bool> has_fields(const json::object& object, std::string_view selector) {
    while (!selector.empty()) {
        const std::size_t end = std::min(selector.find(','), selector.size());
        std::string_view value = selector.substr(0, end);
        const std::size_t sign = std::min(value.find('='), value.size());
        const std::string_view field = value.substr(0, sign);
        if (field != "metadata.name" && field != "metadata.namespace")
            return fail(ErrorCode::invalid_argument,
                        "field selector not supported: " + std::string(value));
        value.remove_prefix(std::min(value.find_first_not_of('=', sign), value.size()));
        if (text_at(object, field) != value) return false;
        selector.remove_prefix(std::min(end + 1, selector.size()));
    }
    return true;
}

Unexpected not_in_dump(const ApiRequest& request) {
    return fail(Error{ErrorCode::not_found,
                      request.method + " " + request.path + ": 404 NotFound: not in the dump",
                      "NotFound"});
}

std::string list_text(const std::string& group, const std::string& version, const std::string& kind,
                      json::array items) {
    return json::serialize(
        json::object{{"kind", kind + "List"},
                     {"apiVersion", group.empty() ? version : group + "/" + version},
                     {"metadata", json::object{{"resourceVersion", "1"}}},
                     {"items", std::move(items)}});
}

}  // namespace

DumpedApi::DumpedApi(io::Loop& loop) : later_(loop) {
    const kubernetes::client::ApiResource& maps = kubernetes::client::resources::config_maps;
    kinds_.push_back({.version = std::string(maps.version),
                      .plural = std::string(maps.plural),
                      .kind = std::string(maps.kind)});
}

Result<std::unique_ptr<DumpedApi>> DumpedApi::make(io::Loop& loop,
                                                   const std::vector<std::string>& objects) {
    std::unique_ptr<DumpedApi> out(new DumpedApi(loop));
    for (const std::string& text : objects) CAPSTAN_CHECK(out->add(text));
    return out;
}

/// The plural of a kind that is not known is KINDs.
Result<void> DumpedApi::add(const std::string& text) {
    CAPSTAN_TRY(json::object object, kubernetes::base::parse_json_object(text));
    const std::string api_version(text_at(object, "apiVersion")), kind(text_at(object, "kind"));
    if (api_version.empty() || kind.empty())
        return fail(ErrorCode::invalid_argument, "an object has no apiVersion or no kind");
    const std::size_t slash = api_version.find('/');
    const std::string group = slash == std::string::npos ? "" : api_version.substr(0, slash);
    const std::string version =
        slash == std::string::npos ? api_version : api_version.substr(slash + 1);
    auto of = std::ranges::find_if(kinds_, [&](const DumpedKind& known) {
        return known.group == group && known.version == version && known.kind == kind;
    });
    if (of == kinds_.end())
        of = kinds_.insert(of, {group, version, lower_case(kind) + "s", kind, {}});
    of->objects.push_back(std::move(object));
    return {};
}

const DumpedApi::DumpedKind* DumpedApi::find_kind(std::string_view group, std::string_view version,
                                                  std::string_view plural) const {
    const auto found = std::ranges::find_if(kinds_, [&](const DumpedKind& known) {
        return known.group == group && known.version == version && known.plural == plural;
    });
    return found == kinds_.end() ? nullptr : &*found;
}

/// The body of the reply.
Result<std::string> DumpedApi::answer(const ApiRequest& request) const {
    if (request.method != "GET")
        return fail(ErrorCode::cancelled,
                    request.method + " " + request.path + ": not sent: a dump is not changed");
    if (request.path == "/api" || request.path == "/apis") return discovery(request.path == "/api");
    const auto path = parse_path(request.path);
    if (!path) return not_in_dump(request);
    const DumpedKind* const kind = find_kind(path->group, path->version, path->plural);
    if (kind == nullptr) {
        const bool is_empty = path->name.empty() && std::ranges::count(own_groups, path->group) > 0;
        if (!is_empty) return not_in_dump(request);
        return list_text(path->group, path->version, "", {});
    }
    CAPSTAN_TRY(const LabelSelector labels, parse_selector(query_of(request, "labelSelector")));
    const std::string fields = query_of(request, "fieldSelector");
    json::array items;
    for (const json::object& object : kind->objects) {
        if (!path->ns.empty() && text_at(object, "metadata.namespace") != path->ns) continue;
        if (!path->name.empty()) {
            if (text_at(object, "metadata.name") == path->name) return json::serialize(object);
            continue;
        }
        CAPSTAN_TRY(const bool has_all_fields, has_fields(object, fields));
        if (has_all_fields && matches(labels, labels_of(object))) items.push_back(object);
    }
    if (!path->name.empty()) return not_in_dump(request);
    return list_text(kind->group, kind->version, kind->kind, std::move(items));
}

/// The kinds of the core group, or those of all other groups.
std::string DumpedApi::discovery(bool is_core) const {
    std::map<std::string, std::map<std::string, json::array>> by_group;  // and by version
    for (const DumpedKind& kind : kinds_) {
        if (kind.group.empty() != is_core) continue;
        by_group[kind.group][kind.version].push_back(
            json::object{{"resource", kind.plural},
                         {"scope", "Namespaced"},
                         {"responseKind", json::object{{"kind", kind.kind}}}});
    }
    json::array groups;
    for (auto& [group, by_version] : by_group) {
        json::array versions;
        for (auto& [version, resources] : by_version)
            versions.push_back(
                json::object{{"version", version}, {"resources", std::move(resources)}});
        groups.push_back(json::object{{"metadata", json::object{{"name", group}}},
                                      {"versions", std::move(versions)}});
    }
    return json::serialize(
        json::object{{"kind", "APIGroupDiscoveryList"}, {"items", std::move(groups)}});
}

kubernetes::client::Api::RequestId DumpedApi::send(ApiRequest request, Done done) {
    return open(request, {}, std::move(done));
}

kubernetes::client::Api::RequestId DumpedApi::stream(ApiRequest request, Part on_part, Done done) {
    return open(request, std::move(on_part), std::move(done));
}

kubernetes::client::Api::RequestId DumpedApi::open(const ApiRequest& request, Part on_part,
                                                   Done done) {
    const RequestId id = ++last_;
    open_.emplace(id, Call{std::move(on_part), std::move(done)});
    later_.call([this, id, is_watch = kubernetes::client::is_watch(request),
                 body = answer(request)] { finish(id, is_watch, body); });
    return id;
}

void DumpedApi::finish(RequestId id, bool is_watch, const Result<std::string>& answer) {
    const auto call = open_.find(id);
    if (call == open_.end()) return;
    const Part on_part = call->second.on_part;
    if (answer) notifier_.notify();
    if (answer && on_part) {
        on_part({});
        if (is_watch) return;
        on_part(*answer);
    }
    // A callback may have cancelled the request.
    const auto ended = open_.extract(id);
    if (ended.empty()) return;
    if (!answer) return ended.mapped().done(fail(answer.error()));
    ended.mapped().done(ApiReply{.status = 200, .body = on_part ? std::string() : *answer});
}

void DumpedApi::cancel(RequestId id) {
    auto ended = open_.extract(id);
    if (ended.empty()) return;
    later_.call([done = std::move(ended.mapped().done)] {
        done(fail(ErrorCode::cancelled, "the request was cancelled"));
    });
}

}  // namespace capstan::autoscaler::dump
