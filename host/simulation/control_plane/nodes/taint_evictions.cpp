#include "simulation/control_plane/nodes/taint_evictions.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "simulation/control_plane/context/object_fields.hpp"
#include "simulation/control_plane/nodes/node_object.hpp"

namespace capstan::simulation::control_plane {
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

/// The least of what it bears each for; nothing: it bears them all for ever.
std::optional<Duration> least_patience(const json::object& pod,
                                       const std::vector<const json::object*>& taints) {
    std::optional<Duration> out;
    for (const json::object* taint : taints)
        if (const auto borne_for = patience(pod, *taint))
            out = std::min(out.value_or(*borne_for), *borne_for);
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
    if (taints.empty() || is_leaving(*pod)) {
        borne_.erase(key);
        return;
    }
    Borne& borne = borne_[key];
    const Duration now = context_.loop().monotonic();
    if (const std::string_view uid = api_server::text_at(*pod, "metadata.uid"); borne.uid != uid)
        borne = {std::string(uid), now};
    const auto bears = least_patience(*pod, taints);
    if (!bears) return;
    const Duration left = borne.since + context_.paced(*bears) - now;
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

}  // namespace capstan::simulation::control_plane
