/// Minutes in real time of the daemon as it ships, behind a proxy that does what networks and busy
/// services do.
#pragma once

#include <chrono>
#include <functional>

#include "cloud_story.hpp"

namespace capstan::clouds {

struct BadDay {
    /// An environment variable with its seconds, for a longer one.
    const char* variable = "";
    boost::json::array rules{};  ///< of the proxy
    /// How many machines the group of the story wants.
    std::function<int()> wanted{};
};

/// Pods come one by one, and go again. Passes begin when they are due, the daemon never ends, and
/// no machine is bought twice; on a better day all is as it was before.
void live_through(CloudStory& story, const BadDay& day);

}  // namespace capstan::clouds
