#include "simulation/control_plane/workloads/daemon_sets.hpp"

#include <algorithm>
#include <utility>

#include "simulation/control_plane/pod_facts.hpp"
#include "simulation/control_plane/portions.hpp"
#include "simulation/control_plane/workloads/daemon_pods.hpp"
#include "simulation/control_plane/workloads/removal_order.hpp"

namespace capstan::simulation {

/// A set as it is looked at.
struct DaemonSets::Look {
    struct Place {
        DaemonVerdict verdict = DaemonVerdict::goes;  ///< of a node that is not there, too
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
        return std::ranges::count_if(
            places, [](const auto& place) { return place.second.verdict == DaemonVerdict::runs; });
    }
};

DaemonSets::DaemonSets(ControlContext& context)
    : context_(context),
      queue_(context.loop(), [this](const std::string& key) { reconcile(key); }) {
    watch_workloads(context, "daemonsets.apps", "pods", queue_);
    context.feed().listen("nodes", [this](const Change&) {
        for (const ApiObject& set : context_.store().list(context_.kind("daemonsets.apps")).items)
            queue_.add(object_key(*set));
    });
}

void DaemonSets::reconcile(const std::string& key) {
    Look look{.set = {&context_.kind("daemonsets.apps"), context_.find("daemonsets.apps", key),
                      "daemonset-controller"}};
    if (look.set.object == nullptr) return;
    look.now = context_.now();
    look.min_ready = context_.paced_s(number_or(*look.set.object, "spec.minReadySeconds", 0));
    look.revision = present_revision(context_, look.set);
    if (look.revision == nullptr) return;
    const engine::PodSpec spec = daemon_spec(*look.set.object);
    for (const ApiObject& node : context_.store().list(context_.kind("nodes")).items)
        look.places[std::string(text_at(*node, "metadata.name"))].verdict =
            judge_daemon(spec, *node);
    for (ApiObject& pod : claim(context_, look.set, "pods"))
        if (!is_leaving(*pod)) look.places[daemon_node(*pod)].pods.push_back(std::move(pod));
    if (!is_leaving(*look.set.object)) {
        settle(look);
        if (text_at(*look.set.object, "spec.updateStrategy.type") != "OnDelete") roll(look);
    }
    write_counts(key, look);
}

/// One pod where one is to be, none where none may stay; what ended is made again.
void DaemonSets::settle(Look& look) {
    for (auto& [node, place] : look.places) {
        std::vector<ApiObject> order = in_removal_order(place.pods);
        std::size_t keep = place.verdict == DaemonVerdict::goes ? 0 : 1;
        for (std::size_t i = 0; i < order.size(); ++i) {
            const bool is_last = i + keep == order.size();
            if (is_last && !has_ended(*order[i])) break;
            delete_pod(context_, look.set, *order[i]);
            std::erase(place.pods, order[i]);
        }
        if (place.verdict != DaemonVerdict::runs || !place.pods.empty()) continue;
        if (ApiObject made =
                create_pod(context_, look.set, make_daemon_pod(look.set, node, look.hash())))
            place.pods.push_back(std::move(made));
    }
}

/// Old pods go, as many as may be missing at once; those that do not serve count as missing.
void DaemonSets::roll(const Look& look) {
    const std::int64_t most =
        portion_at(*look.set.object, "spec.updateStrategy.rollingUpdate.maxUnavailable",
                   look.desired(), Rounding::up)
            .value_or(1);
    std::int64_t missing = 0;
    std::vector<ApiObject> old;
    for (const auto& [node, place] : look.places) {
        if (place.verdict != DaemonVerdict::runs) continue;
        const ApiObject pod = place.pods.empty() ? nullptr : place.pods.front();
        if (pod == nullptr || !look.serves(*pod)) ++missing;
        if (pod == nullptr || look.is_updated(*pod)) continue;
        if (look.serves(*pod)) {
            old.push_back(pod);
        } else {
            delete_pod(context_, look.set, *pod);
        }
    }
    for (std::size_t i = 0; i < old.size() && missing < most; ++i, ++missing)
        delete_pod(context_, look.set, *old[i]);
}

void DaemonSets::write_counts(const std::string& key, const Look& look) {
    std::int64_t current = 0, misplaced = 0, updated = 0, ready = 0, available = 0;
    for (const auto& [node, place] : look.places) {
        if (place.pods.empty()) continue;
        const json::object& pod = *place.pods.front();
        if (place.verdict != DaemonVerdict::runs) {
            ++misplaced;
            continue;
        }
        const Availability is = availability(pod, look.min_ready, look.now);
        if (is.still) queue_.add_after(key, *is.still);
        ++current;
        updated += look.is_updated(pod) ? 1 : 0;
        ready += is_ready(pod) ? 1 : 0;
        available += is.is_available ? 1 : 0;
    }
    const std::int64_t desired = look.desired();
    write_status(context_, look.set, [&](json::object& whole) {
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
    forget_old_revisions(context_, look.set,
                         {std::string(text_at(*look.revision, "metadata.name"))});
}

}  // namespace capstan::simulation
