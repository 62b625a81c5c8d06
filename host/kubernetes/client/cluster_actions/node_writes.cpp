#include "kubernetes/client/cluster_actions/node_writes.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "kubernetes/base/json_path.hpp"
#include "kubernetes/client/api_status.hpp"
#include "kubernetes/client/paths.hpp"
#include "kubernetes/client/writes/write_conflicts.hpp"
#include "kubernetes/timestamps.hpp"

namespace capstan::kubernetes::client {
namespace {

using boost::json::array;
using boost::json::object;

bool is_same(const boost::json::value& written, const Taint& taint) {
    return written.is_object() && base::text_at(written, "key") == taint.key &&
           base::text_at(written, "value") == taint.value &&
           base::text_at(written, "effect") == name_of(taint.effect);
}

object write_taint(const Taint& taint, Time now) {
    object out{{"key", taint.key}, {"effect", name_of(taint.effect)}};
    if (!taint.value.empty()) out["value"] = taint.value;
    // tolerationSeconds counts from timeAdded, which the API has for this effect alone, in seconds.
    const auto at = find_timestamp_text(std::chrono::floor<std::chrono::seconds>(now));
    if (taint.effect == Effect::no_execute && at) out["timeAdded"] = *at;
    return out;
}

/// Replaces the first taint of that key and removes all others of it, so that the list keeps its
/// order. A taint that is equal already stays as it is.
void set_taint(array& taints, const Taint& taint, Time now) {
    const auto has_key = [&](const auto& each) { return base::text_at(each, "key") == taint.key; };
    auto first = std::find_if(taints.begin(), taints.end(), has_key);
    if (first == taints.end()) {
        taints.emplace_back(write_taint(taint, now));
        return;
    }
    const auto same =
        std::find_if(first, taints.end(), [&](const auto& each) { return is_same(each, taint); });
    *first = same != taints.end() ? boost::json::value(*same)
                                  : boost::json::value(write_taint(taint, now));
    taints.erase(std::remove_if(first + 1, taints.end(), has_key), taints.end());
}

void drop_taint(array& taints, const std::string& key) {
    taints.erase(
        std::remove_if(taints.begin(), taints.end(),
                       [&](const auto& each) { return base::text_at(each, "key") == key; }),
        taints.end());
}

void add_taints(object& patch, const object& node, const engine::NodeChange& change, Time now) {
    const array* before = base::find_array(node, "spec.taints");
    array taints = before != nullptr ? *before : array();
    for (const std::string& key : change.drop_taints) drop_taint(taints, key);
    for (const Taint& taint : change.set_taints) set_taint(taints, taint, now);
    if (taints == (before != nullptr ? *before : array())) return;
    base::make_object(patch, "spec")["taints"] =
        taints.empty() ? boost::json::value(nullptr) : boost::json::value(std::move(taints));
}

void add_unschedulable(object& patch, const object& node, const engine::NodeChange& change) {
    if (!change.unschedulable ||
        *change.unschedulable == base::is_true_at(node, "spec.unschedulable"))
        return;
    base::make_object(patch, "spec")["unschedulable"] =
        *change.unschedulable ? boost::json::value(true) : boost::json::value(nullptr);
}

void add_annotations(object& patch, const object& node, const engine::NodeChange& change) {
    for (const auto& [key, wanted] : change.annotations) {
        const auto* is = base::find_member(base::find_object(node, "metadata.annotations"), key);
        const bool is_so =
            wanted ? is != nullptr && *is == boost::json::string(*wanted) : is == nullptr;
        if (is_so) continue;
        base::make_object(base::make_object(patch, "metadata"), "annotations")[key] =
            wanted ? boost::json::value(*wanted) : boost::json::value(nullptr);
    }
}

}  // namespace

std::optional<object> find_node_patch(const object& node, const engine::NodeChange& change,
                                      Time now) {
    object patch;
    add_annotations(patch, node, change);
    add_taints(patch, node, change, now);
    add_unschedulable(patch, node, change);
    if (patch.empty()) return std::nullopt;
    base::make_object(patch, "metadata")["resourceVersion"] =
        base::text_at(node, "metadata.resourceVersion");
    return patch;
}

void apply_merge_patch(object& target, const object& patch) {
    for (const auto& [key, value] : patch) {
        if (value.is_null()) {
            target.erase(key);
        } else if (value.is_object()) {
            apply_merge_patch(base::make_object(target, key), value.get_object());
        } else {
            target[key] = value;
        }
    }
}

struct NodeWrites::Attempt {
    engine::NodeChange change;
    Done done;
    Duration deadline{};
    WriteConflicts conflicts;
    /// The patch's error, while the update is tried instead.
    std::optional<Error> refusal{};
};

NodeWrites::NodeWrites(Api& api, io::Loop& loop, Options options)
    : options_(std::move(options)), random_(options_.seed), calls_(api, loop) {}

void NodeWrites::change(const engine::NodeChange& change, Done done) {
    read(std::make_shared<Attempt>(Attempt{.change = change,
                                           .done = std::move(done),
                                           .deadline = calls_.loop().monotonic() + options_.timeout,
                                           .conflicts = WriteConflicts(random_)}));
}

void NodeWrites::send(const Attempt& attempt, std::string method, std::string body,
                      std::string content_type, Api::Done done) {
    const Duration left = attempt.deadline - calls_.loop().monotonic();
    calls_.send({.method = std::move(method),
                 .path = path_of(resources::nodes, {}, attempt.change.node),
                 .body = std::move(body),
                 .content_type = std::move(content_type),
                 .timeout = std::max<Duration>(left, std::chrono::milliseconds(1)),
                 .purpose = "node"},
                std::move(done));
}

void NodeWrites::read(std::shared_ptr<Attempt> attempt) {
    send(*attempt, "GET", {}, "application/json", [this, attempt](Result<ApiReply> reply) {
        Result<boost::json::object> node = parse_object(std::move(reply));
        if (!node) return finish(attempt, fail(std::move(node).error()));
        write(attempt, std::move(*node));
    });
}

void NodeWrites::write(std::shared_ptr<Attempt> attempt, boost::json::object node) {
    const auto patch_of_it = find_node_patch(node, attempt->change, calls_.loop().clock()->wall());
    if (!patch_of_it) return finish(attempt, {});
    if (may_patch_) return patch(attempt, std::move(node), *patch_of_it);
    apply_merge_patch(node, *patch_of_it);
    update(attempt, node);
}

void NodeWrites::patch(std::shared_ptr<Attempt> attempt, boost::json::object node,
                       const boost::json::object& patch) {
    apply_merge_patch(node, patch);
    send(*attempt, "PATCH", boost::json::serialize(patch), "application/merge-patch+json",
         [this, attempt, node = std::move(node)](Result<ApiReply> reply) {
             if (reply || reply.error().code != ErrorCode::permission)
                 return finish(attempt, reply ? Result<void>() : fail(reply.error()));
             attempt->refusal = reply.error();
             update(attempt, node);
         });
}

void NodeWrites::update(std::shared_ptr<Attempt> attempt, const boost::json::object& node) {
    send(*attempt, "PUT", boost::json::serialize(node), "application/json",
         [this, attempt](Result<ApiReply> reply) {
             // If the update is refused as well, patches may still be granted: an admission
             // controller may have refused this change alone.
             const std::optional<Error> refusal = std::exchange(attempt->refusal, std::nullopt);
             if (reply && refusal && std::exchange(may_patch_, false) && options_.on_update_instead)
                 options_.on_update_instead(*refusal);
             finish(attempt, reply ? Result<void>() : fail(reply.error()));
         });
}

void NodeWrites::finish(std::shared_ptr<Attempt> attempt, Result<void> result) {
    if (!result && result.error().code == ErrorCode::conflict) {
        const std::optional<Duration> delay = attempt->conflicts.next_delay();
        const Duration now = calls_.loop().monotonic();
        if (delay && now + *delay < attempt->deadline)
            return calls_.after(*delay, [this, attempt] { read(attempt); });
    }
    attempt->done(result ? std::move(result)
                         : fail(within("change node " + attempt->change.node, result.error())));
}

}  // namespace capstan::kubernetes::client
