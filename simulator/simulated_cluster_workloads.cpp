// What plugins see of pods and workloads through the Kubernetes API, and how they scale workloads.
#include <algorithm>
#include <map>
#include <vector>

#include <capstan/sentence.hpp>

#include "simulator/simulated_cluster.hpp"

namespace capstan::simulator {

std::string SimulatedCluster::workload_of(const Workload& b) {
    if (!b.scaled.id.empty()) return b.scaled.id;
    const engine::snapshot::PodOwner& owner = b.pod_template.owner;
    if (owner.kind != "ReplicaSet" && owner.kind != "StatefulSet") return {};
    // The ReplicaSets of a scenario are those of Deployments.
    const bool is_of_scenario = owner.uid == key_of(b.pod_template.ns, owner.name);
    const bool is_deployment = owner.kind == "ReplicaSet" && is_of_scenario;
    return key_of(b.pod_template.ns, key_of(is_deployment ? "Deployment" : owner.kind, owner.name));
}

void SimulatedCluster::track_changes() {
    tracks_changes_ = true;
    for (BatchId of = 0; of < batches_.size(); ++of) {
        touched_batches_.insert(of);
        touched_pods_.insert(batches_[of].pods.begin(), batches_[of].pods.end());
    }
}

std::vector<PodState> SimulatedCluster::take_changed_pods() {
    std::vector<PodState> out;
    for (const PodId id : std::exchange(touched_pods_, {})) {
        const Pod& pod = pods_[id];
        const Workload& of = batches_[pod.batch];
        if (of.pods.contains(id)) {
            out.push_back(
                {.object = object_of(id), .is_ready = pod.is_healthy, .workload = workload_of(of)});
        } else {
            PodState gone{.is_there = false};
            gone.object.ns = of.pod_template.ns;
            gone.object.name = pod.name;
            out.push_back(std::move(gone));
        }
    }
    return out;
}

std::vector<WorkloadState> SimulatedCluster::take_changed_workloads() {
    std::map<std::string, WorkloadState> changed;
    for (const BatchId of : std::exchange(touched_batches_, {})) {
        const std::string id = workload_of(batches_[of]);
        if (id.empty()) continue;
        const std::size_t kind = id.find('/') + 1, name = id.find('/', kind) + 1;
        changed[id] = {.id = id,
                       .ns = id.substr(0, kind - 1),
                       .kind = id.substr(kind, name - kind - 1),
                       .name = id.substr(name),
                       .is_there = false};
    }
    if (changed.empty()) return {};
    for (const Workload& b : batches_) {
        const auto at = changed.find(workload_of(b));
        if (at == changed.end() || b.controller == Controller::none) continue;
        at->second.is_there = true;
        at->second.wanted += b.wanted;
        at->second.present += alive(b);
        at->second.ready += b.healthy;
    }
    std::vector<WorkloadState> out;
    for (auto& [id, state] : changed) out.push_back(std::move(state));
    return out;
}

/// A Deployment may have several batches: its largest grows, and the others shrink before it.
Result<void> SimulatedCluster::scale_workload(const std::string& id, int replicas, Time now) {
    std::vector<BatchId> of_workload;
    int wanted = 0;
    for (BatchId of = 0; of < batches_.size(); ++of) {
        const Workload& b = batches_[of];
        if (b.controller == Controller::none || workload_of(b) != id) continue;
        of_workload.push_back(of);
        wanted += b.wanted;
    }
    if (of_workload.empty()) return fail(ErrorCode::not_found, "scale: no workload " + id);
    const BatchId largest = *std::ranges::max_element(
        of_workload, {}, [&](BatchId of) { return std::pair(batches_[of].wanted, of); });
    std::erase(of_workload, largest);
    of_workload.push_back(largest);
    int change = replicas - wanted;
    for (const BatchId of : of_workload) {
        if (change == 0) break;
        if (change > 0 && of != largest) continue;
        const Workload& b = batches_[of];
        const int by = std::max(change, -b.wanted);
        change -= by;
        scale(of, b.pod_template.name, b.wanted + by, now);
    }
    return {};
}

}  // namespace capstan::simulator
