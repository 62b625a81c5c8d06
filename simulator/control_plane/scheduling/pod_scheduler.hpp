/// The scheduler: binds pending pods to nodes, with the engine's predicates and the scores of
/// engine/scheduling/scheduler.
#pragma once

#include <memory>

#include "simulator/control_plane/context/controller.hpp"

namespace capstan::simulator::control_plane {

/// Binds the pods of schedulerName "default-scheduler". Pods of higher priority come first, then
/// older pods. All pods that found no node are tried again in a round after the cluster has
/// changed, with a pause before each round. A new pod is tried at once, or with the others in the
/// next round if that was already due. No pod is preempted.
std::unique_ptr<Controller> make_pod_scheduler(ControlContext& context);

}  // namespace capstan::simulator::control_plane
