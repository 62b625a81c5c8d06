#include "kubernetes/client/cluster_actions/node_pods.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <boost/json/array.hpp>

#include <capstan/sentence.hpp>
#include <capstan/well_known.hpp>

#include "kubernetes/base/json_path.hpp"
#include "kubernetes/client/api_status.hpp"
#include "kubernetes/client/paths.hpp"
#include "kubernetes/client/watch/watch_error.hpp"

namespace capstan::kubernetes::client {
namespace {

/// Whether the pod is a DaemonSet's, or is owned by the Node.
bool belongs_to_node(const boost::json::object& pod) {
    if (base::annotation_of(pod, well_known::daemon_set_pod_annotation) == "true") return true;
    const boost::json::array& owners = base::list_at(pod, "metadata.ownerReferences");
    return std::ranges::any_of(owners, [](const boost::json::value& owner) {
        if (!base::is_true_at(owner, "controller")) return false;
        const std::string_view kind = base::text_at(owner, "kind");
        return kind == "DaemonSet" || kind == "Node";
    });
}

/// A pod without a priority was not admitted by a server, and is not expendable. Nor is a pod with
/// preemptionPolicy Never.
bool is_expendable(const boost::json::object& pod, std::optional<int> expendable_below) {
    const std::optional<std::int64_t> priority = base::integer_at(pod, "spec.priority");
    return expendable_below && priority && *priority < *expendable_below &&
           base::text_at(pod, "spec.preemptionPolicy") != "Never";
}

/// Whether a drain would have to evict the pod.
bool counts(const boost::json::object& pod, const engine::removal::NodeRecheck& look) {
    const std::string_view phase = base::text_at(pod, "status.phase");
    if (phase == "Succeeded" || phase == "Failed") return false;
    const bool is_mirror = base::find_member(base::find_object(pod, "metadata.annotations"),
                                             well_known::mirror_pod_annotation) != nullptr;
    return !is_mirror && !belongs_to_node(pod) && !is_expendable(pod, look.expendable_below);
}

using Keys = std::vector<std::string>;  // "namespace/name/uid"

/// The pods in the list that the decision did not know and that a drain counts, ascending.
Result<Keys> find_unknown(const engine::removal::NodeRecheck& look,
                          const boost::json::object& list) {
    CAPSTAN_TRY(const boost::json::array* const items, items_of(list, resources::pods));
    Keys unknown;
    for (const boost::json::value& item : *items) {
        const boost::json::object* pod = item.if_object();
        if (pod == nullptr) return fail(ErrorCode::unavailable, "an item is not an object");
        std::string key(base::text_at(*pod, "metadata.namespace"));
        key.append("/").append(base::text_at(*pod, "metadata.name"));
        key.append("/").append(base::text_at(*pod, "metadata.uid"));
        if (counts(*pod, look) && !std::ranges::binary_search(look.known_pods, key))
            unknown.push_back(std::move(key));
    }
    std::ranges::sort(unknown);
    return unknown;
}

Error unknown_error(const std::string& node, const Keys& unknown) {
    const auto name_of_pod = [](const std::string& key) { return key.substr(0, key.rfind('/')); };
    return {ErrorCode::conflict,
            "it has pods that the watch has not reported: " + listed(unknown, name_of_pod),
            std::string(engine::removal::unknown_pods), node};
}

}  // namespace

/// Nodes that are listed with one common resourceVersion.
struct NodePods::Batch {
    std::vector<engine::removal::NodeRecheck> looks;
    Done done;
};

void NodePods::look(std::vector<engine::removal::NodeRecheck> looks, Done done) {
    const auto batch = std::make_shared<const Batch>(Batch{std::move(looks), std::move(done)});
    calls_.send({.path = path_of(resources::pods),
                 .query = {{"limit", "1"}},
                 .purpose = std::string(node_look_purpose)},
                [this, batch](Result<ApiReply> reply) {
                    const Result<boost::json::object> list = parse_object(std::move(reply));
                    for (std::size_t at = 0; at < batch->looks.size(); ++at) {
                        if (list) {
                            look_at(batch, at,
                                    std::string(base::text_at(*list, "metadata.resourceVersion")));
                        } else {
                            batch->done(at, fail(within("look at node " + batch->looks[at].node,
                                                        list.error())));
                        }
                    }
                });
}

/// `version` empty: a consistent read from the server's database.
void NodePods::look_at(const std::shared_ptr<const Batch>& batch, std::size_t at,
                       const std::string& version) {
    const std::string& node = batch->looks[at].node;
    ApiRequest request{.path = path_of(resources::pods),
                       .query = {{"fieldSelector", "spec.nodeName=" + node}},
                       .purpose = std::string(node_look_purpose)};
    if (!version.empty()) {
        request.query.emplace_back("resourceVersion", version);
        request.query.emplace_back("resourceVersionMatch", "NotOlderThan");
    }
    calls_.send(std::move(request), [this, batch, at, version](Result<ApiReply> reply) {
        // The server's cache is behind its database, so the next request reads the database.
        if (!reply && !version.empty() &&
            classify_watch_error(reply.error()) == WatchError::too_large)
            return look_at(batch, at, {});
        const engine::removal::NodeRecheck& look = batch->looks[at];
        const Result<boost::json::object> list = parse_object(std::move(reply));
        const Result<Keys> unknown =
            list ? find_unknown(look, *list) : Result<Keys>(fail(list.error()));
        if (!unknown)
            return batch->done(at, fail(within("look at node " + look.node, unknown.error())));
        if (unknown->empty()) return batch->done(at, Result<void>());
        if (on_unknown_) on_unknown_(look.node, *unknown);
        batch->done(at, fail(unknown_error(look.node, *unknown)));
    });
}

}  // namespace capstan::kubernetes::client
