#include "simulator/control_plane/workloads/replica_sets.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <tuple>

#include <capstan/time_text.hpp>

#include "simulator/control_plane/context/object_fields.hpp"
#include "simulator/control_plane/workloads/pod_control.hpp"
#include "simulator/control_plane/workloads/workload_controllers.hpp"

namespace capstan::simulator::control_plane {
namespace {

std::int64_t deletion_cost(const json::object& pod) {
    const std::string_view written =
        annotation_of(pod, "controller.kubernetes.io/pod-deletion-cost");
    std::int64_t cost = 0;
    const char* end = written.data() + written.size();
    const auto read = std::from_chars(written.data(), end, cost);
    return read.ec == std::errc() && read.ptr == end ? cost : 0;
}

int phase_rank(const json::object& pod) {
    const std::string_view phase = text_at(pod, "status.phase");
    return phase == "Pending" ? 0 : phase == "Running" ? 2 : 1;
}

std::int64_t restart_count(const json::object& pod) {
    std::int64_t out = 0;
    for (const json::object* status : objects_at(pod, "status.containerStatuses"))
        out = std::max(out, number_or(*status, "restartCount", 0));
    return out;
}

std::int64_t seconds(std::optional<Time> time) {
    return time ? std::chrono::duration_cast<std::chrono::seconds>(time->time_since_epoch()).count()
                : 0;
}

/// The pod of the lowest rank is deleted first. A later time ranks lower, so times are negated.
auto rank(const json::object& pod, int pods_on_node) {
    return std::tuple(!text_at(pod, "spec.nodeName").empty(), phase_rank(pod), is_ready(pod),
                      deletion_cost(pod), -pods_on_node, -seconds(condition_since(pod, "Ready")),
                      -restart_count(pod),
                      -seconds(find_rfc3339(text_at(pod, "metadata.creationTimestamp"))),
                      std::string(name_of(pod)));
}

std::vector<ApiObject> active_among(std::vector<ApiObject> pods) {
    std::erase_if(pods, [](const ApiObject& pod) { return !is_active(*pod); });
    return pods;
}

class ReplicaSets final : public QueuedController {
public:
    /// `resource`: "replicasets.apps" or "replicationcontrollers".
    ReplicaSets(ControlContext& context, std::string_view resource, std::string_view component)
        : QueuedController(context), resource_(resource), component_(component) {
        watch_workloads(context, resource, "pods", queue_);
    }

private:
    /// The most pods that one reconciliation makes or deletes.
    static constexpr std::int64_t pods_per_sync = 500;

    void reconcile(const std::string& key) override {
        const Workload set{&context_.kind(resource_), context_.find(resource_, key), component_};
        if (set.object == nullptr) return;
        const std::vector<ApiObject> active = active_among(claim(context_, set, "pods"));
        if (!is_terminating(*set.object)) scale(set, active);
        write_counts(key, set);
    }

    void scale(const Workload& set, const std::vector<ApiObject>& active) {
        const std::int64_t missing =
            number_or(*set.object, "spec.replicas", 1) - static_cast<std::int64_t>(active.size());
        if (missing > 0) {
            for (std::int64_t i = 0; i < std::min(missing, pods_per_sync); ++i)
                if (create_pod(context_, set, make_pod(set)) == nullptr) return;
        } else if (missing < 0) {
            const std::vector<ApiObject> order = in_removal_order(active);
            for (std::int64_t i = 0; i < std::min(-missing, pods_per_sync); ++i)
                delete_pod(context_, set, *order[static_cast<std::size_t>(i)]);
        }
        if (std::abs(missing) > pods_per_sync) queue_.add(object_key(*set.object));
    }

    void write_counts(const std::string& key, const Workload& set) {
        const Duration min_ready =
            context_.paced_s(number_or(*set.object, "spec.minReadySeconds", 0));
        const PodCounts counts =
            count_pods(active_among(context_.index().controlled_by(uid_of(*set.object), "pods")),
                       min_ready, context_.now());
        if (counts.next_available) queue_.add_after(key, *counts.next_available);
        write_status(context_, set, [&](json::object& whole) {
            json::object& status = make_object(whole, "status");
            status["replicas"] = counts.all;
            status["fullyLabeledReplicas"] = counts.all;
            status["readyReplicas"] = counts.ready;
            status["availableReplicas"] = counts.available;
            status["observedGeneration"] = number_or(whole, "metadata.generation", 0);
        });
    }

    std::string resource_, component_;
};

}  // namespace

PodCounts count_pods(const std::vector<ApiObject>& pods, Duration min_ready, Time now) {
    PodCounts out;
    for (const ApiObject& pod : pods) {
        const Availability found = availability(*pod, min_ready, now);
        ++out.all;
        out.ready += is_ready(*pod) ? 1 : 0;
        out.available += found.is_available ? 1 : 0;
        if (const auto left = found.remaining)
            out.next_available = std::min(out.next_available.value_or(*left), *left);
    }
    return out;
}

std::vector<ApiObject> in_removal_order(std::vector<ApiObject> pods) {
    std::map<std::string, int, std::less<>> on_node;
    for (const ApiObject& pod : pods) ++on_node[std::string(text_at(*pod, "spec.nodeName"))];
    using Rank = decltype(rank(*pods.front(), 0));
    std::vector<std::pair<Rank, ApiObject>> ranked;
    for (ApiObject& pod : pods) {
        Rank place = rank(*pod, on_node.find(text_at(*pod, "spec.nodeName"))->second);
        ranked.emplace_back(std::move(place), std::move(pod));
    }
    std::ranges::sort(ranked, {}, &std::pair<Rank, ApiObject>::first);
    std::vector<ApiObject> out;
    for (auto& [place, pod] : ranked) out.push_back(std::move(pod));
    return out;
}

std::unique_ptr<Controller> make_replica_sets(ControlContext& context) {
    return std::make_unique<ReplicaSets>(context, "replicasets.apps", "replicaset-controller");
}

std::unique_ptr<Controller> make_replication_controllers(ControlContext& context) {
    return std::make_unique<ReplicaSets>(context, "replicationcontrollers",
                                         "replication-controller");
}

}  // namespace capstan::simulator::control_plane
