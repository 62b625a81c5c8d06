/// How many pods are how far.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simulation/api_server/api_object.hpp"
#include "simulation/control_plane/workloads/pod_control.hpp"

namespace capstan::simulation::control_plane {

struct PodCounts {
    std::int64_t all = 0;
    std::int64_t ready = 0;
    std::int64_t available = 0;                ///< ready for as long as is wanted
    std::optional<Duration> next_available{};  ///< until one more may be; nothing: none is about to
};

PodCounts count_pods(const std::vector<api_server::ApiObject>& pods, Duration min_ready, Time now);

// Which pods a ReplicaSet gives up first.

/// First to go first: without a node, pending, not ready, of lower deletion cost, beside more of
/// their own on one node, ready for a shorter time, restarted more often, younger; then by name.
std::vector<api_server::ApiObject> in_removal_order(std::vector<api_server::ApiObject> pods);

// ReplicaSets, and the ReplicationControllers that came before them.

/// One for each of the two kinds. [the loop's thread]
class ReplicaSets {
public:
    /// Pods that one look at a set makes or removes.
    static constexpr std::int64_t pods_per_look = 500;

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

}  // namespace capstan::simulation::control_plane
