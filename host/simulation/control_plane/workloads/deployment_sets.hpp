/// The ReplicaSets of a Deployment: one for each template it had, and their revisions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "simulation/control_plane/context/control_context.hpp"
#include "simulation/control_plane/workloads/pod_control.hpp"

namespace capstan::simulation::control_plane {

inline constexpr std::string_view revision_annotation = "deployment.kubernetes.io/revision";
/// Of a ReplicaSet: how many replicas its Deployment wanted when it was last scaled, and how many
/// pods it could have.
inline constexpr std::string_view desired_annotation = "deployment.kubernetes.io/desired-replicas";
inline constexpr std::string_view limit_annotation = "deployment.kubernetes.io/max-replicas";

struct DeploymentSets {
    api_server::ApiObject fresh{};             ///< of the present template; NULL: there is none yet
    std::vector<api_server::ApiObject> old{};  ///< the eldest first

    /// The other way round: the present one last, if it is there.
    std::vector<api_server::ApiObject> all() const;
};

/// Claims them.
DeploymentSets sets_of(ControlContext& context, const Workload& deployment);
/// Gives the present template's the highest revision, also in the Deployment.
void set_revision(ControlContext& context, const Workload& deployment, DeploymentSets& sets);
/// A ReplicaSet of the present template that wants as many pods. NULL: refused.
api_server::ApiObject make_set(ControlContext& context, const Workload& deployment,
                               const DeploymentSets& sets, std::int64_t replicas,
                               std::int64_t limit);
/// Removes the eldest ones without pods beyond spec.revisionHistoryLimit.
void forget_old_sets(ControlContext& context, const Workload& deployment,
                     const DeploymentSets& sets);

// What a Deployment says of itself, which `kubectl rollout status` waits for.

/// `least_available`: pods that make it Available. The answer: when it has to be looked at again,
/// for its progressDeadlineSeconds; nothing: it makes no progress to wait for.
std::optional<Duration> write_deployment_status(ControlContext& context, const Workload& deployment,
                                                const DeploymentSets& sets,
                                                std::int64_t least_available);

}  // namespace capstan::simulation::control_plane
