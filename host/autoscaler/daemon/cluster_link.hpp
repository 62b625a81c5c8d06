/// The connection to the API server that [cluster] names: its address, the identity used there, and
/// the cluster cache.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <capstan/result.hpp>

#include "config/daemon_config.hpp"
#include "io/loop.hpp"
#include "kubernetes/client/access/api_client.hpp"
#include "kubernetes/client/cache/cluster_cache.hpp"
#include "plugin_runtime/services/logger.hpp"

namespace capstan::autoscaler::daemon {

/// Used on the loop's thread alone.
class ClusterLink {
public:
    struct Options {
        std::string version{};  ///< of the host, for the server's log
        std::uint64_t seed = 0;
        bool dry_run = false;  ///< no request that changes the cluster is sent
        engine::snapshot::ClusterBuilderOptions builder{};
        std::function<void(const kubernetes::client::ApiAttempt&)> on_attempt{};
        std::function<void()> on_unschedulable{};  ///< see ClusterCache
        /// sends the requests; NULL: a client that uses the network
        io::HttpClient* http = nullptr;
    };
    /// Reads the credentials, and sends no request yet. Certificates and tokens are read again when
    /// they change. `invalid_config`: the message says what to correct. Borrows loop and log.
    static Result<std::unique_ptr<ClusterLink>> open(const config::Cluster& config, io::Loop& loop,
                                                     plugin_runtime::services::Logger& log,
                                                     const Options& options);
    ClusterLink(const ClusterLink&) = delete;
    ClusterLink& operator=(const ClusterLink&) = delete;
    /// Cancels open requests; no callback runs afterwards.
    ~ClusterLink();

    kubernetes::client::Api& api() noexcept;
    /// See ApiClient.
    void limit_timeouts(Duration most);
    /// To be started by the caller.
    kubernetes::client::ClusterCache& cluster_cache() noexcept;
    /// "https://10.0.0.1:6443"
    const std::string& server() const noexcept;

private:
    struct Parts;
    explicit ClusterLink(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> parts_;
};

}  // namespace capstan::autoscaler::daemon
