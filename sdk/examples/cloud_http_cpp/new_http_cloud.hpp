/// A cloud with a REST API. Calls that send requests are coroutines on the instance's strand. The
/// host sends the requests, with its proxy, TLS and limits. In tests it sends them to an API in
/// memory.
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

    /// For `capstan doctor`: checks that the token allows reading.
    capstan::Task<void> self_check();
    capstan::Task<capstan::CloudView> refresh();
    capstan::Task<capstan::Resized> increase(capstan::Resize request);
    capstan::Task<capstan::Resized> decrease_target(capstan::Resize request);
    capstan::Task<capstan::Removed> remove(capstan::Removal request);
    /// Uses the machine of the group from the last refresh.
    capstan::Result<capstan::NodeTemplate> describe(capstan::NodeGroupId group) const;

private:
    capstan::Task<capstan::Resized> resize(capstan::Resize request, std::int64_t by);

    Api api_;
    std::map<capstan::NodeGroupId, capstan::Json>
        machines_of_;  // properties of a machine, by group
};
