/// A cloud provider on a REST API, as a skeleton: every call is a coroutine on the instance's
/// strand and goes through the host, which brings proxy, TLS, limits and, in tests, recorded
/// replies.
#pragma once

#include <capstan/cloud_provider.hpp>
#include <capstan/settings.hpp>

#include "api.hpp"

class CloudSkeleton {
public:
    static capstan::Schema schema();
    CloudSkeleton(capstan::Host host, const capstan::Settings& settings);

    /// For `capstan doctor`: whether the token is good for reading.
    capstan::Task<void> self_check();
    capstan::Task<capstan::CloudView> refresh();
    capstan::Task<capstan::Resized> increase(capstan::Resize request);
    capstan::Task<capstan::Resized> decrease_target(capstan::Resize request);
    capstan::Task<capstan::Removed> remove(capstan::Removal request);
    capstan::Task<capstan::NodeTemplate> describe(capstan::NodeGroupId group);

private:
    capstan::Task<std::vector<Fields>> list_groups();
    capstan::Task<std::vector<capstan::NodeGroup>> groups();
    capstan::Task<std::vector<capstan::Machine>> machines();

    Api api_;
};
