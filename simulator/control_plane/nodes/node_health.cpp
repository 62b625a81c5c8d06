#include "simulator/control_plane/nodes/node_controllers.hpp"

#include <map>
#include <string>

#include "simulator/control_plane/context/object_fields.hpp"
#include "simulator/control_plane/nodes/node_object.hpp"

namespace capstan::simulator::control_plane {
namespace {

std::string_view renew_time(const json::object& lease) { return text_at(lease, "spec.renewTime"); }

class NodeHealth final : public QueuedController {
public:
    explicit NodeHealth(ControlContext& context) : QueuedController(context) {
        watch("nodes");
        context.feed().listen("leases.coordination.k8s.io",
                              [this](const Change& change) { note_lease(change); });
    }

private:
    /// The time after the last renewal of a Lease until its node becomes Unknown.
    static constexpr Duration lease_grace = std::chrono::seconds(40);

    void note_lease(const Change& change) {
        const json::object& lease = *change.object;
        if (namespace_of(lease) != "kube-node-lease") return;
        const std::string node(name_of(lease));
        if (change.type == ChangeType::deleted) {
            renewed_.erase(node);
        } else if (change.before == nullptr || renew_time(lease) != renew_time(*change.before)) {
            const bool is_first =
                renewed_.insert_or_assign(node, context_.loop().monotonic()).second;
            if (is_first) queue_.add(object_key("", node));
        }
    }

    void reconcile(const std::string& key) override {
        ApiObject node = context_.find("nodes", key);
        if (node == nullptr) return;
        if (is_node_ready(*node)) watch_lease(key, *node);
        node = context_.edit("nodes", *node, [&](json::object& fresh) {
            set_condition_taints(fresh, context_.now());
        });
        if (node != nullptr && !is_node_ready(*node)) mark_pods(*node);
    }

    void watch_lease(const std::string& key, const json::object& node) {
        const auto renewed = renewed_.find(name_of(node));
        if (renewed == renewed_.end()) return;
        const Duration left = renewed->second + lease_grace - context_.loop().monotonic();
        if (left > Duration::zero()) return queue_.add_after(key, left);
        set_unknown(node);
    }

    void set_unknown(const json::object& node) {
        context_.edit("nodes", node, [&](json::object& fresh) {
            for (const std::string_view type :
                 {"Ready", "MemoryPressure", "DiskPressure", "PIDPressure"})
                set_condition(
                    fresh,
                    {type, "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status."},
                    context_.now());
        });
        context_.events().record(
            context_.kind("nodes"), node,
            {"node-controller", "NodeNotReady",
             "Node " + std::string(name_of(node)) + " status is now: NodeNotReady"});
    }

    /// Pods of a node that is not ready become not ready, so that no requests are sent to them.
    void mark_pods(const json::object& node) {
        for (const ApiObject& pod : context_.index().pods_on(name_of(node)))
            if (is_ready(*pod))
                context_.edit("pods", *pod, [&](json::object& fresh) {
                    set_condition(fresh,
                                  {.type = "Ready", .status = "False", .reason = "NodeNotReady"},
                                  context_.now());
                });
    }

    /// When each Lease was renewed, by the name of its node, in the loop's monotonic time.
    std::map<std::string, Duration, std::less<>> renewed_;
};

}  // namespace

std::unique_ptr<Controller> make_node_health(ControlContext& context) {
    return std::make_unique<NodeHealth>(context);
}

}  // namespace capstan::simulator::control_plane
