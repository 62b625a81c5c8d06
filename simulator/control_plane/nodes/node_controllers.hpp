/// The controllers of nodes and of their pods, and the kubelets.
#pragma once

#include <memory>

#include "simulator/control_plane/context/controller.hpp"

namespace capstan::simulator::control_plane {

/// The node part of kubelets: completes new nodes, makes them ready and renews their Leases.
/// Heartbeats follow the clock, whatever the speed, and each node has heartbeats at its own times.
/// A Ready condition of False was set by another client and stays; one that is missing or Unknown
/// becomes True.
std::unique_ptr<Controller> make_node_lifecycle(ControlContext& context);

/// The pod part of kubelets: the pods that are bound to a node start, run, end and are stopped.
/// Pods of a node that is not ready stay as they are.
std::unique_ptr<Controller> make_pod_lifecycle(ControlContext& context);

/// Taints nodes for their conditions, sets the conditions of a ready node to Unknown when its Lease
/// expires, and marks the pods of a node that is not ready as not ready. A node without a Lease
/// keeps its conditions. A Lease expires when it was not renewed for 40 seconds, whatever the speed
/// and whatever time the system clock is set to.
std::unique_ptr<Controller> make_node_health(ControlContext& context);

/// Removes pods from nodes with NoExecute taints that the pods do not tolerate. tolerationSeconds
/// count from the time when a NoExecute taint of the pod's node was first seen. Disruption budgets
/// are not considered.
std::unique_ptr<Controller> make_taint_evictions(ControlContext& context);

/// Removes the pods of a deleted node, since no kubelet stops them: 40 seconds after the deletion,
/// unless the node comes back. A terminating pod is removed when its kubelet would have stopped it.
std::unique_ptr<Controller> make_pod_garbage_collector(ControlContext& context);

}  // namespace capstan::simulator::control_plane
