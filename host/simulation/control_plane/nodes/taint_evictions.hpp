/// Pods leave nodes whose NoExecute taints they do not bear, or bear no longer.
#pragma once

#include <map>
#include <string>

#include "simulation/control_plane/context/control_context.hpp"
#include "simulation/control_plane/context/reconcile_queue.hpp"

namespace capstan::simulation::control_plane {

/// Their patience counts from when such a taint was first seen on their node. No budget is asked.
/// [the loop's thread]
class TaintEvictions {
public:
    explicit TaintEvictions(ControlContext& context);

private:
    struct Borne {
        std::string uid{};
        Duration since{};
    };
    void reconcile(const std::string& key);
    void evict(const json::object& pod);

    ControlContext& context_;
    std::map<std::string, Borne> borne_;  ///< by pod
    ReconcileQueue queue_;
};

}  // namespace capstan::simulation::control_plane
