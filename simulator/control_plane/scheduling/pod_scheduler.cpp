#include "simulator/control_plane/scheduling/pod_scheduler.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <boost/asio/post.hpp>

#include "engine/scheduling/placement.hpp"
#include "engine/scheduling/scheduler.hpp"
#include "engine/snapshot/cluster.hpp"
#include "engine/snapshot/cluster_builder.hpp"
#include "engine/snapshot/default_spread.hpp"
#include "kubernetes/objects/object_kinds.hpp"
#include "simulator/control_plane/context/object_fields.hpp"
#include "simulator/control_plane/nodes/node_object.hpp"

namespace capstan::simulator::control_plane {
namespace {

using engine::scheduling::Predicate;
using engine::scheduling::Refusal;

/// A predicate's sentence without the numbers that follow the words of kube-scheduler.
std::string_view without_numbers(std::string_view sentence) {
    return sentence.substr(0, sentence.find(": "));
}

/// The reasons why a node refuses a pod; kube-scheduler counts each missing resource as one reason.
std::vector<std::string> reasons_in(const engine::scheduling::Refusal& refusal) {
    if (refusal.predicate == Predicate::taint_toleration) return {refusal.sentence};
    std::vector<std::string> out;
    std::string_view rest = refusal.sentence;
    if (refusal.predicate != Predicate::node_resources_fit)
        return {std::string(without_numbers(rest))};
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find("; "), rest.size());
        out.emplace_back(without_numbers(rest.substr(0, end)));
        rest.remove_prefix(std::min(end + 2, rest.size()));
    }
    return out;
}

std::string explain(const engine::scheduling::Placement& placement,
                    engine::PodGroupIndex pod_group) {
    const std::size_t nodes = placement.predicates().cluster().node_count();
    if (nodes == 0) return "no nodes available to schedule pods";
    std::map<std::string, int> counts;
    for (engine::scheduling::Slot slot = 0; slot < nodes; ++slot)
        for (std::string& reason : reasons_in(placement.why_not(pod_group, slot)))
            ++counts[std::move(reason)];
    std::vector<std::string> parts;
    for (const auto& [reason, count] : counts)
        parts.push_back(std::to_string(count) + " " + reason);
    std::ranges::sort(parts);
    std::string out = "0/" + std::to_string(nodes) + " nodes are available: ";
    for (std::size_t i = 0; i < parts.size(); ++i) out += (i == 0 ? "" : ", ") + parts[i];
    return out + ".";
}

/// Why no node takes a pod, by pod equivalence group, in kube-scheduler's words:
///     0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint {a: b}.
std::map<engine::PodGroupId, std::string> explain_unschedulable(
    const engine::snapshot::Cluster& cluster, const std::set<engine::PodGroupId>& classes) {
    std::map<engine::PodGroupId, std::string> out;
    if (classes.empty()) return out;
    engine::scheduling::CompiledPredicates predicates(cluster, {classes.begin(), classes.end()},
                                                      {});
    const engine::scheduling::Placement placement(predicates);
    for (engine::PodGroupIndex s = 0; s < predicates.pod_groups().size(); ++s)
        out[predicates.pod_groups()[s]] = explain(placement, s);
    return out;
}

constexpr std::string_view component = "default-scheduler";

bool wants_node(const json::object& pod) {
    return text_at(pod, "spec.nodeName").empty() &&
           text_at(pod, "spec.schedulerName") == component && is_active(pod);
}

/// The class of each pod without a node, by "namespace/name".
std::map<std::string, engine::PodGroupId> unbound_classes(
    const engine::snapshot::Cluster& cluster) {
    std::map<std::string, engine::PodGroupId> out;
    for (const engine::PodIndex index : cluster.unbound()) {
        const engine::snapshot::PodRow row = cluster.pod(index);
        const std::string_view space =
            cluster.text(cluster.equivalence_group(row.equivalence_group).ns);
        out.emplace(object_key(space, cluster.text(row.name)), row.equivalence_group);
    }
    return out;
}

/// Default spread constraints take the selectors of these kinds; nothing else of them matters to
/// the scheduler.
bool is_for_default_spread(const ResourceKind& kind) {
    return (kind.group.empty() &&
            (kind.kind == "Service" || kind.kind == "ReplicationController")) ||
           (kind.group == "apps" && (kind.kind == "ReplicaSet" || kind.kind == "StatefulSet"));
}

bool is_for_scheduling(const ResourceKind& kind, const ControlPlaneOptions& options) {
    if (kind.group == "storage.k8s.io") return true;
    if (!options.default_spread.empty() && is_for_default_spread(kind)) return true;
    return kind.group.empty() &&
           (kind.kind == "Pod" || kind.kind == "Node" || kind.kind == "Namespace" ||
            kind.kind == "PersistentVolume" || kind.kind == "PersistentVolumeClaim");
}

