#include "simulation/live/balancers.hpp"

#include <capstan/duration.hpp>

#include "simulation/live/live_cloud.hpp"

namespace capstan::simulation::live {
namespace {

json::object policy_of(const SharedReplicas& shared, double speed) {
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
        const Duration timeout = sped_up(*shared.startup_timeout, speed);
        out["fallback"] = json::object{{"startupTimeout", format_duration(timeout)}};
    }
    return out;
}

}  // namespace

Manifest make_balancer_manifest(const SharedReplicas& shared,
                                const std::function<std::string(const std::string&)>& kind_of,
                                double speed) {
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
    json::object labels;
    for (const auto& [key, value] : shared.labels) labels[key] = value;
    json::object spec{{"replicas", shared.replicas},
                      {"selector", json::object{{"matchLabels", std::move(labels)}}},
                      {"targets", std::move(targets)},
                      {"policy", policy_of(shared, speed)}};
    return {std::string(balancers_resource),
            shared.ns,
            {{"metadata", json::object{{"name", shared.name}}}, {"spec", std::move(spec)}}};
}

std::string text_of_balancer(const json::object& balancer) {
    const json::array* const targets = api_server::find_array(balancer, "status.targets");
    if (targets == nullptr) return {};
    std::string out =
        "balancer " + std::string(api_server::text_at(balancer, "metadata.name")) + ": " +
        std::to_string(api_server::integer_at(balancer, "spec.replicas").value_or(1)) + " wanted";
    for (const json::value& each : *targets) {
        const json::object& target = each.as_object();
        out += ", " + std::string(api_server::text_at(target, "name")) + " " +
               std::to_string(api_server::integer_at(target, "ready").value_or(0)) + " of " +
               std::to_string(api_server::integer_at(target, "replicas").value_or(0)) + " ready";
    }
    const auto add = [&](const char* member, const char* what) {
        const auto count =
            api_server::integer_at(balancer, std::string("status.") + member).value_or(0);
        if (count > 0) out += ", " + std::to_string(count) + what;
    };
    add("fallback", " as fallback for another target");
    add("missing", " more than wanted because of minimums");
    add("overflow", " without a target");
    return out;
}

}  // namespace capstan::simulation::live
