/// Deployments: scale the ReplicaSets of the old templates down and that of the current one up.
#pragma once

#include <string>

#include "simulator/control_plane/workloads/deployment_sets.hpp"
#include "simulator/control_plane/workloads/pod_control.hpp"

namespace capstan::simulator::control_plane {

/// Reconciles Deployments. The sizes of the next step are planned in pod_control.hpp. [the loop's
/// thread]
class Deployments {
public:
    explicit Deployments(ControlContext& context);

private:
    void reconcile(const std::string& key);
    void roll(const Workload& deployment, DeploymentSets& sets, const Rollout& rollout);
    void recreate(const Workload& deployment, DeploymentSets& sets, Rollout rollout);
    void apply(const Workload& deployment, DeploymentSets& sets, const Rollout& rollout,
               const SetSizes& sizes);
    api_server::ApiObject scale_set(const Workload& deployment, const api_server::ApiObject& set,
                                    std::int64_t replicas, std::int64_t limit);
    bool has_old_pods(const DeploymentSets& sets) const;

    ControlContext& context_;
    ReconcileQueue queue_;
};

}  // namespace capstan::simulator::control_plane
