/// Kubelets, as far as nodes know them: nodes become ready, and say so again and again.
#pragma once

#include <map>
#include <string>

#include "simulation/control_plane/control_context.hpp"
#include "simulation/control_plane/reconcile_queue.hpp"

namespace capstan::simulation {

/// Heartbeats come at the pace of the clock, whatever the speed. A node that somebody else says to
/// be not ready stays so; one that fell silent comes back. [the loop's thread]
class NodeLives {
public:
    /// How often each node renews its Lease.
    static constexpr Duration heartbeat = std::chrono::seconds(20);

    explicit NodeLives(ControlContext& context);

private:
    void reconcile(const std::string& key);
    void join(const json::object& node);
    void renew_lease(const json::object& node);

    ControlContext& context_;
    std::map<std::string, Duration> seen_;  ///< by uid: when a node that is not ready yet came
    std::uint32_t last_address_ = 0;
    ReconcileQueue queue_;
};

}  // namespace capstan::simulation
