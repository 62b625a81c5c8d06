#include "plugin_runtime/services/kube_requests.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <capstan/label_syntax.hpp>
#include <capstan/sentence.hpp>
#include <capstan/view.hpp>

#include "kubernetes/client/paths.hpp"

namespace capstan::plugin_runtime::services {
namespace {

constexpr std::size_t kube_body_limit = std::size_t{3} << 20;
constexpr std::size_t object_name_limit = 253;
constexpr std::size_t text_limit = 16 << 10;
constexpr std::uint64_t reply_default = std::uint64_t{16} << 20;
constexpr std::uint64_t reply_limit = std::uint64_t{256} << 20;
constexpr std::size_t queue_default = 1024, queue_most = 65536;

Unexpected refuse_kube_request(std::string why) {
    return fail(ErrorCode::invalid_argument, std::move(why));
}

/// Names of some kinds have colons and capital letters; none is a way to another place.
bool is_object_name(std::string_view text) {
    return !text.empty() && text.size() <= object_name_limit && text != "." && text != ".." &&
           text.find_first_of("/%") == std::string_view::npos;
}

std::string_view verb_name(std::int32_t verb) {
    switch (verb) {
        case CAPSTAN_KUBE_GET: return "get";
        case CAPSTAN_KUBE_LIST: return "list";
        case CAPSTAN_KUBE_CREATE: return "create";
        case CAPSTAN_KUBE_UPDATE: return "update";
        case CAPSTAN_KUBE_PATCH: return "patch";
        case CAPSTAN_KUBE_DELETE: return "delete";
        default: return {};
    }
}

std::string_view method_of(std::int32_t verb) {
    switch (verb) {
        case CAPSTAN_KUBE_CREATE: return "POST";
        case CAPSTAN_KUBE_UPDATE: return "PUT";
        case CAPSTAN_KUBE_PATCH: return "PATCH";
        case CAPSTAN_KUBE_DELETE: return "DELETE";
        default: return "GET";
    }
}

std::string_view patch_content(std::int32_t type) {
    switch (type) {
        case CAPSTAN_KUBE_PATCH_JSON: return "application/json-patch+json";
        case CAPSTAN_KUBE_PATCH_MERGE: return "application/merge-patch+json";
        case CAPSTAN_KUBE_PATCH_STRATEGIC: return "application/strategic-merge-patch+json";
        case CAPSTAN_KUBE_PATCH_APPLY: return "application/apply-patch+yaml";
        default: return {};
    }
}

/// Borrows from the plugin's.
Result<kubernetes::client::ApiResource> read_resource(const capstan_kube_resource* raw) {
    if (!CAPSTAN_REACHES(raw, capstan_kube_resource, kind))
        return refuse_kube_request("missing resource");
    const kubernetes::client::ApiResource out{.group = text(raw->group),
                                              .version = text(raw->version),
                                              .plural = text(raw->plural),
                                              .kind = text(raw->kind),
                                              .has_namespace = raw->has_namespace != 0};
    if (!is_dns_label(out.plural))
        return refuse_kube_request(in_quotes(out.plural) + " is not a valid resource name");
    if (!is_dns_label(out.version))
        return refuse_kube_request(in_quotes(out.version) + " is not a valid API version");
    if (!out.group.empty() && !is_dns_subdomain(out.group))
        return refuse_kube_request(in_quotes(out.group) + " is not a valid API group");
    return out;
}

config::KubeAction action_on(const kubernetes::client::ApiResource& resource, std::string_view verb,
                             capstan_str ns, capstan_str below = {}) {
    return {.group = std::string(resource.group),
            .plural = std::string(resource.plural),
            .subresource = std::string(text(below)),
            .verb = std::string(verb),
            .ns = std::string(text(ns))};
}

/// Whether namespace, name and subresource suit the verb.
Result<void> check_path(const capstan_kube_request& raw,
                        const kubernetes::client::ApiResource& resource) {
    const bool is_list = raw.verb == CAPSTAN_KUBE_LIST;
    const bool is_below = raw.subresource.len > 0;
    if (raw.ns.len > 0 && !resource.has_namespace)
        return refuse_kube_request("the resource is not namespaced");
    if (raw.ns.len > 0 && !is_dns_label(text(raw.ns)))
        return refuse_kube_request(in_quotes(text(raw.ns)) + " is not a valid namespace");
    if (raw.ns.len == 0 && resource.has_namespace && !is_list)
        return refuse_kube_request("missing namespace");
    if (is_below && !is_dns_label(text(raw.subresource)))
        return refuse_kube_request(in_quotes(text(raw.subresource)) +
                                   " is not a valid subresource");
    if (is_list && (is_below || raw.name.len > 0))
        return refuse_kube_request("a list takes no name and no subresource");
    const bool needs_name = !is_list && (raw.verb != CAPSTAN_KUBE_CREATE || is_below);
    if (needs_name && !is_object_name(text(raw.name)))
        return refuse_kube_request("missing or invalid name");
    if (!needs_name && raw.name.len > 0)
        return refuse_kube_request("the name belongs in the object, not in the request");
    return {};
}

Result<void> check_texts(const capstan_kube_request& raw) {
    const bool has_body = raw.verb == CAPSTAN_KUBE_CREATE || raw.verb == CAPSTAN_KUBE_UPDATE ||
                          raw.verb == CAPSTAN_KUBE_PATCH;
    if (has_body && raw.body.len == 0) return refuse_kube_request("missing body");
    if (raw.body.len > kube_body_limit) return refuse_kube_request("the body is larger than 3 MiB");
    for (const capstan_str each : {raw.label_selector, raw.field_selector, raw.continue_token,
                                   raw.resource_version, raw.uid, raw.field_manager}) {
        if (each.len > text_limit)
            return refuse_kube_request("a selector or token is longer than 16 KiB");
    }
    if (raw.verb == CAPSTAN_KUBE_PATCH && patch_content(raw.patch_type).empty())
        return refuse_kube_request("unknown patch type " + std::to_string(raw.patch_type));
    return {};
}

void add_text(kubernetes::client::ApiRequest::Query& query, const char* key, capstan_str value) {
    if (value.len > 0) query.emplace_back(key, text(value));
}

void describe_read(const capstan_kube_request& raw, kubernetes::client::ApiRequest& out) {
    // A page is of the version that its token names.
    if (raw.continue_token.len == 0) add_text(out.query, "resourceVersion", raw.resource_version);
    if (raw.verb != CAPSTAN_KUBE_LIST) return;
    add_text(out.query, "labelSelector", raw.label_selector);
    add_text(out.query, "fieldSelector", raw.field_selector);
    if (raw.limit > 0) out.query.emplace_back("limit", std::to_string(raw.limit));
    add_text(out.query, "continue", raw.continue_token);
}

void describe_write(const capstan_kube_request& raw, const std::string& instance,
                    kubernetes::client::ApiRequest& out) {
    out.body = text(raw.body);
    out.query.emplace_back("fieldManager", raw.field_manager.len > 0
                                               ? std::string(text(raw.field_manager))
                                               : "capstan-" + instance);
    if (raw.dry_run != 0) out.query.emplace_back("dryRun", "All");
    if (raw.verb != CAPSTAN_KUBE_PATCH) return;
    out.content_type = patch_content(raw.patch_type);
    if (raw.patch_type == CAPSTAN_KUBE_PATCH_APPLY) out.query.emplace_back("force", "true");
}

/// In the body alone: a server does not look at both.
void describe_delete(const capstan_kube_request& raw, kubernetes::client::ApiRequest& out) {
    boost::json::object options{{"apiVersion", "v1"}, {"kind", "DeleteOptions"}};
    boost::json::object only;
    if (raw.uid.len > 0) only["uid"] = text(raw.uid);
    if (raw.resource_version.len > 0) only["resourceVersion"] = text(raw.resource_version);
    if (!only.empty()) options["preconditions"] = std::move(only);
    if ((raw.present & CAPSTAN_KUBE_HAS_GRACE) != 0)
        options["gracePeriodSeconds"] = raw.grace_seconds;
    if (raw.propagation == CAPSTAN_KUBE_PROPAGATION_BACKGROUND)
        options["propagationPolicy"] = "Background";
    if (raw.propagation == CAPSTAN_KUBE_PROPAGATION_FOREGROUND)
        options["propagationPolicy"] = "Foreground";
    if (raw.propagation == CAPSTAN_KUBE_PROPAGATION_ORPHAN) options["propagationPolicy"] = "Orphan";
    if (raw.dry_run != 0) options["dryRun"] = boost::json::array{"All"};
    out.body = boost::json::serialize(options);
}

}  // namespace

Result<KubeCall> parse_kube_request(const capstan_kube_request& raw, const std::string& instance) {
    CAPSTAN_TRY(const kubernetes::client::ApiResource resource, read_resource(raw.resource));
    const std::string_view verb = verb_name(raw.verb);
    if (verb.empty()) return refuse_kube_request("unknown verb " + std::to_string(raw.verb));
    CAPSTAN_CHECK(check_path(raw, resource));
    CAPSTAN_CHECK(check_texts(raw));
    KubeCall out{.action = action_on(resource, verb, raw.ns, raw.subresource)};
    out.request.method = method_of(raw.verb);
    out.request.path = path_of(resource, text(raw.ns), text(raw.name), text(raw.subresource));
    out.request.purpose = "plugin";
    if (raw.verb == CAPSTAN_KUBE_DELETE) {
        describe_delete(raw, out.request);
    } else if (raw.verb == CAPSTAN_KUBE_GET || raw.verb == CAPSTAN_KUBE_LIST) {
        describe_read(raw, out.request);
    } else {
        describe_write(raw, instance, out.request);
    }
    out.request.max_reply_bytes =
        raw.max_reply_bytes == 0 ? reply_default : std::min(raw.max_reply_bytes, reply_limit);
    return out;
}

Result<KubeWatchTarget> parse_kube_watch(const capstan_kube_watch& raw,
                                         const std::string& instance) {
    CAPSTAN_TRY(const kubernetes::client::ApiResource resource, read_resource(raw.resource));
    if (raw.ns.len > 0 && !(resource.has_namespace && is_dns_label(text(raw.ns))))
        return refuse_kube_request(in_quotes(text(raw.ns)) +
                                   " is not a valid namespace of the resource");
    if (raw.label_selector.len > text_limit || raw.field_selector.len > text_limit)
        return refuse_kube_request("a selector is longer than 16 KiB");
    KubeWatchTarget out{.instance = instance,
                        .action = action_on(resource, "list", raw.ns),
                        .path = path_of(resource, text(raw.ns)),
                        .kind = std::string(resource.kind)};
    out.api_version = resource.group.empty()
                          ? std::string(resource.version)
                          : std::string(resource.group) + "/" + std::string(resource.version);
    add_text(out.selectors, "labelSelector", raw.label_selector);
    add_text(out.selectors, "fieldSelector", raw.field_selector);
    out.queue_limit =
        raw.queue_limit == 0 ? queue_default : std::min<std::size_t>(raw.queue_limit, queue_most);
    return out;
}

Result<kubernetes::client::EventNote> parse_kube_note(const capstan_kube_note& raw) {
    for (const capstan_str each : {raw.kind, raw.name, raw.reason}) {
        if (each.len == 0) return refuse_kube_request("an Event must have a kind, name and reason");
    }
    for (const capstan_str each : {raw.api_version, raw.kind, raw.name, raw.uid, raw.reason}) {
        if (each.len > object_name_limit)
            return refuse_kube_request("a name is longer than 253 bytes");
    }
    if (raw.ns.len > 0 && !is_dns_label(text(raw.ns)))
        return refuse_kube_request(in_quotes(text(raw.ns)) + " is not a valid namespace");
    kubernetes::client::EventNote out;
    out.about = {.api_version = std::string(text(raw.api_version)),
                 .kind = std::string(text(raw.kind)),
                 .ns = std::string(text(raw.ns)),
                 .name = std::string(text(raw.name)),
                 .uid = std::string(text(raw.uid))};
    out.is_warning = raw.warning != 0;
    out.reason = text(raw.reason);
    out.message = text(raw.message).substr(0, text_limit);
    // An Event about an object of a plugin is not aggregated with others, unlike that of one pod of
    // many.
    out.is_distinct = true;
    return out;
}

std::string title_of(const KubeWatchTarget& what) {
    const config::KubeAction& action = what.action;
    std::string out = action.plural + (action.group.empty() ? "" : "." + action.group);
    if (!action.ns.empty()) out += " in " + action.ns;
    for (const auto& [key, selector] : what.selectors) out += " (" + selector + ")";
    return out + " for plugin " + what.instance;
}

config::KubeAction action_of(const kubernetes::client::EventNote& note) {
    // Events about cluster-scoped objects are in the namespace "default".
    return {.plural = "events",
            .verb = "create",
            .ns = note.about.ns.empty() ? "default" : note.about.ns};
}

Error missing_grant(const std::string& instance, const config::KubeAction& action) {
    return {ErrorCode::permission, "not granted: add " + in_quotes(config::grant_for(action)) +
                                       " to plugin." + instance + ".grants.kube"};
}

}  // namespace capstan::plugin_runtime::services
