/// The connection to the API server that [cluster] names: how to reach it, the identity used there,
/// what it shows.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <capstan/result.hpp>

#include "io/loop.hpp"
#include "kubernetes/client/access/api_client.hpp"
#include "kubernetes/client/watch/cluster_cache.hpp"
#include "runtime/config/daemon_config.hpp"
#include "runtime/services/logger.hpp"

namespace capstan::runtime::daemon {

/// Of what a mirror shows that is out of touch with the server.
inline constexpr Duration cluster_age_max = std::chrono::minutes(1);

/// Lives on the loop's thread alone.
class ClusterLink {
public:
    struct Options {
        std::string version{};  ///< the host's own, for the server's log
        std::uint64_t seed = 0;
        bool dry_run = false;  ///< nothing that would change the cluster leaves the host
        engine::snapshot::ClusterBuilderOptions builder{};
        std::function<void(const kubernetes::client::ApiAttempt&)> on_attempt{};
        std::function<void()> on_unschedulable{};  ///< see Mirror
        io::HttpClient* http = nullptr;            ///< how requests leave; NULL: over the network
    };
    /// Reads what is needed to get in, and sends nothing yet. Certificates and tokens that change
    /// later are followed. `invalid_config`: says what to mend. Borrows loop and log.
    static Result<std::unique_ptr<ClusterLink>> open(const config::Cluster& config, io::Loop& loop,
                                                     services::Logger& log, const Options& options);
    ClusterLink(const ClusterLink&) = delete;
    ClusterLink& operator=(const ClusterLink&) = delete;
    /// Cancels what is open; no callback runs afterwards.
    ~ClusterLink();

    kubernetes::client::Api& api() noexcept;
    /// Not started.
    kubernetes::client::ClusterCache& mirror() noexcept;
    /// "https://10.0.0.1:6443"
    const std::string& server() const noexcept;

private:
    struct Parts;
    explicit ClusterLink(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> parts_;
};

}  // namespace capstan::runtime::daemon
