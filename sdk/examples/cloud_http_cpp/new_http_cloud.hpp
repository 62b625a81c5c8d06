/// A cloud on a REST API: every call is a coroutine on the instance's strand and goes through the
/// host, which brings proxy, TLS, limits and, in tests, a cloud in memory.
#pragma once

#include <cstdint>
#include <map>

#include <capstan/cloud_provider.hpp>
#include <capstan/settings.hpp>

#include "api.hpp"

class NewHttpCloud {
public:
    static capstan::Schema schema();
    NewHttpCloud(capstan::Host host, const capstan::Settings& settings);

    /// For `capstan doctor`: whether the token is good for reading.
    capstan::Task<void> self_check();
    capstan::Task<capstan::CloudView> refresh();
    capstan::Task<capstan::Resized> increase(capstan::Resize request);
    capstan::Task<capstan::Resized> decrease_target(capstan::Resize request);
    capstan::Task<capstan::Removed> remove(capstan::Removal request);
    /// From the last refresh.
    capstan::Result<capstan::NodeTemplate> describe(capstan::NodeGroupId group) const;

private:
    capstan::Task<capstan::Resized> resize(capstan::Resize request, std::int64_t by);

    Api api_;
    std::map<capstan::NodeGroupId, capstan::Json> machines_of_;  // what a machine of a group is
};
