/// Pods of nodes that are gone.
#pragma once

#include <string>

#include "simulation/control_plane/control_context.hpp"
#include "simulation/control_plane/reconcile_queue.hpp"

namespace capstan::simulation {

/// They go a while after their node, if it does not come back; no kubelet is there to stop them.
/// [the loop's thread]
class LostPods {
public:
    static constexpr Duration quarantine = std::chrono::seconds(40);

    explicit LostPods(ControlContext& context);

private:
    void reconcile(const std::string& key);
    bool is_lost(const json::object& pod) const;

    ControlContext& context_;
    ReconcileQueue queue_;
};

}  // namespace capstan::simulation
