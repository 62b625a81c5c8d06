/// What follows from the state of nodes: taints, and the pods that are given up.
#pragma once

#include <string>

#include "simulation/control_plane/context/control_context.hpp"
#include "simulation/control_plane/context/reconcile_queue.hpp"

namespace capstan::simulation::control_plane {

/// A node whose Lease is not renewed for long is not known to be ready any more; one without a
/// Lease is taken at its word. Leases count at the pace of the clock, whatever the speed.
/// [the loop's thread]
class NodeHealth {
public:
    /// How long a Lease stays unrenewed before its node is given up.
    static constexpr Duration lease_grace = std::chrono::seconds(40);

    explicit NodeHealth(ControlContext& context);

private:
    void reconcile(const std::string& key);
    void watch_lease(const std::string& key, const json::object& node);
    void give_up(const json::object& node);
    void mark_pods(const json::object& node);

    ControlContext& context_;
    ReconcileQueue queue_;
};

}  // namespace capstan::simulation::control_plane
