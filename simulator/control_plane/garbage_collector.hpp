/// The garbage collector of dependents, and the objects that every namespace has.
#pragma once

#include <string>

#include "simulator/control_plane/context/control_context.hpp"
#include "simulator/control_plane/context/reconcile_queue.hpp"

namespace capstan::simulator::control_plane {

/// Makes the ServiceAccount `default` and the ConfigMap `kube-root-ca.crt` of each namespace, and
/// makes them again when they are deleted. [the loop's thread]
class NamespaceContents {
public:
    explicit NamespaceContents(ControlContext& context);

private:
    void reconcile(const std::string& space);

    ControlContext& context_;
    ReconcileQueue queue_;
};

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
///
/// [the loop's thread]
class GarbageCollector {
public:
    explicit GarbageCollector(ControlContext& context);

private:
    void follow(const api_server::ResourceKind& kind, const api_server::Change& change);
    void add(const ObjectName& name);
    void reconcile(const std::string& key);
    void collect(const api_server::ResourceKind& kind, const json::object& object);
    void finish_foreground_deletion(const api_server::ResourceKind& kind,
                                    const json::object& owner);
    void orphan_dependents(const api_server::ResourceKind& kind, const json::object& owner);
    api_server::ApiObject find(const ObjectName& name) const;

    ControlContext& context_;
    ReconcileQueue queue_;
};

}  // namespace capstan::simulator::control_plane
