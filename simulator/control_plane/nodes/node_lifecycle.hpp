/// The node part of kubelets: new nodes are completed, become ready and send heartbeats.
#pragma once

#include <map>
#include <string>

#include "simulator/control_plane/context/control_context.hpp"
#include "simulator/control_plane/context/reconcile_queue.hpp"

namespace capstan::simulator::control_plane {

/// Completes new nodes, makes them ready and renews their Leases. Heartbeats follow the clock,
/// whatever the speed, and each node has heartbeats at its own times. A Ready condition of False
/// was set by another client and stays; one that is missing or Unknown becomes True. [the loop's
/// thread]
class NodeLifecycle {
public:
    explicit NodeLifecycle(ControlContext& context);

private:
    /// Times are points of the loop's monotonic time.
    struct NodeState {
        Duration first_seen{};
        Duration next_heartbeat{};  ///< zero: there was no heartbeat yet
    };
    void reconcile(const std::string& key);
    void join(const json::object& node);
    void send_heartbeat(const std::string& key, const json::object& node, NodeState& state);
    void renew_lease(const json::object& node);

    ControlContext& context_;
    std::map<std::string, NodeState> states_;  ///< by uid
    io::RandomSource random_;
    std::uint32_t last_address_ = 0;
    ReconcileQueue queue_;
};

}  // namespace capstan::simulator::control_plane
