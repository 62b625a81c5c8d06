/// Pod garbage collection: deletes the pods of nodes that do not exist.
#pragma once

#include <string>

#include "simulator/control_plane/context/control_context.hpp"
#include "simulator/control_plane/context/reconcile_queue.hpp"

namespace capstan::simulator::control_plane {

/// Pods of a deleted node are removed after the quarantine, unless the node comes back, since no
/// kubelet stops them. A terminating pod is removed when its kubelet would have stopped it. [the
/// loop's thread]
class PodGarbageCollector {
public:
    /// The time from the deletion of a node until its pods are removed.
    static constexpr Duration quarantine = std::chrono::seconds(40);

    explicit PodGarbageCollector(ControlContext& context);

private:
    void reconcile(const std::string& key);
    bool is_lost(const json::object& pod) const;
    Duration delay(const json::object& pod) const;

    ControlContext& context_;
    ReconcileQueue queue_;
};

}  // namespace capstan::simulator::control_plane
