/// What a Deployment says of itself, which `kubectl rollout status` waits for.
#pragma once

#include <optional>

#include "simulation/control_plane/control_context.hpp"
#include "simulation/control_plane/workloads/deployment_sets.hpp"

namespace capstan::simulation {

/// `least_available`: pods that make it Available. The answer: when it has to be looked at again,
/// for its progressDeadlineSeconds; nothing: it makes no progress to wait for.
std::optional<Duration> write_deployment_status(ControlContext& context, const Workload& deployment,
                                                const DeploymentSets& sets,
                                                std::int64_t least_available);

}  // namespace capstan::simulation
