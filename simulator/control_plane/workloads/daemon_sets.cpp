#include "simulator/control_plane/workloads/workload_controllers.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <capstan/well_known.hpp>

#include "engine/scheduling/predicates/node_affinity.hpp"
#include "engine/scheduling/predicates/taint_toleration.hpp"
#include "engine/snapshot/pod_spec.hpp"
#include "kubernetes/objects/object_decode.hpp"
#include "kubernetes/objects/pod_decode.hpp"
#include "simulator/control_plane/context/object_fields.hpp"
#include "simulator/control_plane/workloads/pod_control.hpp"
#include "simulator/control_plane/workloads/replica_sets.hpp"

namespace capstan::simulator::control_plane {
namespace {

enum class DaemonVerdict {
    runs,   ///< the node should run a pod
    stays,  ///< the node gets no new pod, and keeps a pod that it has
    goes,   ///< node selector, affinity or a NoExecute taint exclude the node
};

struct TaintKey {
    std::string_view key, effect;
};

/// The taints that the pods of all DaemonSets tolerate.
constexpr TaintKey tolerated_taints[] = {
    {well_known::not_ready_taint, "NoExecute"},
    {well_known::unreachable_taint, "NoExecute"},
    {well_known::disk_pressure_taint, "NoSchedule"},
    {well_known::memory_pressure_taint, "NoSchedule"},
    {well_known::pid_pressure_taint, "NoSchedule"},
    {well_known::unschedulable_taint, "NoSchedule"},
};

void add_tolerations(json::object& spec) {
    json::value& list = spec["tolerations"];
    if (!list.is_array()) list.emplace_array();
    for (const TaintKey& taint : tolerated_taints)
        list.get_array().push_back(json::object{{"key", json_view(taint.key)},
                                                {"operator", "Exists"},
                                                {"effect", json_view(taint.effect)}});
}

json::object name_term(std::string_view node) {
    return {{"matchFields", json::array{json::object{{"key", "metadata.name"},
                                                     {"operator", "In"},
                                                     {"values", json::array{json_view(node)}}}}}};
}

/// Restricts every required node affinity term to that node. A pod without terms gets one.
void require_node(json::object& spec, std::string_view node) {
    constexpr std::string_view path =
        "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
    json::array terms;
    for (const json::value& item : list_at(spec, path)) {
        json::object term = item.is_object() ? item.get_object() : json::object();
        term["matchFields"] = name_term(node)["matchFields"];
        terms.push_back(std::move(term));
    }
    if (terms.empty()) terms.push_back(name_term(node));
    set_value(spec, path, std::move(terms));
}

/// The pod spec of the template, with the tolerations that all pods of DaemonSets have.
engine::snapshot::PodSpec daemon_spec(const json::object& set) {
    const json::object* written = find_object(set, "spec.template.spec");
    json::object spec = written == nullptr ? json::object() : *written;
    add_tolerations(spec);
    const json::value document = std::move(spec);
    kubernetes::JsonProblems problems(document);
    return kubernetes::objects::decode_pod_spec(problems.root()).spec;
}

DaemonVerdict judge_daemon(const engine::snapshot::PodSpec& spec, const json::object& node) {
    const json::value document = node;
    kubernetes::JsonProblems problems(document);
    const auto decoded = kubernetes::objects::decode_node(problems.root());
    if (!decoded ||
        !engine::scheduling::selects(spec, {.name = decoded->name, .labels = decoded->labels}))
        return DaemonVerdict::goes;
    std::vector<Taint> taints = decoded->taints;
    const bool may_run = engine::scheduling::find_untolerated_taint(spec, taints) == nullptr;
    std::erase_if(taints, [](const Taint& taint) { return taint.effect != Effect::no_execute; });
    const bool may_stay = engine::scheduling::find_untolerated_taint(spec, taints) == nullptr;
    return may_run ? DaemonVerdict::runs : may_stay ? DaemonVerdict::stays : DaemonVerdict::goes;
}

json::object make_daemon_pod(const Workload& set, std::string_view node,
                             std::string_view revision_hash) {
    json::object pod = make_pod(set);
    set_label(pod, revision_label, revision_hash);
    json::object& spec = make_object(pod, "spec");
    add_tolerations(spec);
    require_node(spec, node);
    return pod;
}

/// The node that a pod of a DaemonSet is bound to, or that its affinity names; empty: neither.
std::string daemon_node(const json::object& pod) {
    if (const std::string_view bound = text_at(pod, "spec.nodeName"); !bound.empty())
        return std::string(bound);
    const auto first_at = [](const auto& root, std::string_view path) -> const json::value* {
        const json::array& list = list_at(root, path);
        return list.empty() ? nullptr : &list.front();
    };
    const json::value* term =
        first_at(pod,
                 "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
                 "nodeSelectorTerms");
    const json::value* node = first_at(first_at(term, "matchFields"), "values");
    if (node == nullptr || !node->is_string()) return {};
    return std::string(api_server::view(node->get_string()));
}

class DaemonSets final : public QueuedController {
public:
    explicit DaemonSets(ControlContext& context) : QueuedController(context) {
        watch_workloads(context, "daemonsets.apps", "pods", queue_);
        context.feed().listen("nodes", [this](const Change&) { add_all("daemonsets.apps"); });
    }

private:
    /// A DaemonSet during one reconciliation.
    struct SyncState {
        struct Place {
            DaemonVerdict verdict = DaemonVerdict::goes;  ///< also of a node that does not exist
            std::vector<ApiObject> pods{};
        };
        Workload set{};
        ApiObject revision{};
        std::map<std::string, Place> places{};  ///< by node
        Duration min_ready{};
        Time now{};