/// The store's objects as a Cluster of the engine, kept up to date by the feed. [the loop's thread]
class SchedulingView {
public:
    /// `changed` is called after a change that the Cluster shows.
    SchedulingView(ControlContext& context, std::function<void()> changed)
        : context_(context), changed_(std::move(changed)) {
        context.feed().listen_to_all([this](const ResourceKind& kind, const Change& change) {
            if (is_for_scheduling(kind, context_.options())) follow(kind, change);
        });
    }
    SchedulingView(const SchedulingView&) = delete;
    SchedulingView& operator=(const SchedulingView&) = delete;

    /// The cluster, with the scheduler's default spread constraints.
    engine::snapshot::Cluster cluster() {
        return engine::snapshot::with_default_spread(builder_.build(),
                                                     context_.options().default_spread);
    }
    /// Sets the node of a pod that the scheduler has just bound, before the feed delivers the
    /// change.
    void bind(const json::object& pod, std::string_view node) {
        builder_.bind_pod(namespace_of(pod), name_of(pod), node);
    }

private:
    void follow(const ResourceKind& kind, const Change& change) {
        const auto* decodable = kubernetes::objects::find_kind(kind.kind, kind.api_version());
        if (decodable == nullptr) return;
        const std::uint64_t before = builder_.changes();
        const std::string_view space = namespace_of(*change.object);
        const std::string_view name = name_of(*change.object);
        // The current object and not that of the change, or a pod that was bound since would be
        // pending again.
        if (const ApiObject object = context_.store().find(kind, space, name)) {
            load(kind, *object);
        } else {
            builder_.remove(decodable->object, space, name);
        }
        if (builder_.changes() != before) changed_();
    }

    void load(const ResourceKind& kind, const json::object& object) {
        json::value document = object;
        // NodeHealth sets the taints of a new node a little later, and no pod may be bound before
        // that.
        if (kind.kind == "Node") set_condition_taints(document.get_object(), context_.now());
        kubernetes::JsonProblems problems(document);
        kubernetes::objects::find_kind(kind.kind, kind.api_version())
            ->load(problems.root(), builder_);
    }

    ControlContext& context_;
    std::function<void()> changed_;
    engine::snapshot::ClusterBuilder builder_;
};

class PodScheduler final : public Controller {
public:
    explicit PodScheduler(ControlContext& context)
        : Controller(context), view_(context, [this] { note_change(); }) {
        context.feed().listen("pods", [this](const Change& change) { follow(change); });
    }

    ~PodScheduler() override { context_.loop().cancel(next_round_); }

private:
    /// Pods that one handler of the loop tries.
    static constexpr std::size_t pods_per_turn = 250;
    /// The pause between a change and the next round, at speed 1.
    static constexpr Duration round_pause = std::chrono::milliseconds(200);
    /// A pending pod, in the order in which pods are tried.
    struct PendingPod {
        std::int64_t priority = 0;
        std::string created{}, key{};
        bool operator<(const PendingPod& other) const {
            // Negated, so that the highest priority comes first.
            return std::tuple(-priority, created, key) <
                   std::tuple(-other.priority, other.created, other.key);
        }
    };
    struct Candidate {
        ApiObject pod{};
        engine::PodGroupId equivalence_group = 0;
    };

    void follow(const Change& change) {
        const std::string key = object_key(*change.object);
        const ApiObject pod = context_.find("pods", key);
        if (pod == nullptr || !wants_node(*pod)) return stop_waiting(key);
        if (!list_at(*pod, "spec.schedulingGates").empty()) {
            stop_waiting(key);
            return set_unschedulable(*pod, "SchedulingGated",
                                     "Scheduling is blocked due to non-empty scheduling gates");
        }
        const auto [place, is_new] = waiting_.try_emplace(key);
        if (!is_new) return;
        place->second = {number_or(*pod, "spec.priority", 0),
                         std::string(text_at(*pod, "metadata.creationTimestamp")), key};
        // The pods that wait for the next round are older; the new pod must not take their room.
        const bool others_wait = waiting_.size() > round_.size() + 1;
        if (next_round_ != 0 && others_wait) return;
        round_.insert(place->second);
        wake();
    }

    void stop_waiting(const std::string& key) {
        const auto found = waiting_.find(key);
        if (found == waiting_.end()) return;
        round_.erase(found->second);
        waiting_.erase(found);
    }

    /// Begins a new round after a pause, and after the present round.
    void note_change() {
        if (next_round_ != 0) return;
        const Duration pause = context_.paced(round_pause);
        next_round_ = context_.loop().after(pause, [this, alive = std::weak_ptr(alive_)] {
            if (!alive.expired()) begin_round();
        });
    }

