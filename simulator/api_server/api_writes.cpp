// POST, PUT, PATCH and DELETE of objects.
#include <boost/json/parse.hpp>

#include "simulator/api_server/api_call.hpp"
#include "simulator/api_server/json_patch.hpp"
#include "simulator/api_server/managed_fields.hpp"

namespace capstan::simulator::api_server {
namespace {

bool is_apply(const ApiRequest& request) {
    return request.content_type == "application/apply-patch+yaml";
}

Answer<json::object> patched_by_operations(const ApiRequest& request,
                                           const json::object& document) {
    boost::system::error_code error;
    const json::value operations = json::parse(request.body, error);
    if (error || !operations.is_array())
        return fail(bad_request("error decoding patch: expected a JSON array of operations"));
    json::value out = document;
    CAPSTAN_CHECK(apply_json_patch(out, operations.get_array()));
    if (!out.is_object()) return fail(bad_request("the patch result is not a JSON object"));
    return std::move(out.get_object());
}

/// Server-side apply, which creates the object if it does not exist.
Answer<HttpReply> serve_apply(const ApiCall& call) {
    const ApiRequest& request = call.request;
    if (request.option("fieldManager").empty())
        return fail(StatusError{422,
                                "Invalid",
                                "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required "
                                "value: is required for apply patch",
                                {},
                                {},
                                {}});
    CAPSTAN_TRY(json::object body, parse_body(request));
    const ResourceKind& kind = storage_kind(call);
    json::object config = to_storage_version(call, std::move(body));
    if (find_value(config, "metadata.managedFields") != nullptr)
        return fail(bad_request("metadata.managedFields must be nil"));
    const ApiObject live = call.store.find(kind, request.space, request.name);
    set_default(config, "metadata.name", json_view(request.name));
    const FieldManager manager{request.manager(), "Apply", request.subresource};
    CAPSTAN_TRY(json::object applied, apply_config(kind, live.get(), config, manager,
                                                   request.is_set("force"), call.store.now()));
    WriteOptions options = write_options(request);
    options.manager.clear();
    if (live != nullptr) {
        CAPSTAN_TRY(const ApiObject kept, call.store.update(kind, request.space, request.name,
                                                            std::move(applied), options));
        return object_reply(call, kept);
    }
    if (!request.subresource.empty()) return fail(not_found(call.kind.resource(), request.name));
    CAPSTAN_TRY(const ApiObject made,
                call.store.create(kind, request.space, std::move(applied), options));
    return object_reply(call, made, 201);
}

Answer<RemoveOptions> remove_options(const ApiRequest& request) {
    json::object body;
    if (!request.body.empty()) {
        CAPSTAN_TRY(body, parse_body(request));
    }
    RemoveOptions out;
    out.uid = text_at(body, "preconditions.uid");
    out.resource_version = text_at(body, "preconditions.resourceVersion");
    out.grace_s = integer_at(body, "gracePeriodSeconds");
    if (const std::string_view grace = request.option("gracePeriodSeconds"); !grace.empty()) {
        CAPSTAN_TRY(const std::uint64_t seconds, parse_revision(grace));
        out.grace_s = static_cast<std::int64_t>(seconds);
    }
    out.propagation = text_at(body, "propagationPolicy");
    if (out.propagation.empty()) out.propagation = request.option("propagationPolicy");
    const json::array* dry_run = find_array(body, "dryRun");
    out.is_dry_run = request.is_dry_run() || (dry_run != nullptr && !dry_run->empty());
    return out;
}

}  // namespace

WriteOptions write_options(const ApiRequest& request) {
    return {
        .part = request.subresource == "status" ? ObjectPart::status : ObjectPart::all_but_status,
        .is_dry_run = request.is_dry_run(),
        .manager = request.manager(),
        .subresource = request.subresource,
        .is_from_outside = true};
}

Answer<json::object> patched(const ApiCall& call, const json::object& document) {
    const std::string& type = call.request.content_type;
    if (type == "application/json-patch+json") return patched_by_operations(call.request, document);
    const bool is_strategic =
        type == "application/strategic-merge-patch+json" && !call.kind.is_custom;
    if (type != "application/merge-patch+json" && !is_strategic)
        return fail(StatusError{415,
                                "UnsupportedMediaType",
                                "the body of the request was in an unknown format - accepted media "
                                "types include: application/json-patch+json, "
                                "application/merge-patch+json, application/apply-patch+yaml",
                                {},
                                {},
                                {}});
    CAPSTAN_TRY(const json::object patch, parse_body(call.request));
    json::value out = document;
    if (is_strategic) {
        apply_strategic_patch(out.get_object(), patch);
    } else {
        apply_merge_patch(out, patch);
    }
    return std::move(out.get_object());
}

Answer<HttpReply> serve_create(const ApiCall& call) {
    CAPSTAN_TRY(json::object body, parse_body(call.request));
    CAPSTAN_TRY(const ApiObject made, call.store.create(storage_kind(call), call.request.space,
                                                        to_storage_version(call, std::move(body)),
                                                        write_options(call.request)));
    return object_reply(call, made, 201);
}

Answer<HttpReply> serve_update(const ApiCall& call) {
    CAPSTAN_TRY(json::object body, parse_body(call.request));
    CAPSTAN_TRY(
        const ApiObject kept,
        call.store.update(storage_kind(call), call.request.space, call.request.name,
                          to_storage_version(call, std::move(body)), write_options(call.request)));
    return object_reply(call, kept);
}

Answer<HttpReply> serve_patch(const ApiCall& call) {
    if (is_apply(call.request)) return serve_apply(call);
    CAPSTAN_TRY(const ApiObject current,
                call.store.get(call.kind, call.request.space, call.request.name));
    CAPSTAN_TRY(json::object fresh, patched(call, *in_version(call.kind, current)));
    CAPSTAN_TRY(
        const ApiObject kept,
        call.store.update(storage_kind(call), call.request.space, call.request.name,
                          to_storage_version(call, std::move(fresh)), write_options(call.request)));
    return object_reply(call, kept);
}

Answer<HttpReply> serve_delete(const ApiCall& call) {
    CAPSTAN_TRY(const RemoveOptions options, remove_options(call.request));
    CAPSTAN_TRY(const Removed removed,
                call.store.remove(call.kind, call.request.space, call.request.name, options));
    if (removed.is_gone) return json_reply(200, success(call.kind, *removed.object));
    return object_reply(call, removed.object);
}

Answer<HttpReply> serve_collection_delete(const ApiCall& call) {
    CAPSTAN_TRY(const ObjectQuery query, parse_object_query(call.kind, call.request));
    CAPSTAN_TRY(const RemoveOptions options, remove_options(call.request));
    json::array items;
    for (const ApiObject& object : call.store.list(call.kind, call.request.space).items) {
        if (!query.has(*object)) continue;
        CAPSTAN_TRY(const Removed removed,
                    call.store.remove(call.kind, namespace_of(*object), name_of(*object), options));
        items.push_back(*removed.object);
    }
    return json_reply(
        200,
        {{"kind", call.kind.kind + "List"},
         {"apiVersion", call.kind.api_version()},
         {"metadata", json::object{{"resourceVersion", std::to_string(call.store.revision())}}},
         {"items", std::move(items)}});
}

}  // namespace capstan::simulator::api_server