        std::string_view hash() const { return label_of(*revision, revision_label); }
        bool is_updated(const json::object& pod) const {
            return label_of(pod, revision_label) == hash();
        }
        bool serves(const json::object& pod) const {
            return availability(pod, min_ready, now).is_available;
        }
        std::int64_t desired() const {
            return std::ranges::count_if(places, [](const auto& place) {
                return place.second.verdict == DaemonVerdict::runs;
            });
        }
    };

    void reconcile(const std::string& key) override {
        SyncState sync{.set = {&context_.kind("daemonsets.apps"),
                               context_.find("daemonsets.apps", key), "daemonset-controller"}};
        if (sync.set.object == nullptr) return;
        sync.now = context_.now();
        sync.min_ready = context_.paced_s(number_or(*sync.set.object, "spec.minReadySeconds", 0));
        sync.revision = update_revision_of(context_, sync.set);
        if (sync.revision == nullptr) return;
        const engine::snapshot::PodSpec spec = daemon_spec(*sync.set.object);
        for (const ApiObject& node : context_.store().list(context_.kind("nodes")).items)
            sync.places[std::string(name_of(*node))].verdict = judge_daemon(spec, *node);
        for (ApiObject& pod : claim(context_, sync.set, "pods"))
            if (!is_terminating(*pod))
                sync.places[daemon_node(*pod)].pods.push_back(std::move(pod));
        if (!is_terminating(*sync.set.object)) {
            place_pods(sync);
            if (text_at(*sync.set.object, "spec.updateStrategy.type") != "OnDelete") roll(sync);
        }
        write_counts(key, sync);
    }

    /// Leaves one pod on each node that should run or may keep one, and none on other nodes.
    /// Replaces pods that have ended.
    void place_pods(SyncState& sync) {
        for (auto& [node, place] : sync.places) {
            std::vector<ApiObject> order = in_removal_order(place.pods);
            std::size_t keep = place.verdict == DaemonVerdict::goes ? 0 : 1;
            for (std::size_t i = 0; i < order.size(); ++i) {
                const bool is_last = i + keep == order.size();
                if (is_last && !has_ended(*order[i])) break;
                delete_pod(context_, sync.set, *order[i]);
                std::erase(place.pods, order[i]);
            }
            if (place.verdict != DaemonVerdict::runs || !place.pods.empty()) continue;
            if (ApiObject made =
                    create_pod(context_, sync.set, make_daemon_pod(sync.set, node, sync.hash())))
                place.pods.push_back(std::move(made));
        }
    }

    /// RollingUpdate: deletes old pods, up to maxUnavailable at a time. Pods that are not available
    /// count as missing.
    void roll(const SyncState& sync) {
        const std::int64_t most =
            portion_at(*sync.set.object, "spec.updateStrategy.rollingUpdate.maxUnavailable",
                       sync.desired(), Rounding::up)
                .value_or(1);
        std::int64_t missing = 0;
        std::vector<ApiObject> old;
        for (const auto& [node, place] : sync.places) {
            if (place.verdict != DaemonVerdict::runs) continue;
            const ApiObject pod = place.pods.empty() ? nullptr : place.pods.front();
            if (pod == nullptr || !sync.serves(*pod)) ++missing;
            if (pod == nullptr || sync.is_updated(*pod)) continue;
            if (sync.serves(*pod)) {
                old.push_back(pod);
            } else {
                delete_pod(context_, sync.set, *pod);
            }
        }
        for (std::size_t i = 0; i < old.size() && missing < most; ++i, ++missing)
            delete_pod(context_, sync.set, *old[i]);
    }

    void write_counts(const std::string& key, const SyncState& sync) {
        std::int64_t current = 0, misplaced = 0, updated = 0, ready = 0, available = 0;
        for (const auto& [node, place] : sync.places) {
            if (place.pods.empty()) continue;
            const json::object& pod = *place.pods.front();
            if (place.verdict != DaemonVerdict::runs) {
                ++misplaced;
                continue;
            }
            const Availability found = availability(pod, sync.min_ready, sync.now);
            if (found.remaining) queue_.add_after(key, *found.remaining);
            ++current;
            updated += sync.is_updated(pod) ? 1 : 0;
            ready += is_ready(pod) ? 1 : 0;
            available += found.is_available ? 1 : 0;
        }
        const std::int64_t desired = sync.desired();
        write_status(context_, sync.set, [&](json::object& whole) {
            json::object& status = make_object(whole, "status");
            status["observedGeneration"] = number_or(whole, "metadata.generation", 0);
            status["desiredNumberScheduled"] = desired;
            status["currentNumberScheduled"] = current;
            status["numberMisscheduled"] = misplaced;
            status["updatedNumberScheduled"] = updated;
            status["numberReady"] = ready;
            status["numberAvailable"] = available;
            status["numberUnavailable"] = desired - available;
        });
        delete_old_revisions(context_, sync.set, {std::string(name_of(*sync.revision))});
    }
};

}  // namespace

std::unique_ptr<Controller> make_daemon_sets(ControlContext& context) {
    return std::make_unique<DaemonSets>(context);
}

}  // namespace capstan::simulator::control_plane
