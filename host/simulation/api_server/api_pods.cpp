/// What only pods have: a node that they are bound to, and logs.
#include "simulation/api_server/api_call.hpp"

namespace capstan::simulation {
namespace {

void set_scheduled(json::object& pod, Time now) {
    json::value& list = make_object(pod, "status")["conditions"];
    if (!list.is_array()) list.emplace_array();
    json::array kept;
    for (const json::value& item : list.get_array())
        if (!item.is_object() || text_at(item.get_object(), "type") != "PodScheduled")
            kept.push_back(item);
    kept.push_back(json::object{{"type", "PodScheduled"},
                                {"status", "True"},
                                {"lastProbeTime", nullptr},
                                {"lastTransitionTime", timestamp_text(now)}});
    list = std::move(kept);
}

void merge_metadata(json::object& pod, const json::object& binding, std::string_view key) {
    const json::object* given = find_object(binding, std::string("metadata.") + std::string(key));
    if (given == nullptr) return;
    json::object& into = make_object(make_object(pod, "metadata"), key);
    for (const auto& [name, value] : *given) into[name] = value;
}

}  // namespace

Answer<HttpReply> serve_binding(const ApiCall& call) {
    CAPSTAN_TRY(const json::object binding, parse_body(call.request));
    const std::string name = call.request.name.empty()
                                 ? std::string(text_at(binding, "metadata.name"))
                                 : call.request.name;
    const std::string node(text_at(binding, "target.name"));
    if (node.empty()) return fail(invalid("bindings", name, "target.name: Required value"));
    CAPSTAN_TRY(const ApiObject pod, call.store.get(call.kind, call.request.space, name));
    if (find_value(*pod, "metadata.deletionTimestamp") != nullptr)
        return fail(conflict("pods/binding", name,
                             "pod " + name + " is being deleted, cannot be assigned to a host"));
    if (const std::string_view bound = text_at(*pod, "spec.nodeName"); !bound.empty())
        return fail(conflict(
            "pods/binding", name,
            "pod " + name + " is already assigned to node \"" + std::string(bound) + "\""));
    const auto bind = [&](json::object& fresh) {
        set_value(fresh, "spec.nodeName", json_view(node));
        merge_metadata(fresh, binding, "labels");
        merge_metadata(fresh, binding, "annotations");
        set_scheduled(fresh, call.store.now());
    };
    WriteOptions options = write_options(call.request);
    options.part = ObjectPart::everything;
    CAPSTAN_TRY(const ApiObject kept,
                call.store.edit(call.kind, call.request.space, name, bind, options));
    return json_reply(201, success(call.kind, *kept));
}

Answer<HttpReply> serve_log(const ApiCall& call) {
    CAPSTAN_TRY(const ApiObject pod,
                call.store.get(call.kind, call.request.space, call.request.name));
    return text_reply(200, "simulated pod " + call.request.name + " on node " +
                               std::string(text_at(*pod, "spec.nodeName")) +
                               ": no program runs, so nothing is written\n");
}

}  // namespace capstan::simulation
