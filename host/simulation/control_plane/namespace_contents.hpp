/// What every namespace has from the start.
#pragma once

#include <string>

#include "simulation/control_plane/control_context.hpp"
#include "simulation/control_plane/reconcile_queue.hpp"

namespace capstan::simulation {

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

}  // namespace capstan::simulation
