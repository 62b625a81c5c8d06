/// One pass on a live cluster, which is only decided.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include <capstan/result.hpp>

#include "io/http_client.hpp"
#include "runtime/config/configuration.hpp"
#include "runtime/daemon/pass_report.hpp"
#include "runtime/plugin_host.hpp"

namespace capstan::runtime::daemon {

struct SinglePassOptions {
    std::string version{};
    std::uint64_t seed = 0;
    /// Until the whole cluster has been seen, by plugins as well; see StartupGate.
    Duration patience = std::chrono::minutes(1);
    io::HttpClient* http = nullptr;  ///< see ClusterLink
};

/// As the daemon of this configuration would decide it now, with the memory it keeps. Takes no
/// Lease and changes nothing: requests that would do not leave the host. `unavailable`: the cluster
/// could not be seen in time, with the reason.
Result<std::shared_ptr<const PassReport>> decide_single_pass(const config::Config& config,
                                                             PluginHost& host,
                                                             const SinglePassOptions& options);

}  // namespace capstan::runtime::daemon
