#include "simulation/control_plane/nodes/node_lives.hpp"

#include "simulation/control_plane/conditions.hpp"
#include "simulation/control_plane/nodes/node_facts.hpp"
#include "simulation/control_plane/nodes/node_status.hpp"
#include "simulation/control_plane/pod_facts.hpp"

namespace capstan::simulation {
namespace {

constexpr std::string_view lease_space = "kube-node-lease";
constexpr std::int64_t lease_duration_s = 40;

/// Whether it is up to the kubelet to say that the node is ready: nobody said anything, or that
/// nothing was heard of it.
bool is_unspoken_for(const json::object& node) {
    return find_condition(node, "Ready") == nullptr || has_condition(node, "Ready", "Unknown");
}

/// Whether there is something that complete_node() would write.
bool is_incomplete(const json::object& node) {
    return find_value(node, "status.nodeInfo.bootID") == nullptr ||
           find_object(node, "status.capacity") == nullptr ||
           find_object(node, "status.allocatable") == nullptr ||
           node_address(node, "InternalIP").empty() ||
           label_of(node, "kubernetes.io/hostname").empty();
}

json::object make_lease(const json::object& node, const ResourceKind& kind) {
    const std::string_view name = text_at(node, "metadata.name");
    return {{"metadata", json::object{{"name", json_view(name)},
                                      {"ownerReferences",
                                       json::array{json::object{
                                           {"apiVersion", kind.api_version()},
                                           {"kind", kind.kind},
                                           {"name", json_view(name)},
                                           {"uid", json_view(text_at(node, "metadata.uid"))}}}}}},
            {"spec", json::object{{"holderIdentity", json_view(name)},
                                  {"leaseDurationSeconds", lease_duration_s}}}};
}

}  // namespace

NodeLives::NodeLives(ControlContext& context)
    : context_(context),
      queue_(context.loop(), [this](const std::string& key) { reconcile(key); }) {
    context.feed().listen("nodes", [this](const Change& change) {
        if (change.type == ChangeType::deleted)
            seen_.erase(std::string(text_at(*change.object, "metadata.uid")));
        queue_.add(object_key(*change.object));
    });
}

void NodeLives::reconcile(const std::string& key) {
    const ApiObject node = context_.find("nodes", key);
    if (node == nullptr || is_kubelet_stopped(*node)) return;
    if (is_unspoken_for(*node)) {
        const Duration now = context_.loop().monotonic();
        const Duration came =
            seen_.try_emplace(std::string(text_at(*node, "metadata.uid")), now).first->second;
        const Duration left = came + context_.paced(context_.options().node_start_up) - now;
        if (left > Duration::zero()) return queue_.add_after(key, left);
    }
    if (is_unspoken_for(*node) || is_incomplete(*node)) join(*node);
    renew_lease(*node);
}

void NodeLives::join(const json::object& node) {
    const bool speaks = is_unspoken_for(node);
    context_.edit("nodes", node, [&](json::object& fresh) {
        if (is_incomplete(fresh)) complete_node(fresh, ++last_address_);
        if (speaks) set_node_ready(fresh, context_.now());
    });
    if (speaks)
        context_.events().record(
            context_.kind("nodes"), node,
            {"kubelet", "NodeReady",
             "Node " + std::string(text_at(node, "metadata.name")) + " status is now: NodeReady"});
}

void NodeLives::renew_lease(const json::object& node) {
    const std::string name(text_at(node, "metadata.name"));
    const std::string key = object_key(lease_space, name);
    ApiObject lease = context_.find("leases.coordination.k8s.io", key);
    if (lease == nullptr)
        lease = context_.create("leases.coordination.k8s.io", lease_space,
                                make_lease(node, context_.kind("nodes")));
    if (lease == nullptr) return;
    const auto renewed = parse_timestamp_text(text_at(*lease, "spec.renewTime"));
    const Duration left = renewed ? *renewed + heartbeat - context_.now() : Duration::zero();
    if (left <= Duration::zero())
        context_.edit("leases.coordination.k8s.io", *lease, [&](json::object& fresh) {
            make_object(fresh, "spec")["renewTime"] = micro_timestamp_text(context_.now());
        });
    queue_.add_after(object_key("", name), left > Duration::zero() ? left : heartbeat);
}

}  // namespace capstan::simulation
