/// Taint-based eviction: removes pods from nodes with NoExecute taints that the pods do not
/// tolerate.
#pragma once

#include <map>
#include <string>

#include "simulator/control_plane/context/control_context.hpp"
#include "simulator/control_plane/context/reconcile_queue.hpp"

namespace capstan::simulator::control_plane {

/// tolerationSeconds count from the time when a NoExecute taint of the pod's node was first seen.
/// Disruption budgets are not considered. [the loop's thread]
class TaintEvictions {
public:
    explicit TaintEvictions(ControlContext& context);

private:
    struct TaintedPod {
        std::string uid{};
        Duration since{};
    };
    void reconcile(const std::string& key);
    void evict(const json::object& pod);

    ControlContext& context_;
    std::map<std::string, TaintedPod> tainted_since_;  ///< by pod
    ReconcileQueue queue_;
};

}  // namespace capstan::simulator::control_plane
