#include "simulator/control_plane/nodes/taint_evictions.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "simulator/control_plane/context/object_fields.hpp"
#include "simulator/control_plane/nodes/node_object.hpp"

namespace capstan::simulator::control_plane {
namespace {

std::vector<const json::object*> evicting_taints(const json::object& node) {
    std::vector<const json::object*> out;
    if (const json::array* list = api_server::find_array(node, "spec.taints"))
        for (const json::value& item : *list)
            if (const json::object* taint = item.if_object();
                taint != nullptr && api_server::text_at(*taint, "effect") == "NoExecute")
                out.push_back(taint);
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

}  // namespace

TaintEvictions::TaintEvictions(ControlContext& context)
    : context_(context),
      queue_(context.loop(), [this](const std::string& key) { reconcile(key); }) {
    context.feed().listen("pods", [this](const api_server::Change& change) {
        if (!api_server::text_at(*change.object, "spec.nodeName").empty())
            queue_.add(api_server::object_key(*change.object));
    });
    context.feed().listen("nodes", [this](const api_server::Change& change) {
        const bool had = change.before != nullptr && !evicting_taints(*change.before).empty();
        if (!had && evicting_taints(*change.object).empty()) return;
        for (const api_server::ApiObject& pod :
             context_.index().pods_on(api_server::text_at(*change.object, "metadata.name")))
            queue_.add(api_server::object_key(*pod));
    });
}

void TaintEvictions::reconcile(const std::string& key) {
    const api_server::ApiObject pod = context_.find("pods", key);
    const api_server::ApiObject node =
        pod == nullptr
            ? nullptr
            : context_.find("nodes",
                            api_server::object_key("", api_server::text_at(*pod, "spec.nodeName")));
    const auto taints =
        node == nullptr ? std::vector<const json::object*>() : evicting_taints(*node);
    if (taints.empty() || is_terminating(*pod)) {
        tainted_since_.erase(key);
        return;
    }
    TaintedPod& tainted = tainted_since_[key];
    const Duration now = context_.loop().monotonic();
    if (const std::string_view uid = api_server::text_at(*pod, "metadata.uid"); tainted.uid != uid)
        tainted = {std::string(uid), now};
    const auto tolerated = shortest_toleration(*pod, taints);
    if (!tolerated) return;
    const Duration left = tainted.since + context_.paced(*tolerated) - now;
    if (left > Duration::zero()) return queue_.add_after(key, left);
    evict(*pod);
}

void TaintEvictions::evict(const json::object& pod) {
    context_.edit("pods", pod, [&](json::object& fresh) {
        set_condition(fresh,
                      {"DisruptionTarget", "True", "DeletionByTaintManager",
                       "Taint manager: deleting due to NoExecute taint"},
                      context_.now());
    });
    context_.events().record(context_.kind("pods"), pod,
                             {"taint-eviction-controller", "TaintManagerEviction",
                              "Marking for deletion Pod " + api_server::object_key(pod)});
    context_.remove("pods", pod);
}

}  // namespace capstan::simulator::control_plane
