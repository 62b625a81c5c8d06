#include "simulator/workload_objects.hpp"

#include <set>
#include <utility>
#include <variant>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <capstan/duration.hpp>
#include <capstan/hash.hpp>
#include <capstan/time_text.hpp>

#include "kubernetes/base/json_path.hpp"
#include "kubernetes/objects/object_encode.hpp"

namespace capstan::simulator {
namespace {

namespace json = boost::json;
using kubernetes::base::find_array;
using kubernetes::base::integer_at;
using kubernetes::base::make_object;
using kubernetes::base::text_at;

/// A label's value may have 63 characters, and an id may be longer.
json::string label_of(const std::string& workload) {
    Hash hash;
    hash.add(workload);
    return json::string("w" + std::to_string(hash.value()));
}

json::object condition(const char* type, bool is_true, Time since) {
    return {{"type", type},
            {"status", is_true ? "True" : "False"},
            {"lastTransitionTime", format_rfc3339(since, 0)}};
}

}  // namespace

json::object make_pod_object(const PodState& pod, Time wall) {
    json::object out = kubernetes::objects::encode_pod(pod.object);
    if (!pod.workload.empty())
        make_object(make_object(out, "metadata"), "labels")[workload_label] =
            label_of(pod.workload);
    json::object& status = make_object(out, "status");
    if (pod.object.node_name.empty()) return out;
    status["conditions"] =
        json::array{condition("PodScheduled", true, wall), condition("Ready", pod.is_ready, wall)};
    return out;
}

void set_replicas(const WorkloadState& workload, json::object& object) {
    make_object(object, "spec")["replicas"] = workload.wanted;
    json::object& status = make_object(object, "status");
    status["replicas"] = workload.present;
    status["readyReplicas"] = workload.ready;
    status["availableReplicas"] = workload.ready;
}

json::object make_workload_object(const WorkloadState& workload) {
    const json::object labels{{workload_label, label_of(workload.id)}};
    const json::object pod_template{{"metadata", json::object{{"labels", labels}}},
                                    {"spec", json::object{{"containers", json::array()}}}};
    json::object out{{"metadata", json::object{{"name", json::string(workload.name)}}},
                     {"spec", json::object{{"selector", json::object{{"matchLabels", labels}}},
                                           {"template", pod_template}}}};
    set_replicas(workload, out);
    return out;
}

namespace {

json::object policy_of(const SharedReplicas& shared,
                       const std::function<Duration(Duration)>& timed) {
    json::object out;
    if (shared.in_order) {
        json::array order;
        for (const SharedReplicas::Target& target : shared.targets)
            order.push_back(json::string(target.name));
        out = {{"policyName", "priority"},
               {"priorities", json::object{{"targetOrder", std::move(order)}}}};
    } else {
        json::object weights;
        for (const SharedReplicas::Target& target : shared.targets)
            weights[target.name] = target.weight;
        out = {{"policyName", "proportional"},
               {"proportions", json::object{{"targetProportions", std::move(weights)}}}};
    }
    if (shared.startup_timeout) {
        const Duration timeout = timed ? timed(*shared.startup_timeout) : *shared.startup_timeout;
        out["fallback"] = json::object{{"startupTimeout", format_duration(timeout)}};
    }
    return out;
}

}  // namespace

json::object make_balancer_object(const SharedReplicas& shared,
                                  const std::function<std::string(const std::string&)>& kind_of,
                                  const std::function<Duration(Duration)>& timed) {
    json::array targets;
    for (const SharedReplicas::Target& target : shared.targets) {
        json::object one{{"name", target.name},
                         {"scaleTargetRef", json::object{{"apiVersion", "apps/v1"},
                                                         {"kind", kind_of(target.name)},
                                                         {"name", target.name}}},
                         {"minReplicas", target.min}};
        if (target.max) one["maxReplicas"] = *target.max;
        targets.push_back(std::move(one));
    }
    json::object spec{
        {"replicas", shared.replicas},
        {"selector",
         json::object{{"matchLabels", kubernetes::objects::encode_labels(shared.labels)}}},
        {"targets", std::move(targets)},
        {"policy", policy_of(shared, timed)}};
    return {{"apiVersion", "balancer.x-k8s.io/v1alpha1"},
            {"kind", "Balancer"},
            {"metadata", json::object{{"name", shared.name}, {"namespace", shared.ns}}},
            {"spec", std::move(spec)}};
}

void add_balancers(const std::vector<SharedReplicas>& balancers, Input& input) {
    std::set<std::string> stateful;
    for (const Step& step : input.steps) {
        for (const Action& action : step.actions) {
            const auto* const batch = std::get_if<PodBatch>(&action.what);
            if (batch != nullptr && batch->controller == Controller::stateful_set)
                stateful.insert(batch->pod.ns + "/" + batch->pod.name);
        }
    }
    for (const SharedReplicas& shared : balancers) {
        const json::object object = make_balancer_object(shared, [&](const std::string& target) {
            const bool is_set = stateful.contains(shared.ns + "/" + target);
            return std::string(is_set ? "StatefulSet" : "Deployment");
        });
        input.plugin_objects.push_back(json::serialize(object));
    }
}

BalancerState read_balancer_state(const json::object& balancer) {
    const std::string ns(text_at(balancer, "metadata.namespace"));
    BalancerState out{
        .name = ns + "/" + std::string(text_at(balancer, "metadata.name")),
        .replicas = static_cast<int>(integer_at(balancer, "spec.replicas").value_or(1))};
    const json::array* const targets = find_array(balancer, "spec.targets");
    if (targets == nullptr) return out;
    for (const json::value& each : *targets) {
        const json::object* const target = each.if_object();
        if (target == nullptr) continue;
        BalancerState::Target& one = out.targets.emplace_back();
        one.name = text_at(*target, "name");
        one.workload = ns + "/" + std::string(text_at(*target, "scaleTargetRef.kind")) + "/" +
                       std::string(text_at(*target, "scaleTargetRef.name"));
        one.min = static_cast<int>(integer_at(*target, "minReplicas").value_or(0));
        if (const auto max = integer_at(*target, "maxReplicas")) one.max = static_cast<int>(*max);
    }
    return out;
}

}  // namespace capstan::simulator
