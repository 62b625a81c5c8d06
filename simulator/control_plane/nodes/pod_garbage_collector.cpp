#include "simulator/control_plane/nodes/node_controllers.hpp"

#include "simulator/control_plane/context/object_fields.hpp"

namespace capstan::simulator::control_plane {
namespace {

class PodGarbageCollector final : public QueuedController {
public:
    explicit PodGarbageCollector(ControlContext& context) : QueuedController(context) {
        const auto look_later = [this](const json::object& pod) {
            queue_.add_after(object_key(pod), delay(pod));
        };
        context.feed().listen("pods", [this, look_later](const Change& change) {
            if (change.type != ChangeType::deleted && is_lost(*change.object))
                look_later(*change.object);
        });
        context.feed().listen("nodes", [this, look_later](const Change& change) {
            if (change.type != ChangeType::deleted) return;
            for (const ApiObject& pod : context_.index().pods_on(name_of(*change.object)))
                look_later(*pod);
        });
    }

private:
    /// The time from the deletion of a node until its pods are removed.
    static constexpr Duration quarantine = std::chrono::seconds(40);

    bool is_lost(const json::object& pod) const {
        const std::string_view node = text_at(pod, "spec.nodeName");
        return !node.empty() && context_.find("nodes", object_key("", node)) == nullptr;
    }

    Duration delay(const json::object& pod) const {
        return context_.paced(is_terminating(pod) ? stop_time(pod, context_.options().grace_share)
                                                  : quarantine);
    }

    void reconcile(const std::string& key) override {
        const ApiObject pod = context_.find("pods", key);
        if (pod == nullptr || !is_lost(*pod)) return;
        if (!has_ended(*pod))
            context_.edit("pods", *pod, [&](json::object& fresh) {
                make_object(fresh, "status")["phase"] = "Failed";
                set_condition(
                    fresh,
                    {"DisruptionTarget", "True", "DeletionByPodGC", "PodGC: node no longer exists"},
                    context_.now());
            });
        context_.remove("pods", *pod, {.grace_s = 0});
    }
};

}  // namespace

std::unique_ptr<Controller> make_pod_garbage_collector(ControlContext& context) {
    return std::make_unique<PodGarbageCollector>(context);
}

}  // namespace capstan::simulator::control_plane
