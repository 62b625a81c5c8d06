#include "simulation/live/rest.hpp"

#include <utility>

#include <boost/json/serialize.hpp>

namespace capstan::simulation::live {
namespace {

/// "web" of "simulated://web/3".
std::string group_of(const json::object& node) {
    constexpr std::string_view scheme = "simulated://";
    const std::string_view id = api_server::text_at(node, "spec.providerID");
    const std::size_t slash = id.rfind('/');
    if (!id.starts_with(scheme) || slash < scheme.size()) return "";
    return std::string(id.substr(scheme.size(), slash - scheme.size()));
}

std::string look_of(const json::object& node) {
    std::string out = api_server::is_true_at(node, "spec.unschedulable") ? "cordoned" : "";
    if (const json::array* const taints = api_server::find_array(node, "spec.taints"))
        out += json::serialize(*taints);
    const json::array* const conditions = api_server::find_array(node, "status.conditions");
    if (conditions == nullptr) return out;
    for (const json::value& condition : *conditions) {
        if (condition.is_object() && api_server::text_at(condition.get_object(), "type") == "Ready")
            out += api_server::text_at(condition.get_object(), "status");
    }
    return out;
}

}  // namespace

ClusterFigures figures_of(const api_server::ObjectStore& store) {
    ClusterFigures out;
    for (const api_server::ApiObject& node : store.list(store.kind("nodes")).items) {
        ++out.nodes[group_of(*node)];
        out.looks[std::string(api_server::text_at(*node, "metadata.name"))] = look_of(*node);
    }
    for (const api_server::ApiObject& pod : store.list(store.kind("pods")).items) {
        const std::string_view phase = api_server::text_at(*pod, "status.phase");
        if (phase == "Succeeded" || phase == "Failed") continue;
        if (api_server::text_at(*pod, "spec.nodeName").empty()) ++out.pending;
        // A pod of a node that is gone ends with garbage collection, which is not waited for.
        const bool has_node =
            out.looks.contains(std::string(api_server::text_at(*pod, "spec.nodeName")));
        if (has_node && api_server::find_value(*pod, "metadata.deletionTimestamp") != nullptr)
            ++out.ending;
    }
    return out;
}

bool Rest::is_at_rest(const api_server::ObjectStore& store, Duration now) {
    ClusterFigures figures = figures_of(store);
    if (figures != last_ || figures.ending > 0) {
        last_ = std::move(figures);
        since_ = now;
    }
    return now - since_ >= patience_;
}

}  // namespace capstan::simulation::live
