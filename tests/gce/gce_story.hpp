/// A cluster on Google Cloud: machines of the server that plays it join, and `capstan run` with the
/// shipped plugin.
#pragma once

#include <memory>

#include "../clouds/cloud_story.hpp"
#include "gce_server.hpp"

namespace capstan::gce {

using clouds::StoryOptions;
using namespace std::chrono_literals;

class GceStory : public clouds::CloudStory {
public:
    GceStory(const World& world, const StoryOptions& options)
        : GceStory(std::make_shared<GceServer>(world), options) {}

    GceServer& gce() { return gce_; }

private:
    GceStory(const std::shared_ptr<GceServer>& gce, const StoryOptions& options)
        : CloudStory({part_of(gce, options)}, options), gce_(*gce) {}

    GceServer& gce_;
};

/// Skips without Google's own client, which has the discovery documents; in CI it must be there.
class GceStories : public clouds::CloudStories {
protected:
    void SetUp() override { skip_because(GceServer::missing_because()); }
    GceStory& begin(const World& world, const StoryOptions& options = {}) {
        return keep(std::make_unique<GceStory>(world, options));
    }
};

}  // namespace capstan::gce
