/// The controllers that concern objects of several kinds, volumes and disruption budgets.
#pragma once

#include <memory>

#include "simulator/control_plane/context/controller.hpp"

namespace capstan::simulator::control_plane {

/// Makes the ServiceAccount `default` and the ConfigMap `kube-root-ca.crt` of each namespace, and
/// makes them again when they are deleted.
std::unique_ptr<Controller> make_namespace_contents(ControlContext& context);

/// Deletes dependents after their owners, for all kinds, also of custom resources.
///
/// Owner references form a graph, and the ObjectIndex finds its edges by the owner's uid. Each
/// change concerns only neighbours in this graph: the deletion of an object puts the object's
/// dependents and owners into the queue, and each of them is then judged by its own references. So
/// a tree of objects is deleted level by level, and no pass over all objects is needed. A queued
/// object is treated by one of three rules:
///
/// - Background: an object with owner references to missing owners only is deleted. If some of its
///   owners exist, only the references to the missing owners are removed.
/// - Foreground: an owner with the finalizer `foregroundDeletion` first has the dependents deleted
///   that no other owner keeps. Its finalizer is removed when no dependent with blockOwnerDeletion
///   is left.
/// - Orphan: an owner with the finalizer `orphan` first has the references to it removed from its
///   dependents, then the finalizer is removed.
std::unique_ptr<Controller> make_garbage_collector(ControlContext& context);

/// Provisions and binds volumes for PersistentVolumeClaims, as a storage driver would. A claim gets
/// a volume at once, or, if its class has WaitForFirstConsumer, when a pod that uses the claim has
/// a node. Then the volume is bound to the node's zone, if the node has one. A claim that names no
/// class gets the default class. A volume that was made here is deleted with its claim. A claim
/// whose class does not exist or provisions no volumes waits until a client binds it. The default
/// class is `standard`, with WaitForFirstConsumer, unless there is a class of that name.
std::unique_ptr<Controller> make_volume_claims(ControlContext& context);

/// Writes how many pods of each PodDisruptionBudget may be evicted now: the difference between the
/// healthy pods of a budget and the number that has to stay healthy. Each eviction takes one from
/// disruptionsAllowed and adds its pod to disruptedPods, so that evictions are bounded between two
/// reconciliations, too. A pod in disruptedPods counts as unhealthy until it terminates, for two
/// minutes at most.
std::unique_ptr<Controller> make_disruption_controller(ControlContext& context);

}  // namespace capstan::simulator::control_plane
