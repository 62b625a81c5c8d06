/// Kubelets, as far as nodes know them: nodes become ready, and say so again and again.
#pragma once

#include <map>
#include <string>

#include "simulation/control_plane/context/control_context.hpp"
#include "simulation/control_plane/context/reconcile_queue.hpp"

namespace capstan::simulation::control_plane {

/// Heartbeats come at the pace of the clock, whatever the speed, each node's at a time of its own.
/// A node that another client has set not ready stays so; one that fell silent comes back. [the
/// loop's thread]
class NodeLifecycle {
public:
    /// How often each node renews its Lease.
    static constexpr Duration heartbeat = std::chrono::seconds(20);

    explicit NodeLifecycle(ControlContext& context);

private:
    /// Points of the loop's monotonic time.
    struct EventLoop {
        Duration came{};
        Duration next_beat{};  ///< zero: there was none yet
    };
    void reconcile(const std::string& key);
    void join(const json::object& node);
    void beat(const std::string& key, const json::object& node, EventLoop& life);
    void renew_lease(const json::object& node);

    ControlContext& context_;
    std::map<std::string, EventLoop> lives_;  ///< by uid
    io::RandomSource random_;
    std::uint32_t last_address_ = 0;
    ReconcileQueue queue_;
};

}  // namespace capstan::simulation::control_plane
