#include "plugin_tool/call_controller.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/json/array.hpp>

#include "autoscaler/record/json_reader.hpp"
#include "commands/value_text.hpp"
#include "kubernetes/base/json_path.hpp"
#include "plugin_tool/call_cluster.hpp"

namespace capstan::plugin_tool {
namespace {

namespace json = boost::json;

/// Bounds the memory of the cluster, in which each pod is an object.
constexpr std::int64_t pods_max = 20'000;

ControllerRequest::Pods decode_target(const kubernetes::JsonCursor& target) {
    const auto count = [&](const char* key) {
        return target[key].integer(0, pods_max).value_or(0);
    };
    const ControllerRequest::Pods out{
        .total = count("total"), .running = count("running"), .blocked = count("blocked")};
    if (out.running + out.blocked > out.total)
        target.complain("has " + std::to_string(out.total) +
                        " pods in total, but more are running or blocked");
    return out;
}

bool has_target(const json::object& balancer, std::string_view name) {
    return std::ranges::any_of(
        kubernetes::base::list_at(balancer, "spec.targets"), [&](const json::value& each) {
            const json::value* has = kubernetes::base::find_member(each, "name");
            return has != nullptr && has->is_string() && has->as_string() == name;
        });
}

}  // namespace

ControllerRequest decode_controller_request(const kubernetes::JsonCursor& root,
                                            const json::value& document) {
    autoscaler::record::refuse_unknown(root, {"balancer", "targets"});
    ControllerRequest out;
    const kubernetes::JsonCursor balancer = root.required("balancer");
    if (const json::object* whole = document.if_object()) {
        const json::value* given = whole->if_contains("balancer");
        if (given != nullptr && given->is_object()) {
            out.balancer = given->as_object();
        } else if (given != nullptr) {
            balancer.expects("a Balancer object");
        }
    }
    for (const kubernetes::JsonCursor& target : root["targets"].items()) {
        autoscaler::record::refuse_unknown(target, {"name", "total", "running", "blocked"});
        const auto name = target.required("name").name();
        if (!name) continue;
        if (!has_target(out.balancer, *name)) target.complain("is not a target of the Balancer");
        if (!out.targets.emplace(*name, decode_target(target)).second)
            target.complain("is a duplicate");
    }
    return out;
}

Result<ControllerAnswer> call_controller(const autoscaler::LoadedPlugin& plugin,
                                         const ControllerRequest& request) {
    CAPSTAN_TRY(const auto cluster, CallCluster::make(plugin, request));
    CAPSTAN_CHECK(cluster->reconcile());
    return cluster->answer();
}

std::string answer_of(const ControllerAnswer& answer) {
    json::object placement;
    for (const auto& [name, replicas] : answer.placement) placement[name] = replicas;
    return commands::json_line(json::object{{"placement", std::move(placement)},
                                            {"missing", answer.missing},
                                            {"overflow", answer.overflow}});
}

}  // namespace capstan::plugin_tool
