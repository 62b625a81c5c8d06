#include "simulator/control_plane/nodes/node_controllers.hpp"

#include <map>
#include <string>

#include <capstan/time_text.hpp>
#include <capstan/well_known.hpp>

#include "simulator/control_plane/context/object_fields.hpp"
#include "simulator/control_plane/nodes/node_object.hpp"

namespace capstan::simulator::control_plane {
namespace {

constexpr std::string_view lease_space = "kube-node-lease";
constexpr std::int64_t lease_duration_s = 40;

/// Whether the kubelet is to set the node's Ready condition: it is missing, or Unknown.
bool has_unknown_readiness(const json::object& node) {
    return find_condition(node, "Ready") == nullptr || has_condition(node, "Ready", "Unknown");
}

/// Whether complete_node() would change the node.
bool is_incomplete(const json::object& node) {
    return api_server::find_value(node, "status.nodeInfo.bootID") == nullptr ||
           find_object(node, "status.capacity") == nullptr ||
           find_object(node, "status.allocatable") == nullptr ||
           node_address(node, "InternalIP").empty() ||
           label_of(node, well_known::hostname_label).empty();
}

json::object make_lease(const json::object& node, const ResourceKind& kind) {
    const std::string_view name = name_of(node);
    return {{"metadata", json::object{{"name", json_view(name)},
                                      {"ownerReferences", json::array{json::object{
                                                              {"apiVersion", kind.api_version()},
                                                              {"kind", kind.kind},
                                                              {"name", json_view(name)},
                                                              {"uid", json_view(uid_of(node))}}}}}},
            {"spec", json::object{{"holderIdentity", json_view(name)},
                                  {"leaseDurationSeconds", lease_duration_s}}}};
}

class NodeLifecycle final : public QueuedController {
public:
    explicit NodeLifecycle(ControlContext& context)
        : QueuedController(context), random_(io::seed_for(context.options().seed, "heartbeats")) {
        context.feed().listen("nodes", [this](const Change& change) {
            if (change.type == ChangeType::deleted)
                states_.erase(std::string(uid_of(*change.object)));
            queue_.add(object_key(*change.object));
        });
    }

private:
    /// Times are points of the loop's monotonic time.
    struct NodeState {
        Duration first_seen{};
        Duration next_heartbeat{};  ///< zero: there was no heartbeat yet
    };

    void reconcile(const std::string& key) override {
        const ApiObject node = context_.find("nodes", key);
        if (node == nullptr || is_kubelet_stopped(*node)) return;
        const Duration now = context_.loop().monotonic();
        NodeState& state =
            states_.try_emplace(std::string(uid_of(*node)), NodeState{now, {}}).first->second;
        const Duration left =
            state.first_seen + context_.paced(context_.options().node_start_up) - now;
        if (has_unknown_readiness(*node) && left > Duration::zero())
            return queue_.add_after(key, left);
        if (has_unknown_readiness(*node) || is_incomplete(*node)) join(*node);
        send_heartbeat(key, *node, state);
    }

    /// The second heartbeat comes after a random part of the interval, so that the heartbeats of
    /// nodes that joined together are spread over time.
    void send_heartbeat(const std::string& key, const json::object& node, NodeState& state) {
        const Duration heartbeat = context_.options().heartbeat;
        if (heartbeat == Duration::zero()) return;
        const Duration now = context_.loop().monotonic();
        if (now >= state.next_heartbeat) {
            const bool is_first = state.next_heartbeat == Duration::zero();
            const auto parts =
                static_cast<std::int64_t>(is_first ? random_.next() % 1000 + 1 : 1000);
            renew_lease(node);
            state.next_heartbeat = now + heartbeat / 1000 * parts;
        }
        queue_.add_after(key, state.next_heartbeat - now);
    }

    void join(const json::object& node) {
        const bool becomes_ready = has_unknown_readiness(node);
        context_.edit("nodes", node, [&](json::object& fresh) {
            if (is_incomplete(fresh)) complete_node(fresh, ++last_address_);
            if (becomes_ready) set_node_ready(fresh, context_.now());
        });
        if (becomes_ready)
            context_.events().record(
                context_.kind("nodes"), node,
                {"kubelet", "NodeReady",
                 "Node " + std::string(name_of(node)) + " status is now: NodeReady"});
    }

    void renew_lease(const json::object& node) {
        constexpr std::string_view leases = "leases.coordination.k8s.io";
        ApiObject lease = context_.find(leases, object_key(lease_space, name_of(node)));
        if (lease == nullptr)
            lease = context_.create(leases, lease_space, make_lease(node, context_.kind("nodes")));
        if (lease == nullptr) return;
        context_.edit(leases, *lease, [&](json::object& fresh) {
            make_object(fresh, "spec")["renewTime"] = format_rfc3339(context_.now(), 6);
        });
    }

    std::map<std::string, NodeState> states_;  ///< by uid
    io::RandomSource random_;
    std::uint32_t last_address_ = 0;
};

}  // namespace

std::unique_ptr<Controller> make_node_lifecycle(ControlContext& context) {
    return std::make_unique<NodeLifecycle>(context);
}

}  // namespace capstan::simulator::control_plane
