/// Deployments: roll from one template's ReplicaSet to the next one's.
#pragma once

#include <string>

#include "simulation/control_plane/workloads/deployment_sets.hpp"
#include "simulation/control_plane/workloads/pod_control.hpp"

namespace capstan::simulation::control_plane {

/// [the loop's thread]
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

}  // namespace capstan::simulation::control_plane
