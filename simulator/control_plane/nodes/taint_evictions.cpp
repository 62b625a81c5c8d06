#include "simulator/control_plane/nodes/node_controllers.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "simulator/control_plane/context/object_fields.hpp"
#include "simulator/control_plane/nodes/node_object.hpp"

namespace capstan::simulator::control_plane {
namespace {

std::vector<const json::object*> evicting_taints(const json::object& node) {
    std::vector<const json::object*> out = objects_at(node, "spec.taints");
    std::erase_if(
        out, [](const json::object* taint) { return text_at(taint, "effect") != "NoExecute"; });
    return out;
}

/// The shortest time for which the pod tolerates one of the taints; absent: it tolerates all of
/// them for ever.
std::optional<Duration> shortest_toleration(const json::object& pod,
                                            const std::vector<const json::object*>& taints) {
    std::optional<Duration> out;
    for (const json::object* taint : taints)
        if (const auto tolerated = toleration_time(pod, *taint))
            out = std::min(out.value_or(*tolerated), *tolerated);
    return out;
}

class TaintEvictions final : public QueuedController {
public:
    explicit TaintEvictions(ControlContext& context) : QueuedController(context) {
        context.feed().listen("pods", [this](const Change& change) {
            if (!text_at(*change.object, "spec.nodeName").empty())
                queue_.add(object_key(*change.object));
        });
        context.feed().listen("nodes", [this](const Change& change) {
            const bool had = change.before != nullptr && !evicting_taints(*change.before).empty();
            if (had || !evicting_taints(*change.object).empty()) add_pods_on(*change.object);
        });
    }

private:
    struct TaintedPod {
        std::string uid{};
        Duration since{};
    };

    void reconcile(const std::string& key) override {
        const ApiObject pod = context_.find("pods", key);
        const ApiObject node =
            pod == nullptr ? nullptr
                           : context_.find("nodes", object_key("", text_at(*pod, "spec.nodeName")));
        const auto taints =
            node == nullptr ? std::vector<const json::object*>() : evicting_taints(*node);
        if (taints.empty() || is_terminating(*pod)) {
            tainted_since_.erase(key);
            return;
        }
        TaintedPod& tainted = tainted_since_[key];
        const Duration now = context_.loop().monotonic();
        if (const std::string_view uid = uid_of(*pod); tainted.uid != uid)
            tainted = {std::string(uid), now};
        const auto tolerated = shortest_toleration(*pod, taints);
        if (!tolerated) return;
        const Duration left = tainted.since + context_.paced(*tolerated) - now;
        if (left > Duration::zero()) return queue_.add_after(key, left);
        evict(*pod);
    }

    void evict(const json::object& pod) {
        context_.edit("pods", pod, [&](json::object& fresh) {
            set_condition(fresh,
                          {"DisruptionTarget", "True", "DeletionByTaintManager",
                           "Taint manager: deleting due to NoExecute taint"},
                          context_.now());
        });
        context_.events().record(context_.kind("pods"), pod,
                                 {"taint-eviction-controller", "TaintManagerEviction",
                                  "Marking for deletion Pod " + object_key(pod)});
        context_.remove("pods", pod);
    }

    std::map<std::string, TaintedPod> tainted_since_;  ///< by pod
};

}  // namespace

std::unique_ptr<Controller> make_taint_evictions(ControlContext& context) {
    return std::make_unique<TaintEvictions>(context);
}

}  // namespace capstan::simulator::control_plane
