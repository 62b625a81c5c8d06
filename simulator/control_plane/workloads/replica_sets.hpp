/// ReplicaSets and ReplicationControllers, and the order in which pods are deleted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simulator/api_server/api_object.hpp"
#include "simulator/control_plane/workloads/pod_control.hpp"

namespace capstan::simulator::control_plane {

struct PodCounts {
    std::int64_t all = 0;
    std::int64_t ready = 0;
    std::int64_t available = 0;  ///< ready for minReadySeconds
    /// Until the next ready pod is available; absent: all ready pods are available.
    std::optional<Duration> next_available{};
};

PodCounts count_pods(const std::vector<api_server::ApiObject>& pods, Duration min_ready, Time now);

/// Sorts pods in the order in which a ReplicaSet deletes them: pods without a node, pending, not
/// ready, of lower deletion cost, with more of the given pods on the same node, ready for a shorter
/// time, restarted more often, younger; then by name.
std::vector<api_server::ApiObject> in_removal_order(std::vector<api_server::ApiObject> pods);

/// The controller of one of the two kinds. [the loop's thread]
class ReplicaSets {
public:
    /// The most pods that one reconciliation makes or deletes.
    static constexpr std::int64_t pods_per_sync = 500;

    /// `resource`: "replicasets.apps" or "replicationcontrollers".
    ReplicaSets(ControlContext& context, std::string_view resource, std::string_view component);

private:
    void reconcile(const std::string& key);
    void scale(const Workload& set, const std::vector<api_server::ApiObject>& active);
    void write_counts(const std::string& key, const Workload& set);

    ControlContext& context_;
    std::string resource_, component_;
    ReconcileQueue queue_;
};

}  // namespace capstan::simulator::control_plane
