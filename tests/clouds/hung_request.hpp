/// A scale-up during faults, next to running machines.
#pragma once

#include <functional>

#include "cloud_scenario.hpp"

namespace capstan::clouds {

struct HungRequest {
    boost::json::array rules{};  ///< of the proxy, from the scale-up on
    /// Called once all pods run.
    std::function<void()> once_grown = [] {};
    /// Whether the cloud has no unfulfilled request left.
    std::function<bool()> is_cancelled{};
};

/// Three machines run a pod each, and six more pods are created. All of them get a machine, and no
/// machine that had a node is removed.
void grow_with_a_hung_request(CloudScenario& scenario, const HungRequest& request);

}  // namespace capstan::clouds
