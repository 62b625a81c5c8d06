#include "simulation/api_server/autoscaler_versions.hpp"

#include <utility>

namespace capstan::simulation {
namespace {

constexpr std::string_view share_of_cpu = "targetCPUUtilizationPercentage";

json::object cpu_metric(json::value share) {
    return {{"type", "Resource"},
            {"resource",
             json::object{{"name", "cpu"},
                          {"target", json::object{{"type", "Utilization"},
                                                  {"averageUtilization", std::move(share)}}}}}};
}

/// NULL: it is about something else.
const json::value* cpu_share(const json::value& metric) {
    const json::object* object = metric.if_object();
    if (object == nullptr || text_at(*object, "resource.name") != "cpu") return nullptr;
    return find_value(*object, "resource.target.averageUtilization");
}

}  // namespace

json::object autoscaler_as_v2(json::object v1) {
    json::object& spec = make_object(v1, "spec");
    if (const json::value* share = spec.if_contains(json_view(share_of_cpu))) {
        json::array metrics{cpu_metric(*share)};
        spec.erase(json_view(share_of_cpu));
        spec["metrics"] = std::move(metrics);
    }
    v1["apiVersion"] = "autoscaling/v2";
    return v1;
}

json::object autoscaler_as_v1(json::object v2) {
    json::object& spec = make_object(v2, "spec");
    if (const json::array* metrics = find_array(spec, "metrics"))
        for (const json::value& metric : *metrics)
            if (const json::value* share = cpu_share(metric)) {
                json::value kept = *share;
                spec[json_view(share_of_cpu)] = std::move(kept);
                break;
            }
    spec.erase("metrics");
    spec.erase("behavior");
    v2["apiVersion"] = "autoscaling/v1";
    return v2;
}

}  // namespace capstan::simulation
