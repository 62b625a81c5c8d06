/// A growth among faults, beside machines that run.
#pragma once

#include <functional>

#include "cloud_story.hpp"

namespace capstan::clouds {

struct HungRequest {
    boost::json::array rules{};  ///< of the proxy, once the cluster is to grow
    /// Called once all pods run.
    std::function<void()> once_grown = [] {};
    /// Whether the cloud has no request left that it cannot fulfil.
    std::function<bool()> is_taken_back{};
};

/// Three machines run a pod each, and six more pods come. All of them get a machine, and no machine
/// that has had a node ends.
void grow_with_a_hung_request(CloudStory& story, const HungRequest& request);

}  // namespace capstan::clouds
