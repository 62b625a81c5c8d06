#include "simulator/live/balancers.hpp"

#include "simulator/live/live_cloud.hpp"
#include "simulator/workload_objects.hpp"

namespace capstan::simulator::live {
Manifest make_balancer_manifest(const SharedReplicas& shared,
                                const std::function<std::string(const std::string&)>& kind_of,
                                double speed) {
    json::object object =
        make_balancer_object(shared, kind_of, [&](Duration time) { return sped_up(time, speed); });
    return {std::string(balancers_resource), shared.ns, std::move(object)};
}

std::string text_of_balancer(const json::object& balancer) {
    const json::array* const targets = api_server::find_array(balancer, "status.targets");
    if (targets == nullptr) return {};
    std::string out =
        "balancer " + std::string(api_server::name_of(balancer)) + ": " +
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

}  // namespace capstan::simulator::live
