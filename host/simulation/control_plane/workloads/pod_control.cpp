#include "simulation/control_plane/workloads/pod_control.hpp"

#include <algorithm>
#include <utility>

#include <boost/json/serialize.hpp>

#include "simulation/api_server/object_checks.hpp"
#include "simulation/control_plane/context/object_fields.hpp"

namespace capstan::simulation::control_plane {
namespace {

void add_controller(const api_server::ResourceKind& kind, const json::object& dependent,
                    ReconcileQueue& queue) {
    const json::object* controller = find_controller(dependent);
    if (controller != nullptr && api_server::text_at(*controller, "kind") == kind.kind &&
        api_server::text_at(*controller, "apiVersion") == kind.api_version())
        queue.add(api_server::object_key(api_server::text_at(dependent, "metadata.namespace"),
                                         api_server::text_at(*controller, "name")));
}

void add_adopters(ControlContext& context, const api_server::ResourceKind& kind,
                  const json::object& orphan, ReconcileQueue& queue) {
    for (const api_server::ApiObject& object :
         context.store().list(kind, api_server::text_at(orphan, "metadata.namespace")).items)
        if (api_server::has_labels(orphan, selector_of({&kind, object})))
            queue.add(api_server::object_key(*object));
}

bool adopt(ControlContext& context, const Workload& workload, std::string_view resource,
           const json::object& orphan) {
    return context.edit(resource, orphan, [&](json::object& fresh) {
        add_owner(fresh, make_controller_reference(*workload.kind, *workload.object));
    }) != nullptr;
}

void release(ControlContext& context, const Workload& workload, std::string_view resource,
             const json::object& dependent) {
    context.edit(resource, dependent, [&](json::object& fresh) {
        remove_owner(fresh, api_server::text_at(*workload.object, "metadata.uid"));
    });
}

}  // namespace

void watch_workloads(ControlContext& context, std::string_view resource, std::string_view dependent,
                     ReconcileQueue& queue) {
    context.feed().listen(resource, [&](const api_server::Change& change) {
        queue.add(api_server::object_key(*change.object));
    });
    const api_server::ResourceKind& kind = context.kind(resource);
    context.feed().listen(dependent, [&](const api_server::Change& change) {
        add_controller(kind, *change.object, queue);
        if (change.before != nullptr) add_controller(kind, *change.before, queue);
        if (change.type != api_server::ChangeType::deleted &&
            find_controller(*change.object) == nullptr)
            add_adopters(context, kind, *change.object, queue);
    });
}

api_server::LabelQuery selector_of(const Workload& workload) {
    const json::object* selector = api_server::find_object(*workload.object, "spec.selector");
    if (selector == nullptr) return {{"", Operator::in, {}}};
    // A replication controller's selector is labels and nothing else.
    if (workload.kind->kind != "ReplicationController")
        return api_server::label_query_of(*selector);
    return api_server::label_query_of(json::object{{"matchLabels", *selector}});
}

std::vector<api_server::ApiObject> claim(ControlContext& context, const Workload& workload,
                                         std::string_view resource) {
    const api_server::LabelQuery selector = selector_of(workload);
    const std::string_view uid = api_server::text_at(*workload.object, "metadata.uid");
    if (!is_leaving(*workload.object))
        for (const api_server::ApiObject& orphan : context.index().without_controller(
                 api_server::text_at(*workload.object, "metadata.namespace"), resource))
            if (api_server::has_labels(*orphan, selector) && !is_leaving(*orphan))
                adopt(context, workload, resource, *orphan);
    std::vector<api_server::ApiObject> out;
    for (api_server::ApiObject& dependent : context.index().controlled_by(uid, resource)) {
        if (api_server::has_labels(*dependent, selector)) {
            out.push_back(std::move(dependent));
        } else if (!is_leaving(*workload.object)) {
            release(context, workload, resource, *dependent);
        }
    }
    return out;
}

json::object make_pod(const Workload& workload) {
    const json::object& object = *workload.object;
    json::object pod;
    json::object& metadata = api_server::make_object(pod, "metadata");
    if (const json::object* from = api_server::find_object(object, "spec.template.metadata"))
        for (const char* key : {"labels", "annotations", "finalizers"})
            api_server::take_member(metadata, *from, key);
    metadata["generateName"] = std::string(api_server::text_at(object, "metadata.name")) + "-";
    if (const json::object* spec = api_server::find_object(object, "spec.template.spec"))
        pod["spec"] = *spec;
    add_owner(pod, make_controller_reference(*workload.kind, object));
    return pod;
}

api_server::ApiObject create_pod(ControlContext& context, const Workload& workload,
                                 json::object pod) {
    const api_server::ApiObject made = context.create(
        "pods", api_server::text_at(*workload.object, "metadata.namespace"), std::move(pod));
    if (made == nullptr) {
        context.events().record(*workload.kind, *workload.object,
                                {workload.component, "FailedCreate", "Error creating a pod", true});
    } else {
        tell(context, workload, "SuccessfulCreate",
             "Created pod: " + std::string(api_server::text_at(*made, "metadata.name")));
    }
    return made;
}

void delete_pod(ControlContext& context, const Workload& workload, const json::object& pod) {
    context.remove("pods", pod);
    tell(context, workload, "SuccessfulDelete",
         "Deleted pod: " + std::string(api_server::text_at(pod, "metadata.name")));
}

void tell(ControlContext& context, const Workload& workload, std::string_view reason,
          std::string message) {
    context.events().record(*workload.kind, *workload.object,
                            {workload.component, reason, std::move(message)});
}

api_server::ApiObject write_status(ControlContext& context, const Workload& workload,
                                   const std::function<void(json::object&)>& change) {
    return context.edit(workload.kind->resource(), *workload.object, change,
                        api_server::ObjectPart::status);
}

std::string template_hash(const json::object& pod_template, std::int64_t collisions) {
    // FNV-1a, 64 bits.
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : json::serialize(pod_template) + std::to_string(collisions))
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    const std::string all = api_server::name_suffix(hash) + api_server::name_suffix(hash >> 32);
    return all;
}

}  // namespace capstan::simulation::control_plane
