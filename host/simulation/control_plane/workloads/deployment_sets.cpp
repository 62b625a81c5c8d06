#include "simulation/control_plane/workloads/deployment_sets.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "simulation/control_plane/owners.hpp"
#include "simulation/control_plane/pod_facts.hpp"

namespace capstan::simulation {
namespace {

constexpr std::string_view hash_label = "pod-template-hash";
constexpr std::string_view applied_annotation = "kubectl.kubernetes.io/last-applied-configuration";

/// A template without what a Deployment adds to its ReplicaSets'.
json::object plain_template(const json::object& object) {
    const json::object* found = find_object(object, "spec.template");
    if (found == nullptr) return {};
    json::object out = *found;
    if (json::value* labels = make_object(out, "metadata").if_contains("labels"))
        if (labels->is_object()) labels->get_object().erase(json_view(hash_label));
    return out;
}

std::int64_t revision_of(const json::object& set) {
    const std::string_view written = annotation_of(set, revision_annotation);
    std::int64_t out = 0;
    std::from_chars(written.data(), written.data() + written.size(), out);
    return out;
}

/// By age, as old as their revision where they were made in one second.
bool is_elder(const ApiObject& a, const ApiObject& b) {
    const auto age = [](const json::object& set) {
        return std::tuple(text_at(set, "metadata.creationTimestamp"), revision_of(set),
                          text_at(set, "metadata.name"));
    };
    return age(*a) < age(*b);
}

std::int64_t next_revision(const DeploymentSets& sets) {
    std::int64_t out = 0;
    for (const ApiObject& set : sets.old) out = std::max(out, revision_of(*set));
    return out + 1;
}

/// What its author noted on the Deployment, "kubernetes.io/change-cause" above all, goes along.
void copy_annotations(const json::object& deployment, json::object& set) {
    const json::object* from = find_object(deployment, "metadata.annotations");
    if (from == nullptr) return;
    for (const auto& [key, value] : *from)
        if (view(key) != applied_annotation && !view(key).starts_with("deployment.kubernetes.io/"))
            make_object(make_object(set, "metadata"), "annotations")[key] = value;
}

json::object with_hash(const json::object& labels, std::string_view hash) {
    json::object out = labels;
    out[json_view(hash_label)] = json_view(hash);
    return out;
}

/// A name that another template has already is passed over.
std::string free_hash(ControlContext& context, const json::object& deployment,
                      const json::object& plain) {
    const std::string name(text_at(deployment, "metadata.name"));
    for (std::int64_t collisions = 0;; ++collisions) {
        const std::string hash = template_hash(plain, collisions);
        if (context.find("replicasets.apps", object_key(text_at(deployment, "metadata.namespace"),
                                                        name + "-" + hash)) == nullptr)
            return hash;
    }
}

}  // namespace

std::vector<ApiObject> DeploymentSets::all() const {
    std::vector<ApiObject> out = old;
    if (fresh != nullptr) out.push_back(fresh);
    return out;
}

DeploymentSets sets_of(ControlContext& context, const Workload& deployment) {
    DeploymentSets out;
    const json::object plain = plain_template(*deployment.object);
    out.old = claim(context, deployment, "replicasets.apps");
    std::ranges::sort(out.old, is_elder);
    const auto found = std::ranges::find_if(
        out.old, [&](const ApiObject& set) { return plain_template(*set) == plain; });
    if (found == out.old.end()) return out;
    out.fresh = *found;
    out.old.erase(found);
    return out;
}

void set_revision(ControlContext& context, const Workload& deployment, DeploymentSets& sets) {
    const std::int64_t revision = std::max(revision_of(*sets.fresh), next_revision(sets));
    const auto set = [&](json::object& fresh) {
        set_annotation(fresh, revision_annotation, std::to_string(revision));
    };
    sets.fresh = context.edit("replicasets.apps", *sets.fresh, [&](json::object& fresh) {
        copy_annotations(*deployment.object, fresh);
        set(fresh);
    });
    context.edit("deployments.apps", *deployment.object, set);
}

ApiObject make_set(ControlContext& context, const Workload& deployment, const DeploymentSets& sets,
                   std::int64_t replicas, std::int64_t limit) {
    const json::object& object = *deployment.object;
    json::object pod_template = plain_template(object);
    const std::string hash = free_hash(context, object, pod_template);
    json::object& labels = make_object(make_object(pod_template, "metadata"), "labels");
    labels[json_view(hash_label)] = hash;
    json::object selector = *find_object(object, "spec.selector");
    selector["matchLabels"] = with_hash(make_object(selector, "matchLabels"), hash);
    json::object set{
        {"metadata",
         json::object{{"name", std::string(text_at(object, "metadata.name")) + "-" + hash},
                      {"labels", labels}}},
        {"spec", json::object{{"replicas", replicas},
                              {"minReadySeconds", number_or(object, "spec.minReadySeconds", 0)},
                              {"selector", std::move(selector)},
                              {"template", std::move(pod_template)}}}};
    copy_annotations(object, set);
    set_annotation(set, revision_annotation, std::to_string(next_revision(sets)));
    set_annotation(set, desired_annotation, std::to_string(number_or(object, "spec.replicas", 1)));
    set_annotation(set, limit_annotation, std::to_string(limit));
    add_owner(set, make_controller_reference(*deployment.kind, object));
    return context.create("replicasets.apps", text_at(object, "metadata.namespace"),
                          std::move(set));
}

void forget_old_sets(ControlContext& context, const Workload& deployment,
                     const DeploymentSets& sets) {
    std::vector<ApiObject> idle;
    for (const ApiObject& set : sets.old)
        if (number_or(*set, "spec.replicas", 0) == 0 &&
            number_or(*set, "status.replicas", 0) == 0 && !is_leaving(*set))
            idle.push_back(set);
    std::ranges::sort(idle, {}, [](const ApiObject& set) { return revision_of(*set); });
    const auto keep = number_or(*deployment.object, "spec.revisionHistoryLimit", 10);
    for (std::size_t i = 0; i + static_cast<std::size_t>(keep) < idle.size(); ++i)
        context.remove("replicasets.apps", *idle[i]);
}

}  // namespace capstan::simulation
