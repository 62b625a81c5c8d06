#include "simulation/control_plane/nodes/node_health.hpp"

#include <capstan/time_text.hpp>

#include "simulation/control_plane/context/object_fields.hpp"
#include "simulation/control_plane/nodes/node_object.hpp"
#include "simulation/control_plane/nodes/pod_lifecycle.hpp"

namespace capstan::simulation::control_plane {

NodeHealth::NodeHealth(ControlContext& context)
    : context_(context),
      queue_(context.loop(), [this](const std::string& key) { reconcile(key); }) {
    context.feed().listen("nodes", [this](const api_server::Change& change) {
        queue_.add(api_server::object_key(*change.object));
    });
}

void NodeHealth::reconcile(const std::string& key) {
    api_server::ApiObject node = context_.find("nodes", key);
    if (node == nullptr) return;
    if (is_node_ready(*node)) watch_lease(key, *node);
    node = context_.edit("nodes", *node,
                         [&](json::object& fresh) { set_condition_taints(fresh, context_.now()); });
    if (node != nullptr && !is_node_ready(*node)) mark_pods(*node);
}

void NodeHealth::watch_lease(const std::string& key, const json::object& node) {
    const api_server::ApiObject lease = context_.find(
        "leases.coordination.k8s.io",
        api_server::object_key("kube-node-lease", api_server::text_at(node, "metadata.name")));
    if (lease == nullptr) return;
    const auto renewed = find_rfc3339(api_server::text_at(*lease, "spec.renewTime"));
    if (!renewed) return;
    const Duration left = *renewed + lease_grace - context_.now();
    if (left > Duration::zero()) return queue_.add_after(key, left);
    set_unknown(node);
}

void NodeHealth::set_unknown(const json::object& node) {
    context_.edit("nodes", node, [&](json::object& fresh) {
        for (const std::string_view type :
             {"Ready", "MemoryPressure", "DiskPressure", "PIDPressure"})
            set_condition(
                fresh,
                {type, "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status."},
                context_.now());
    });
    context_.events().record(context_.kind("nodes"), node,
                             {"node-controller", "NodeNotReady",
                              "Node " + std::string(api_server::text_at(node, "metadata.name")) +
                                  " status is now: NodeNotReady"});
}

/// Pods of a node that is not ready become not ready, so that no requests are sent to them.
void NodeHealth::mark_pods(const json::object& node) {
    for (const api_server::ApiObject& pod :
         context_.index().pods_on(api_server::text_at(node, "metadata.name")))
        if (is_ready(*pod))
            context_.edit("pods", *pod,
                          [&](json::object& fresh) { set_node_not_ready(fresh, context_.now()); });
}

}  // namespace capstan::simulation::control_plane
