#include "simulation/control_plane/workloads/replica_sets.hpp"

#include <algorithm>

#include "simulation/control_plane/pod_facts.hpp"
#include "simulation/control_plane/workloads/pod_counts.hpp"
#include "simulation/control_plane/workloads/removal_order.hpp"

namespace capstan::simulation {
namespace {

std::vector<ApiObject> active_among(std::vector<ApiObject> pods) {
    std::erase_if(pods, [](const ApiObject& pod) { return !is_active(*pod); });
    return pods;
}

}  // namespace

ReplicaSets::ReplicaSets(ControlContext& context, std::string_view resource,
                         std::string_view component)
    : context_(context),
      resource_(resource),
      component_(component),
      queue_(context.loop(), [this](const std::string& key) { reconcile(key); }) {
    watch_workloads(context, resource, "pods", queue_);
}

void ReplicaSets::reconcile(const std::string& key) {
    const Workload set{&context_.kind(resource_), context_.find(resource_, key), component_};
    if (set.object == nullptr) return;
    const std::vector<ApiObject> active = active_among(claim(context_, set, "pods"));
    if (!is_leaving(*set.object)) scale(set, active);
    write_counts(key, set);
}

void ReplicaSets::scale(const Workload& set, const std::vector<ApiObject>& active) {
    const std::int64_t missing =
        number_or(*set.object, "spec.replicas", 1) - static_cast<std::int64_t>(active.size());
    if (missing > 0) {
        for (std::int64_t i = 0; i < std::min(missing, pods_per_look); ++i)
            if (create_pod(context_, set, make_pod(set)) == nullptr) return;
    } else if (missing < 0) {
        const std::vector<ApiObject> order = in_removal_order(active);
        for (std::int64_t i = 0; i < std::min(-missing, pods_per_look); ++i)
            delete_pod(context_, set, *order[static_cast<std::size_t>(i)]);
    }
    if (std::abs(missing) > pods_per_look) queue_.add(object_key(*set.object));
}

void ReplicaSets::write_counts(const std::string& key, const Workload& set) {
    const Duration min_ready = context_.paced_s(number_or(*set.object, "spec.minReadySeconds", 0));
    const PodCounts counts = count_pods(
        active_among(context_.index().controlled_by(text_at(*set.object, "metadata.uid"), "pods")),
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

}  // namespace capstan::simulation
