/// The node controller: Leases that expire, taints for conditions, and the readiness of pods.
#pragma once

#include <map>
#include <string>

#include "simulator/control_plane/context/control_context.hpp"
#include "simulator/control_plane/context/reconcile_queue.hpp"

namespace capstan::simulator::control_plane {

/// Sets the conditions of a ready node to Unknown when its Lease expires, and marks the pods of a
/// node that is not ready as not ready. A node without a Lease keeps its conditions. A Lease
/// expires when it was not renewed for `lease_grace`, whatever the speed and whatever time the
/// system clock is set to. [the loop's thread]
class NodeHealth {
public:
    /// The time after the last renewal of a Lease until its node becomes Unknown.
    static constexpr Duration lease_grace = std::chrono::seconds(40);

    explicit NodeHealth(ControlContext& context);

private:
    void note_lease(const api_server::Change& change);
    void reconcile(const std::string& key);
    void watch_lease(const std::string& key, const json::object& node);
    void set_unknown(const json::object& node);
    void mark_pods(const json::object& node);

    ControlContext& context_;
    /// When each Lease was renewed, by the name of its node, in the loop's monotonic time.
    std::map<std::string, Duration, std::less<>> renewed_;
    ReconcileQueue queue_;
};

}  // namespace capstan::simulator::control_plane
