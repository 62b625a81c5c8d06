#include "autoscaler/daemon/decision_history.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "autoscaler/daemon/new_backoffs.hpp"
#include "autoscaler/daemon/pass_json.hpp"
#include "engine/drainability/eviction_refusals.hpp"
#include "engine/each_action.hpp"
#include "engine/node_marks.hpp"

namespace capstan::autoscaler::daemon {
namespace {

/// Worth keeping: an action was asked for, or pods remain unschedulable.
bool is_remarkable(const engine::Decision& decision) {
    return asks_for_something(decision) || !decision.unschedulable.empty();
}

}  // namespace

void DecisionHistory::put(std::shared_ptr<const PassReport> pass) {
    std::string text = is_remarkable(pass->decision()) ? pass_json(*pass) : std::string();
    const std::lock_guard lock(mutex_);
    last_ = std::move(pass);
    if (text.empty()) return;
    decisions_.push_front(std::move(text));
    if (decisions_.size() > ring_) decisions_.pop_back();
}

std::shared_ptr<const PassReport> DecisionHistory::last() const {
    const std::lock_guard lock(mutex_);
    return last_;
}

std::string DecisionHistory::decisions() const {
    const std::lock_guard lock(mutex_);
    std::string out = "[";
    for (const std::string& text : decisions_) out += (out.size() > 1 ? "," : "") + text;
    return out + "]";
}

namespace {

using engine::ActionResult;
using kubernetes::client::EventNote;
using kubernetes::client::ObjectReference;

/// Events about a node carry its name as uid, which is where `kubectl describe` looks for them.
ObjectReference node_reference(const std::string& name) {
    return {.kind = "Node", .name = name, .uid = name};
}

/// NULL also of what its cloud has not answered yet: it was asked for.
const Error* find_refusal(const ActionResult& result) {
    const Error* const error = result.error();
    return error != nullptr && !is_under_way(*error) ? error : nullptr;
}

class Notes {
public:
    Notes(const PassReport& pass, const ObjectReference& cluster)
        : pass_(pass), cluster_(cluster) {}

    std::vector<EventNote> take(const std::string& unhealthy_because) {
        add_health(unhealthy_because);
        report_failed_machines();
        for (const std::string& warning : pass_.decision().warnings)
            about_cluster(true, "NodesNotRecognized", warning);
        for_each_action(pass_.decision(), pass_.results,
                        [this](const auto& action, const ActionResult& result) {
                            if (result.is_known) record(action, result);
                        });
        return std::move(notes_);
    }

private:
    void about_cluster(bool is_warning, const char* reason, std::string message) {
        notes_.push_back({.about = cluster_,
                          .is_warning = is_warning,
                          .reason = reason,
                          .message = std::move(message),
                          .is_distinct = true});
    }
    void about(ObjectReference object, bool is_warning, const char* reason, std::string message) {
        notes_.push_back({.about = std::move(object),
                          .is_warning = is_warning,
                          .reason = reason,
                          .message = std::move(message)});
    }

