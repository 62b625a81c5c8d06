#include "simulation/control_plane/workloads/revisions.hpp"

#include <algorithm>
#include <utility>

#include "simulation/control_plane/owners.hpp"
#include "simulation/control_plane/pod_facts.hpp"

namespace capstan::simulation {
namespace {

constexpr std::string_view revisions_resource = "controllerrevisions.apps";

/// The template as a revision keeps it: a patch that `kubectl rollout undo` applies.
json::object revision_data(const json::object& object) {
    json::object pod_template = *find_object(object, "spec.template");
    pod_template["$patch"] = "replace";
    return {{"spec", json::object{{"template", std::move(pod_template)}}}};
}

/// The eldest first.
std::vector<ApiObject> revisions_of(ControlContext& context, const Workload& workload) {
    auto out = context.index().controlled_by(text_at(*workload.object, "metadata.uid"),
                                             revisions_resource);
    std::ranges::sort(out, {}, [](const ApiObject& revision) {
        return std::pair(number_or(*revision, "revision", 0),
                         std::string(text_at(*revision, "metadata.name")));
    });
    return out;
}

ApiObject make_revision(ControlContext& context, const Workload& workload, json::object data,
                        std::int64_t number) {
    const json::object& object = *workload.object;
    const std::string_view space = text_at(object, "metadata.namespace");
    for (std::int64_t collisions = 0;; ++collisions) {
        const std::string hash = template_hash(data, collisions);
        const std::string name = std::string(text_at(object, "metadata.name")) + "-" + hash;
        if (context.find(revisions_resource, object_key(space, name)) != nullptr) continue;
        json::object labels;
        if (const json::object* own = find_object(object, "spec.template.metadata.labels"))
            labels = *own;
        labels[json_view(revision_label)] = hash;
        json::object out{{"metadata", json::object{{"name", name}, {"labels", std::move(labels)}}},
                         {"data", std::move(data)},
                         {"revision", number}};
        add_owner(out, make_controller_reference(*workload.kind, object));
        return context.create(revisions_resource, space, std::move(out));
    }
}

}  // namespace

ApiObject present_revision(ControlContext& context, const Workload& workload) {
    if (find_object(*workload.object, "spec.template") == nullptr) return nullptr;
    json::object data = revision_data(*workload.object);
    const std::vector<ApiObject> known = revisions_of(context, workload);
    const std::int64_t highest = known.empty() ? 0 : number_or(*known.back(), "revision", 0);
    const auto same = std::ranges::find_if(known, [&](const ApiObject& revision) {
        const json::object* kept = find_object(*revision, "data");
        return kept != nullptr && *kept == data;
    });
    if (same == known.end()) return make_revision(context, workload, std::move(data), highest + 1);
    if (*same == known.back()) return *same;
    return context.edit(revisions_resource, **same,
                        [&](json::object& fresh) { fresh["revision"] = highest + 1; });
}

ApiObject find_revision(ControlContext& context, const Workload& workload, std::string_view name) {
    return context.find(revisions_resource,
                        object_key(text_at(*workload.object, "metadata.namespace"), name));
}

Workload at_revision(const Workload& workload, const json::object& revision) {
    json::object object = *workload.object;
    json::object pod_template = *find_object(revision, "data.spec.template");
    pod_template.erase("$patch");
    set_value(object, "spec.template", std::move(pod_template));
    return {workload.kind, std::make_shared<const json::object>(std::move(object)),
            workload.component};
}

void forget_old_revisions(ControlContext& context, const Workload& workload,
                          const std::set<std::string, std::less<>>& used) {
    std::vector<ApiObject> idle = revisions_of(context, workload);
    std::erase_if(idle, [&](const ApiObject& revision) {
        return used.contains(text_at(*revision, "metadata.name"));
    });
    const auto keep = number_or(*workload.object, "spec.revisionHistoryLimit", 10);
    for (std::size_t i = 0;
         i + static_cast<std::size_t>(std::max<std::int64_t>(keep, 0)) < idle.size(); ++i)
        context.remove(revisions_resource, *idle[i]);
}

}  // namespace capstan::simulation
