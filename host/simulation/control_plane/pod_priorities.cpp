#include "simulation/control_plane/pod_priorities.hpp"

#include "simulation/control_plane/context/object_fields.hpp"

namespace capstan::simulation::control_plane {
namespace {

constexpr std::string_view priority_classes_resource = "priorityclasses.scheduling.k8s.io";

struct Builtin {
    std::string_view name;
    std::int64_t value;
};

constexpr Builtin builtins[] = {{"system-cluster-critical", 2'000'000'000},
                                {"system-node-critical", 2'000'001'000}};

}  // namespace

PodPriorities::PodPriorities(ControlContext& context) : context_(context) {
    context.feed().listen("pods", [this](const api_server::Change& change) { admit(change); });
}

void PodPriorities::start() {
    for (const Builtin& builtin : builtins)
        context_.create(priority_classes_resource, "",
                        {{"metadata", json::object{{"name", api_server::json_view(builtin.name)}}},
                         {"value", builtin.value},
                         {"globalDefault", false}});
}

void PodPriorities::admit(const api_server::Change& change) {
    const std::string_view name = api_server::text_at(*change.object, "spec.priorityClassName");
    if (change.type != api_server::ChangeType::added || name.empty()) return;
    const api_server::ApiObject found =
        context_.find(priority_classes_resource, api_server::object_key("", name));
    if (found == nullptr) return;
    const std::int64_t value = number_or(*found, "value", 0);
    if (number_or(*change.object, "spec.priority", 0) == value) return;
    context_.edit("pods", *change.object,
                  [&](json::object& pod) { api_server::set_value(pod, "spec.priority", value); });
}

}  // namespace capstan::simulation::control_plane
