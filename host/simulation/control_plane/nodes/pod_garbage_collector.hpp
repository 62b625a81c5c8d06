/// Pods of nodes that are gone.
#pragma once

#include <string>

#include "simulation/control_plane/context/control_context.hpp"
#include "simulation/control_plane/context/reconcile_queue.hpp"

namespace capstan::simulation::control_plane {

/// They go a while after their node, if it does not come back; no kubelet is there to stop them.
/// Those that were on their way out go when they would have stopped: their machine took them along.
/// [the loop's thread]
class PodGarbageCollector {
public:
    static constexpr Duration quarantine = std::chrono::seconds(40);

    explicit PodGarbageCollector(ControlContext& context);

private:
    void reconcile(const std::string& key);
    bool is_lost(const json::object& pod) const;
    Duration delay(const json::object& pod) const;

    ControlContext& context_;
    ReconcileQueue queue_;
};

}  // namespace capstan::simulation::control_plane
