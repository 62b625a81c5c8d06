/// What happens in a live cluster, told as it happens.
#pragma once

#include <functional>
#include <string>

namespace capstan::simulation {

/// A sentence, and about what it is: "story" (the scenario acts), "pods", "nodes", "autoscaler"
/// (its own events), "balancer", "note".
struct LiveLine {
    std::string kind{};
    std::string subject{};  ///< the batch, node or group; empty: none
    std::string text{};
};

using TellLive = std::function<void(const LiveLine&)>;

}  // namespace capstan::simulation
