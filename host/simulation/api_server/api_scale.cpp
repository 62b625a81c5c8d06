/// The scale subresource: how many there are and should be, whatever the kind.
#include "simulation/api_server/api_call.hpp"
#include "simulation/api_server/object_checks.hpp"
#include "simulation/api_server/table_cells.hpp"

namespace capstan::simulation {
namespace {

std::string scale_selector(const ResourceKind& kind, const json::object& object) {
    if (!kind.scale->selector.empty()) return std::string(text_at(object, kind.scale->selector));
    if (kind.is_custom) return {};
    const json::object* selector = find_object(object, "spec.selector");
    if (selector == nullptr) return {};
    // A replication controller's selector is labels and nothing else.
    return kind.group.empty() ? labels_text(selector) : label_query_text(*selector);
}

json::object make_scale(const ResourceKind& kind, const json::object& object) {
    json::object metadata;
    const json::object& from = object.at("metadata").as_object();
    for (const char* key : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"})
        take_member(metadata, from, key);
    json::object status{{"replicas", count_at(object, kind.scale->status_replicas)}};
    if (const std::string selector = scale_selector(kind, object); !selector.empty())
        status["selector"] = selector;
    return {{"kind", "Scale"},
            {"apiVersion", "autoscaling/v1"},
            {"metadata", std::move(metadata)},
            {"spec", json::object{{"replicas", count_at(object, kind.scale->spec_replicas)}}},
            {"status", std::move(status)}};
}

/// In the form that is asked for.
HttpReply scale_reply(const ApiCall& call, const json::object& object) {
    static const ResourceKind scales{
        .group = "autoscaling", .version = "v1", .plural = "scales", .kind = "Scale"};
    json::object scale = make_scale(call.kind, object);
    return object_reply({call.store, scales, call.request},
                        std::make_shared<const json::object>(std::move(scale)));
}

Answer<json::object> asked_scale(const ApiCall& call, const json::object& scale) {
    if (call.request.verb == "patch") return patched(call, scale);
    return parse_body(call.request);
}

}  // namespace

Answer<HttpReply> serve_scale(const ApiCall& call) {
    const ApiRequest& request = call.request;
    CAPSTAN_TRY(const ApiObject object, call.store.get(call.kind, request.space, request.name));
    if (request.verb == "get") return scale_reply(call, *object);
    CAPSTAN_TRY(const json::object asked, asked_scale(call, make_scale(call.kind, *object)));
    CAPSTAN_CHECK(check_preconditions(call.kind, *object, text_at(asked, "metadata.uid"),
                                      text_at(asked, "metadata.resourceVersion")));
    const std::int64_t replicas = count_at(asked, "spec.replicas");
    if (replicas < 0)
        return fail(invalid("scales.autoscaling", request.name,
                            "spec.replicas: Invalid value: " + std::to_string(replicas) +
                                ": must be greater than or equal to 0"));
    const auto set = [&](json::object& fresh) {
        set_value(fresh, call.kind.scale->spec_replicas, replicas);
    };
    CAPSTAN_TRY(const ApiObject kept, call.store.edit(call.kind, request.space, request.name, set,
                                                      write_options(request)));
    return scale_reply(call, *kept);
}

}  // namespace capstan::simulation
