#include "simulator/control_plane/nodes/node_health.hpp"

#include "simulator/control_plane/context/object_fields.hpp"
#include "simulator/control_plane/nodes/node_object.hpp"
#include "simulator/control_plane/nodes/pod_lifecycle.hpp"

namespace capstan::simulator::control_plane {
namespace {

std::string_view renew_time(const json::object& lease) {
    return api_server::text_at(lease, "spec.renewTime");
}

}  // namespace

NodeHealth::NodeHealth(ControlContext& context)
    : context_(context),
      queue_(context.loop(), [this](const std::string& key) { reconcile(key); }) {
    context.feed().listen("nodes", [this](const api_server::Change& change) {
        queue_.add(api_server::object_key(*change.object));
    });
    context.feed().listen("leases.coordination.k8s.io",
                          [this](const api_server::Change& change) { note_lease(change); });
}

void NodeHealth::note_lease(const api_server::Change& change) {
    const json::object& lease = *change.object;
    if (api_server::text_at(lease, "metadata.namespace") != "kube-node-lease") return;
    const std::string node(api_server::text_at(lease, "metadata.name"));
    if (change.type == api_server::ChangeType::deleted) {
        renewed_.erase(node);
    } else if (change.before == nullptr || renew_time(lease) != renew_time(*change.before)) {
        const bool is_first = renewed_.insert_or_assign(node, context_.loop().monotonic()).second;
        if (is_first) queue_.add(api_server::object_key("", node));
    }
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
    const auto renewed = renewed_.find(api_server::text_at(node, "metadata.name"));
    if (renewed == renewed_.end()) return;
    const Duration left = renewed->second + lease_grace - context_.loop().monotonic();
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

}  // namespace capstan::simulator::control_plane
