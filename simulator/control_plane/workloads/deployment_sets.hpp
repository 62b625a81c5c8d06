/// The ReplicaSets of a Deployment, one for each template that it had, and the Deployment's status.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "simulator/control_plane/context/control_context.hpp"
#include "simulator/control_plane/workloads/pod_control.hpp"

namespace capstan::simulator::control_plane {

inline constexpr std::string_view revision_annotation = "deployment.kubernetes.io/revision";
/// Annotations of a ReplicaSet: the replicas of its Deployment when the ReplicaSet was last scaled,
/// and the pods that the Deployment could have at most then.
inline constexpr std::string_view desired_annotation = "deployment.kubernetes.io/desired-replicas";
inline constexpr std::string_view limit_annotation = "deployment.kubernetes.io/max-replicas";

struct DeploymentSets {
    ApiObject fresh{};             ///< of the current template; NULL: none yet
    std::vector<ApiObject> old{};  ///< the oldest first

    /// The old ReplicaSets, then the fresh one if there is one.
    std::vector<ApiObject> all() const;
};

/// Claims the ReplicaSets that the Deployment selects, and returns them.
DeploymentSets sets_of(ControlContext& context, const Workload& deployment);
/// Gives the fresh ReplicaSet the highest revision, and writes the revision into the Deployment.
void set_revision(ControlContext& context, const Workload& deployment, DeploymentSets& sets);
/// Creates the ReplicaSet of the current template with that many replicas. NULL: the store refused.
ApiObject make_set(ControlContext& context, const Workload& deployment, const DeploymentSets& sets,
                   std::int64_t replicas, std::int64_t limit);
/// Deletes the oldest ReplicaSets without pods, beyond spec.revisionHistoryLimit.
void delete_old_sets(ControlContext& context, const Workload& deployment,
                     const DeploymentSets& sets);

/// Writes the status, for which `kubectl rollout status` waits. `least_available`: the number of
/// available pods that makes the Deployment Available. Returns the time until
/// progressDeadlineSeconds end, when the Deployment has to be reconciled again; absent: no rollout
/// is in progress, or it has no deadline.
std::optional<Duration> write_deployment_status(ControlContext& context, const Workload& deployment,
                                                const DeploymentSets& sets,
                                                std::int64_t least_available);

}  // namespace capstan::simulator::control_plane
