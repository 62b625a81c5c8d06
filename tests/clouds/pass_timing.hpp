/// Runs the shipped daemon for minutes in real time, behind a proxy that injects the faults of
/// networks and busy services.
#pragma once

#include <chrono>
#include <functional>

#include "cloud_scenario.hpp"

namespace capstan::clouds {

struct PassTimingOptions {
    /// The name of an environment variable with the duration in seconds. If it is not set: 120.
    const char* variable = "";
    boost::json::array rules{};  ///< of the proxy
    /// The number of machines that the group is to have, as the cloud knows it.
    std::function<int()> wanted{};
};

/// The number of pods grows and shrinks. Passes start on time, the daemon keeps running, and no
/// machine is requested twice; without faults the cluster recovers.
void check_pass_timing(CloudScenario& scenario, const PassTimingOptions& options);

}  // namespace capstan::clouds
