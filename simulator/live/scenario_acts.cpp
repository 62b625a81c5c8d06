// The actions of a scenario, carried out on the objects of a live cluster.
#include <algorithm>
#include <utility>

#include <capstan/sentence.hpp>

#include "simulator/control_plane/control_plane.hpp"
#include "simulator/live/live_cloud.hpp"
#include "simulator/live/manifests.hpp"
#include "simulator/live/scenario_player.hpp"
#include "simulator/workload_objects.hpp"

namespace capstan::simulator::live {
namespace {

/// A refusal of the API server as an Error.
template <class T>
Result<T> as_result(api_server::Answer<T> answer) {
    if (answer) return *std::move(answer);
    const int code = answer.error().code;
    return fail(code == 404 ? ErrorCode::not_found : ErrorCode::invalid_argument,
                answer.error().message);
}

/// Namespace and name of "NAME" or "NAMESPACE/NAME".
std::pair<std::string, std::string> split(const std::string& name) {
    const std::size_t slash = name.find('/');
    if (slash == std::string::npos) return {"default", name};
    return {name.substr(0, slash), name.substr(slash + 1)};
}

Unexpected no_such_object(const std::string& name) {
    return fail(ErrorCode::not_found, "no batch, pod or node " + in_quotes(name));
}

json::array& make_list(json::object& object, std::string_view key) {
    json::value& value = object[api_server::json_view(key)];
    if (!value.is_array()) value.emplace_array();
    return value.get_array();
}

void set_taints(json::object& node, const NodeEdit& edit) {
    json::array& taints = make_list(api_server::make_object(node, "spec"), "taints");
    const auto drop = [&](std::string_view key) {
        for (std::size_t i = taints.size(); i-- > 0;) {
            if (api_server::text_at(taints[i].as_object(), "key") == key)
                taints.erase(taints.begin() + static_cast<std::ptrdiff_t>(i));
        }
    };
    for (const std::string& key : edit.drop_taints) drop(key);
    for (const Taint& taint : edit.set_taints) {
        drop(taint.key);
        taints.push_back(json::object{{"key", taint.key},
                                      {"value", taint.value},
                                      {"effect", api_server::json_view(name_of(taint.effect))}});
    }
    if (taints.empty()) api_server::make_object(node, "spec").erase("taints");
}

void set_entries(json::object& node, std::string_view member,
                 const std::map<std::string, std::optional<std::string>>& entries) {
    json::object& object =
        api_server::make_object(api_server::make_object(node, "metadata"), member);
    for (const auto& [key, value] : entries) {
        if (value) {
            object[key] = *value;
        } else {
            object.erase(key);
        }
    }
}

/// A node is made unready by stopping its kubelet, so its Ready condition becomes Unknown later.
void set_annotations(json::object& node, const NodeEdit& edit) {
    set_entries(node, "annotations", edit.annotations);
    if (!edit.ready) return;
    json::object& annotations =
        api_server::make_object(api_server::make_object(node, "metadata"), "annotations");
    if (*edit.ready) {
        annotations.erase(api_server::json_view(control_plane::kubelet_annotation));
    } else {
        annotations[api_server::json_view(control_plane::kubelet_annotation)] = "stopped";
    }
}

std::string describe_edit(const NodeEdit& edit) {
    std::string out;
    for (const Taint& taint : edit.set_taints)
        out += ", taint " + taint.key + ":" + std::string(name_of(taint.effect)) + " added";
    for (const std::string& key : edit.drop_taints) out += ", taint " + key + " removed";
    if (edit.cordoned) out += *edit.cordoned ? ", cordoned" : ", uncordoned";
    return out;
}

}  // namespace

Result<void> ScenarioPlayer::create_space(const std::string& name) {
    const api_server::ResourceKind& spaces = store_.kind("namespaces");
    if (name.empty() || store_.find(spaces, "", name) != nullptr) return {};
    CAPSTAN_CHECK(as_result(
        store_.create(spaces, "", json::object{{"metadata", json::object{{"name", name}}}})));
    return {};
}

Result<void> ScenarioPlayer::create(const Manifest& manifest) {
    CAPSTAN_CHECK(create_space(manifest.ns));
    CAPSTAN_CHECK(
        as_result(store_.create(store_.kind(manifest.resource), manifest.ns, manifest.object)));
    return {};
}

Result<std::string> ScenarioPlayer::carry_out(const PodBatch& batch) {
    std::string summary = counted(batch.count.value_or(1), "pod") + " of " + batch.pod.name +
                          (batch.count.value_or(1) == 1 ? " is created" : " are created");
    if (workload_of(batch).empty()) {
        CAPSTAN_CHECK(add_pods(batch));
        return summary;
    }
    const Manifest manifest = make_manifest(batch);
    const auto found = batches_.find(batch.pod.name);
    if (found != batches_.end()) return add_replicas(batch, manifest);
    CAPSTAN_CHECK(create(manifest));
    batches_[batch.pod.name] = {manifest.resource, manifest.ns};
    return summary;
}

Result<std::string> ScenarioPlayer::add_pods(const PodBatch& batch) {
    LiveBatch& live = batches_[batch.pod.name];
    live.resource = "pods";
    live.ns = batch.pod.ns;
    if (!batch.count) CAPSTAN_CHECK(create(make_pod(batch, batch.pod.name)));
    for (int i = 0; i < batch.count.value_or(0); ++i) {
        const std::string number = std::to_string(++live.last_number);
        CAPSTAN_CHECK(create(make_pod(batch, batch.pod.name + "-" + number)));
    }
    return std::string();
}

/// Scales an existing workload up by the batch's pods.
Result<std::string> ScenarioPlayer::add_replicas(const PodBatch& batch, const Manifest& manifest) {
    const api_server::ResourceKind& kind = store_.kind(manifest.resource);
    CAPSTAN_TRY(const api_server::ApiObject now,
                as_result(store_.get(kind, manifest.ns, batch.pod.name)));
    const auto current = api_server::integer_at(*now, "spec.replicas").value_or(0);
    return carry_out(Scale{batch.pod.name, static_cast<int>(current) + batch.count.value_or(1)});
}

Result<std::string> ScenarioPlayer::carry_out(const Scale& to) {
    const auto found = batches_.find(to.batch);
    if (found == batches_.end()) return no_such_object(to.batch);
    const LiveBatch& batch = found->second;
    const bool is_job = batch.resource == "jobs.batch";
    if (batch.resource == "pods" || is_job)
        return fail(ErrorCode::invalid_argument,
                    to.batch + " has no controller that can be scaled");
    CAPSTAN_CHECK(as_result(
        store_.edit(store_.kind(batch.resource), batch.ns, to.batch, [&](json::object& object) {
            api_server::set_value(object, "spec.replicas", to.replicas);
        })));
    return to.batch + " is scaled to " + std::to_string(to.replicas);
}

Result<std::string> ScenarioPlayer::carry_out(const Remove& what) {
    const auto remove = [&](std::string_view resource, const std::string& ns,
                            const std::string& name) {
        return as_result(store_.remove(store_.kind(resource), ns, name)).has_value();
    };
    if (const auto found = batches_.find(what.name); found != batches_.end()) {
        const LiveBatch batch = found->second;
        batches_.erase(found);
        if (batch.resource != "pods") remove(batch.resource, batch.ns, what.name);
        remove("pods", batch.ns, what.name);
        for (int i = 1; i <= batch.last_number; ++i)
            remove("pods", batch.ns, what.name + "-" + std::to_string(i));
        return what.name + " is deleted";
    }
    const auto [ns, name] = split(what.name);
    if (remove("pods", ns, name)) return "pod " + what.name + " is deleted";
    if (remove("nodes", "", what.name)) return "node " + what.name + " is deleted";
    return no_such_object(what.name);
}

Result<std::string> ScenarioPlayer::carry_out(const Bind& what) {
    const auto [ns, name] = split(what.pod);
    CAPSTAN_CHECK(as_result(store_.edit(store_.kind("pods"), ns, name,
                                        [&](json::object& pod) {
                                            api_server::set_value(pod, "spec.nodeName",
                                                                  json::string(what.node));
                                        },
                                        {.part = api_server::ObjectPart::everything})));
    return "pod " + what.pod + " is bound to " + what.node;
}

Result<std::string> ScenarioPlayer::carry_out(const engine::snapshot::NodeObject& node) {
    const Manifest manifest = make_manifest(node);
    CAPSTAN_CHECK(as_result(store_.create(store_.kind("nodes"), "", manifest.object,
                                          {.part = api_server::ObjectPart::everything})));
    return std::string();
}

Result<std::string> ScenarioPlayer::carry_out(const engine::snapshot::DaemonSetObject& set) {
    const Manifest manifest = make_manifest(set);
    CAPSTAN_CHECK(create(manifest));
    batches_[set.name] = {manifest.resource, manifest.ns};
    return "DaemonSet " + set.name + " is created";
}

Result<std::string> ScenarioPlayer::carry_out(const NodeEdit& edit) {
    CAPSTAN_CHECK(
        as_result(store_.edit(store_.kind("nodes"), "", edit.node, [&](json::object& node) {
            set_annotations(node, edit);
            set_entries(node, "labels", edit.labels);
            set_taints(node, edit);
            if (edit.cordoned) api_server::set_value(node, "spec.unschedulable", *edit.cordoned);
        })));
    return "node " + edit.node + " is changed" + describe_edit(edit);
}

Result<std::string> ScenarioPlayer::carry_out(const Budget& budget) {
    const Manifest manifest = make_manifest(budget);
    CAPSTAN_CHECK(create_space(manifest.ns));
    const api_server::ResourceKind& kind = store_.kind(manifest.resource);
    if (store_.find(kind, manifest.ns, budget.name) == nullptr) {
        CAPSTAN_CHECK(create(manifest));
    } else {
        CAPSTAN_CHECK(
            as_result(store_.edit(kind, manifest.ns, budget.name, [&](json::object& object) {
                object["spec"] = manifest.object.at("spec");
            })));
    }
    return "PodDisruptionBudget " + budget.name + " is set";
}

Result<std::string> ScenarioPlayer::carry_out(const SharedReplicas& shared) {
    if (store_.kinds().find(balancers_resource) == nullptr)
        return fail(
            ErrorCode::unsupported,
            "balancer " + shared.name + ": the cluster has no Balancer CustomResourceDefinition");
    const auto kind_of = [this](const std::string& name) {
        const auto found = batches_.find(name);
        const bool is_set =
            found != batches_.end() && found->second.resource == "statefulsets.apps";
        return std::string(is_set ? "StatefulSet" : "Deployment");
    };
    const auto real_time = [&](Duration time) { return sped_up(time, options_.speed); };
    const std::string resource(balancers_resource);
    CAPSTAN_CHECK(create({resource, shared.ns, make_balancer_object(shared, kind_of, real_time)}));
    batches_[shared.name] = {resource, shared.ns};
    return "balancer " + shared.name + " distributes " + counted(shared.replicas, "replica") +
           " over " +
           listed(shared.targets, [](const SharedReplicas::Target& target) { return target.name; });
}

}  // namespace capstan::simulator::live
