/// ReplicaSets, and the ReplicationControllers that came before them.
#pragma once

#include <string>
#include <vector>

#include "simulation/control_plane/workloads/pod_control.hpp"

namespace capstan::simulation {

/// One for each of the two kinds. [the loop's thread]
class ReplicaSets {
public:
    /// Pods that one look at a set makes or removes.
    static constexpr std::int64_t pods_per_look = 500;

    /// `resource`: "replicasets.apps" or "replicationcontrollers".
    ReplicaSets(ControlContext& context, std::string_view resource, std::string_view component);

private:
    void reconcile(const std::string& key);
    void scale(const Workload& set, const std::vector<ApiObject>& active);
    void write_counts(const std::string& key, const Workload& set);

    ControlContext& context_;
    std::string resource_, component_;
    ReconcileQueue queue_;
};

}  // namespace capstan::simulation