    void begin_round() {
        next_round_ = 0;
        if (!round_.empty()) return note_change();
        for (const auto& [key, pod] : waiting_) round_.insert(pod);
        wake();
    }

    void wake() {
        if (round_.empty() || std::exchange(is_scheduled_, true)) return;
        boost::asio::post(context_.loop().io(), [this, alive = std::weak_ptr(alive_)] {
            if (!alive.expired()) take_turn();
        });
    }

    std::vector<ApiObject> next_pods() {
        std::vector<ApiObject> out;
        while (!round_.empty() && out.size() < pods_per_turn) {
            const PendingPod next = *round_.begin();
            round_.erase(round_.begin());
            if (ApiObject pod = context_.find("pods", next.key)) out.push_back(std::move(pod));
        }
        return out;
    }

    /// The pods with their classes, without pods that the engine cannot decode or that are bound.
    std::vector<Candidate> classified(const engine::snapshot::Cluster& cluster,
                                      const std::vector<ApiObject>& pods) const {
        const auto classes = unbound_classes(cluster);
        std::vector<Candidate> out;
        for (const ApiObject& pod : pods)
            if (const auto found = classes.find(object_key(*pod)); found != classes.end())
                out.push_back({pod, found->second});
        return out;
    }

    void take_turn() {
        is_scheduled_ = false;
        const engine::snapshot::Cluster cluster = view_.cluster();
        const std::vector<Candidate> candidates = classified(cluster, next_pods());
        std::vector<engine::PodGroupId> classes;
        for (const Candidate& candidate : candidates)
            classes.push_back(candidate.equivalence_group);
        const auto nodes = engine::scheduling::find_nodes(cluster, classes);
        std::vector<ApiObject> refused;
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            if (const auto& node = nodes[i]; node) {
                bind(*candidates[i].pod, std::string(cluster.text(cluster.node(*node).name)));
            } else {
                refused.push_back(candidates[i].pod);
            }
        }
        mark_unschedulable(refused);
        wake();
    }

    void bind(const json::object& pod, const std::string& node) {
        const auto set_node = [&](json::object& fresh) {
            set_value(fresh, "spec.nodeName", json_view(node));
            set_condition(fresh, {.type = "PodScheduled"}, context_.now());
            make_object(fresh, "status").erase("nominatedNodeName");
        };
        if (context_.edit("pods", pod, set_node) == nullptr) return;
        stop_waiting(object_key(pod));
        view_.bind(pod, node);
        context_.events().record(
            context_.kind("pods"), pod,
            {component, "Scheduled", "Successfully assigned " + object_key(pod) + " to " + node});
    }

    /// Writes why the pods have no node, judged after all other pods of the turn are bound.
    void mark_unschedulable(const std::vector<ApiObject>& pods) {
        if (pods.empty()) return;
        const engine::snapshot::Cluster cluster = view_.cluster();
        const std::vector<Candidate> candidates = classified(cluster, pods);
        std::set<engine::PodGroupId> classes;
        for (const Candidate& candidate : candidates) classes.insert(candidate.equivalence_group);
        const auto reasons = explain_unschedulable(cluster, classes);
        for (const Candidate& candidate : candidates)
            set_unschedulable(*candidate.pod, "Unschedulable",
                              reasons.at(candidate.equivalence_group));
    }

    /// Sets the condition PodScheduled, unless it has that reason and message already.
    void set_unschedulable(const json::object& pod, std::string_view reason,
                           const std::string& message) {
        const json::object* before = find_condition(pod, "PodScheduled");
        if (before != nullptr && text_at(*before, "reason") == reason &&
            text_at(*before, "message") == message)
            return;
        context_.edit("pods", pod, [&](json::object& fresh) {
            set_condition(
                fresh,
                {.type = "PodScheduled", .status = "False", .reason = reason, .message = message},
                context_.now());
        });
        if (reason == "Unschedulable")
            context_.events().record(context_.kind("pods"), pod,
                                     {component, "FailedScheduling", message, true});
    }

    std::map<std::string, PendingPod> waiting_;  ///< all pending pods, by "namespace/name"
    std::set<PendingPod> round_;                 ///< pending pods that this round has not tried yet
    bool is_scheduled_ = false;                  ///< the loop is about to call take_turn()
    io::TimerId next_round_ = 0;                 ///< 0: no timer is set
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
    SchedulingView view_;
};

}  // namespace

std::unique_ptr<Controller> make_pod_scheduler(ControlContext& context) {
    return std::make_unique<PodScheduler>(context);
}

}  // namespace capstan::simulator::control_plane
