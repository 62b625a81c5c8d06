/// A cluster on AWS: machines of moto's that join it, and `capstan run` with the shipped plugin.
#pragma once

#include <memory>

#include "../clouds/cloud_story.hpp"
#include "aws_server.hpp"

namespace capstan::aws {

using clouds::StoryOptions;
using namespace std::chrono_literals;

class AwsStory : public clouds::CloudStory {
public:
    AwsStory(const World& world, const StoryOptions& options)
        : AwsStory(std::make_shared<AwsServer>(world), options) {}

    AwsServer& aws() { return aws_; }

private:
    AwsStory(const std::shared_ptr<AwsServer>& aws, const StoryOptions& options)
        : CloudStory({part_of(aws, options)}, options), aws_(*aws) {}

    AwsServer& aws_;
};

/// Skips without moto; in CI it must be there.
class AwsStories : public clouds::CloudStories {
protected:
    void SetUp() override { skip_because(AwsServer::missing_because()); }
    AwsStory& begin(const World& world, const StoryOptions& options = {}) {
        return keep(std::make_unique<AwsStory>(world, options));
    }
};

}  // namespace capstan::aws