    void add_health(const std::string& unhealthy_because) {
        if (!unhealthy_because.empty())
            about_cluster(true, "ClusterUnhealthy", "Cluster is unhealthy: " + unhealthy_because);
        const std::optional<std::int64_t> most = pass_.input.settings.nodes.max;
        if (most && pass_.result.outcome.figures.at_maximum.contains("nodes"))
            about_cluster(true, "MaxNodesTotalReached",
                          "Max total nodes in cluster reached: " + std::to_string(*most));
        for (const auto& [setting, held_back] : pass_.result.outcome.figures.held_back)
            about_cluster(false, "ScaleDownHeldBack",
                          "Scale-down: unneeded nodes are not removed yet: " +
                              engine::describe(setting, held_back));
    }
    /// Events of machines that a cloud could not create, or that did not join in time. A refused
    /// call has an Event of its own.
    void report_failed_machines() {
        for (const NewBackoff& fresh : new_backoffs(pass_)) {
            if (fresh.was_refused) continue;
            const engine::Backoff& backoff = *fresh.backoff;
            if (backoff.code == ErrorCode::deadline) {
                about_cluster(true, "ScaleUpTimedOut",
                              "Nodes added to group " + fresh.group.value() +
                                  " failed to register: " + backoff.because.text());
            } else {
                about_cluster(true, "ScaleUpFailed",
                              "Failed adding nodes to group " + fresh.group.value() + ": " +
                                  backoff.because.text());
            }
        }
    }
    void record(const engine::Decrease& decrease, const ActionResult& result) {
        if (const Error* const error = find_refusal(result))
            about_cluster(true, "FailedToRevertScaleUp",
                          "Size of group " + decrease.group.value() + " stays at " +
                              std::to_string(decrease.from) + ": " + error->message);
    }
    void record(const engine::GroupCreation& creation, const ActionResult& result) {
        const std::string& id = creation.group.value();
        if (const Error* const error = find_refusal(result)) {
            about_cluster(true, "FailedToCreateNodeGroup",
                          "NodeAutoprovisioning: attempt to create node group " + id +
                              " failed: " + error->message);
        } else {
            about_cluster(
                false, "CreatedNodeGroup",
                "NodeAutoprovisioning: created new node group " + id + ", " + creation.because);
        }
    }
    void record(const engine::GroupDeletion& deletion, const ActionResult& result) {
        const std::string& id = deletion.group.value();
        const Error* const error = find_refusal(result);
        if (error != nullptr && error->code != ErrorCode::not_found) {
            about_cluster(true, "FailedToDeleteNodeGroup",
                          "NodeAutoprovisioning: attempt to delete node group " + id +
                              " failed: " + error->message);
        } else {
            about_cluster(
                false, "DeletedNodeGroup",
                "NodeAutoprovisioning: deleted node group " + id + ", " + deletion.because);
        }
    }
    void record(const engine::Increase& d, const ActionResult& result) {
        if (const Error* const error = find_refusal(result))
            return about_cluster(
                true, "FailedToScaleUpGroup",
                "Scale-up failed for group " + d.group.value() + ": " + error->message);
        about_cluster(false, "ScaledUpGroup",
                      "Scale-up: group " + d.group.value() + " size set to " +
                          std::to_string(d.from + d.by) + " instead of " + std::to_string(d.from) +
                          " (max: " + max_text(pass_, d.group) + ")");
    }
    void record(const engine::MachineRemoval& removal, const ActionResult& result) {
        for (std::size_t m = 0; m < removal.machines.size(); ++m) {
            const std::string node = m < removal.nodes.size() ? removal.nodes[m] : "";
            const Error* const failed = engine::find_error(result.errors, removal.machines[m]);
            if (failed != nullptr && is_under_way(*failed)) continue;
            if (node.empty()) {
                add_machine(removal, removal.machines[m], failed);
            } else {
                add_node(removal, node, failed);
            }
        }
    }
    void add_machine(const engine::MachineRemoval& removal, const MachineId& machine,
                     const Error* failed) {
        if (failed != nullptr) {
            about_cluster(true, "DeleteUnregisteredFailed",
                          "Failed to remove node " + machine.value() + ": " + failed->message);
        } else {
            about_cluster(false, "DeleteUnregistered",
                          "Removed unregistered node " + machine.value() + ": " + removal.because);
        }
    }
    void add_node(const engine::MachineRemoval& removal, const std::string& node,
                  const Error* failed) {
        if (failed != nullptr) {
            about(node_reference(node), true, "ScaleDownFailed",
                  "failed to delete node: " + failed->message);
            about_cluster(true, "ScaleDownFailed",
                          "Scale-down: node " + node + " was not removed: " + failed->message);
            return;
        }
        about(node_reference(node), false, "ScaleDown", "nodes removed by cluster autoscaler");
        const bool was_empty = removal.cause == engine::RemovalCause::empty;
        about_cluster(false, was_empty ? "ScaleDownEmpty" : "ScaleDown",
                      std::string("Scale-down: ") + (was_empty ? "empty node " : "node ") + node +
                          " removed: " + why(removal, node));
    }
    /// The node's own reason; a removal's names those of all its machines.
    const std::string& why(const engine::MachineRemoval& removal, const std::string& node) const {
        const auto own = pass_.memory.removals.find(node);
        const bool is_known = own != pass_.memory.removals.end() && !own->second.because.empty();
        return is_known ? own->second.because.text() : removal.because;
    }
    void record(const engine::NodeChange& change, const ActionResult& result) {
        const Error* const error = result.error();
        const bool is_mark = std::ranges::any_of(change.set_taints, [](const Taint& taint) {
            return taint.key == engine::to_be_deleted_taint;
        });
        if (!is_mark) {
            add_unmark(change, error);
        } else if (error != nullptr) {
            about(node_reference(change.node), true, "ScaleDownFailed",
                  "failed to mark the node as toBeDeleted/unschedulable: " + error->message);
        } else {
            about(node_reference(change.node), false, "ScaleDown",
                  "marked the node as toBeDeleted/unschedulable");
        }
    }
    void add_unmark(const engine::NodeChange& change, const Error* error) {
        const std::string key(engine::to_be_deleted_taint);
        if (std::ranges::find(change.drop_taints, key) == change.drop_taints.end()) return;
        if (was_under_way(change.node))
            about(node_reference(change.node), true, "ScaleDownFailed",
                  "node is not removed: " + change.because);
        const engine::snapshot::Cluster& cluster = pass_.input.snapshot.cluster;
        const auto node = cluster.find_node(change.node);
        // Another request was faster.
        if (node && !engine::has_taint(cluster.node(*node), key)) return;
        if (error != nullptr) {
            about(node_reference(change.node), true, "ClusterAutoscalerCleanup",
                  "failed to remove taint " + key + ": " + error->message);
        } else {
            about(node_reference(change.node), false, "ClusterAutoscalerCleanup",
                  "removed taint " + key + ": " + change.because);
        }
    }
    /// Whether a removal that ends in this pass was under way. A removal with a
    /// refused mark or machine has had its Event.
    bool was_under_way(const std::string& node) const {
        using enum engine::RemovalPhase;
        const auto before = pass_.input.memory.removals.find(node);
        if (before == pass_.input.memory.removals.end()) return false;
        const engine::RemovalPhase phase = before->second.phase;
        return phase != tainting && phase != deleting && phase != undoing;
    }
    void record(const engine::Eviction& eviction, const ActionResult& result) {
        const ObjectReference pod{
            .kind = "Pod", .ns = eviction.ns, .name = eviction.pod, .uid = eviction.uid};
        if (const Error* const error = result.error(); error == nullptr) {
            const bool is_leaving = !pass_.memory.removals.contains(eviction.node) &&
                                    pass_.memory.leaving.contains(eviction.node);
            about(pod, false, "ScaleDown",
                  is_leaving ? "evicting pod: " + eviction.because
                             : "deleting pod for node scale down");
        } else if (is_newly_barred(eviction)) {
            about(pod, true, "ScaleDownFailed",
                  "failed to delete pod for node scale down: " + error->message);
        }
    }
    /// A drain asks repeatedly for the eviction of a pod; only its first failure has an Event.
    bool is_newly_barred(const engine::Eviction& eviction) const {
        const auto* before = engine::drainability::find_eviction(pass_.input.memory, eviction);
        const auto* now = engine::drainability::find_eviction(pass_.memory, eviction);
        const bool was_barred = before != nullptr && before->barred_since;
        return !was_barred && now != nullptr && now->barred_since;
    }

    const PassReport& pass_;
    const ObjectReference& cluster_;
    std::vector<EventNote> notes_{};
};

}  // namespace

std::vector<EventNote> events_of(const PassReport& pass, const ObjectReference& cluster,
                                 const std::string& unhealthy_because) {
    if (pass.input.call_context.dry_run || !pass.dropped_because.empty()) return {};
    return Notes(pass, cluster).take(unhealthy_because);
}

}  // namespace capstan::autoscaler::daemon
