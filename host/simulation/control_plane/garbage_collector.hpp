/// What every namespace has from the start.
#pragma once

#include <string>

#include "simulation/control_plane/context/control_context.hpp"
#include "simulation/control_plane/context/reconcile_queue.hpp"

namespace capstan::simulation::control_plane {

/// The ServiceAccount `default` and the ConfigMap `kube-root-ca.crt`, again when they are deleted.
/// [the loop's thread]
class NamespaceContents {
public:
    explicit NamespaceContents(ControlContext& context);

private:
    void reconcile(const std::string& space);

    ControlContext& context_;
    ReconcileQueue queue_;
};

// Objects go with those they belong to.

/// Of all kinds, custom ones too. An object whose owners are all gone goes; an owner that waits in
/// the foreground goes after those that hold it up; one that leaves orphans, after they have let go
/// of it. [the loop's thread]
class GarbageCollector {
public:
    explicit GarbageCollector(ControlContext& context);

private:
    void follow(const api_server::ResourceKind& kind, const api_server::Change& change);
    void add(const ObjectName& name);
    void reconcile(const std::string& key);
    void collect(const api_server::ResourceKind& kind, const json::object& object);
    void go_after_dependents(const api_server::ResourceKind& kind, const json::object& owner);
    void leave_orphans(const api_server::ResourceKind& kind, const json::object& owner);
    api_server::ApiObject find(const ObjectName& name) const;

    ControlContext& context_;
    ReconcileQueue queue_;
};

}  // namespace capstan::simulation::control_plane
