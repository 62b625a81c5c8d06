/// The controllers that make pods.
#pragma once

#include <memory>

#include "simulator/control_plane/context/controller.hpp"

namespace capstan::simulator::control_plane {

/// Keep the number of pods that a ReplicaSet, or a ReplicationController, wants.
std::unique_ptr<Controller> make_replica_sets(ControlContext& context);
std::unique_ptr<Controller> make_replication_controllers(ControlContext& context);

/// Scales the ReplicaSets of the old templates down and that of the current one up. The sizes of
/// the next step are planned in pod_control.hpp.
std::unique_ptr<Controller> make_deployments(ControlContext& context);

/// Makes, deletes and updates pods with ordinals and claims of their own, one after the other.
std::unique_ptr<Controller> make_stateful_sets(ControlContext& context);

/// Makes and deletes the pods of DaemonSets, one on every node that is eligible. The affinity of
/// each pod names its node, and the scheduler binds the pod.
std::unique_ptr<Controller> make_daemon_sets(ControlContext& context);

/// Makes, counts and deletes the pods of Jobs, until enough of them have succeeded, or too many
/// have failed. Each pod has a finalizer until the Job's status counts it, so that a pod that is
/// deleted with its node is counted, too.
std::unique_ptr<Controller> make_jobs(ControlContext& context);

}  // namespace capstan::simulator::control_plane
