/// `capstan plan`: one pass on a live cluster that is decided and not carried out.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include <capstan/result.hpp>

#include "autoscaler/pass_report.hpp"
#include "autoscaler/plugin_host.hpp"
#include "config/configuration.hpp"
#include "io/http_client.hpp"

namespace capstan::autoscaler::daemon {

struct SinglePassOptions {
    std::string version{};
    std::uint64_t seed = 0;
    /// How long to wait until the host and its plugins have seen the whole cluster; see
    /// StartupGate.
    Duration patience = std::chrono::minutes(1);
    io::HttpClient* http = nullptr;  ///< see ClusterLink
};

/// Decides as the daemon of this configuration would now, with its persisted memory. Acquires no
/// Lease and changes nothing: requests that would change the cluster are not sent. `unavailable`:
/// the cluster could not be seen in time, with the reason.
Result<std::shared_ptr<const PassReport>> decide_single_pass(const config::Config& config,
                                                             PluginHost& host,
                                                             const SinglePassOptions& options);

}  // namespace capstan::autoscaler::daemon
