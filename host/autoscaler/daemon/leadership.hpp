/// Leader election: whether this host acts, if several hosts run.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <capstan/result.hpp>

#include "autoscaler/daemon/watch_outage.hpp"
#include "config/daemon_config.hpp"
#include "kubernetes/client/writes/lease.hpp"
#include "plugin_runtime/services/logger.hpp"

namespace capstan::autoscaler::daemon {

/// Holds the Lease, or waits for it. A host that loses the Lease stops acting at once and becomes a
/// standby. It need not exit: everything that it knows is read from the cluster, or from the
/// memory's ConfigMap, which the next term reads again. Used on the loop's thread alone.
class Leadership {
public:
    struct Options {
        std::string identity{};  ///< of this process, unique
        std::uint64_t seed = 0;
        bool is_alone = false;              ///< leads without a Lease: a dry run
        std::function<void()> on_change{};  ///< called when a term begins or ends
    };
    /// Borrows its arguments, except for the options.
    Leadership(const config::Cluster& config, kubernetes::client::Api& api, io::Loop& loop,
               plugin_runtime::services::Logger& log, Options options);
    Leadership(const Leadership&) = delete;
    Leadership& operator=(const Leadership&) = delete;
    ~Leadership();

    void start();
    /// The number of the present term, from 1. Absent: this host does not lead. A decision of one
    /// term must not be carried out in another.
    std::optional<std::uint64_t> term() const;
    /// The identity of the leader; empty: it is not known, or there is none.
    std::string leader() const;
    /// Stops leading at once, releases the Lease so that another host can lead, and waits for the
    /// Lease again after `pause` or `come_back`. False: this host holds no Lease.
    bool hand_over(const std::string& because, Duration pause);
    void come_back();
    /// Stops leading at once, then releases the Lease. `done` is not called inside this call.
    void stop(std::function<void()> done);

private:
    void make_elector();
    void has_handed_over(Duration pause);
    void begin_term();
    void end_term();
    /// Logs since when the Lease has not been renewed, and until when this host may still act.
    void log_failure(Error error);

    io::Loop& loop_;
    plugin_runtime::services::Logger& log_;
    FailureLog failures_;
    const Options options_;
    const std::string ns_;
    const config::LeaderElection election_;
    kubernetes::client::Api& api_;
    std::uint64_t term_ = 0;
    bool leads_ = false;
    bool is_handing_over_ = false;         ///< the Lease is being released
    std::optional<io::TimerId> return_{};  ///< when this host waits for the Lease again
    std::function<void()> stopped_{};      ///< the `done` of a stop that came while handing over
    bool is_stopping_ = false;
    std::optional<kubernetes::client::LeaderElector> elector_{};  ///< absent: no Lease is used now
};

}  // namespace capstan::autoscaler::daemon
