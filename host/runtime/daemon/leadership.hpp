/// Whether this host acts, where several run.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <capstan/result.hpp>

#include "kubernetes/client/writes/lease.hpp"
#include "runtime/config/daemon_config.hpp"
#include "runtime/daemon/watch_outage.hpp"
#include "runtime/services/logger.hpp"

namespace capstan::runtime::daemon {

/// Holds the Lease, or waits in line for it. Losing it ends acting at once, and this host becomes a
/// standby again, for all that it knows is either read from the cluster or kept in its memory's
/// ConfigMap, which the next term reads anew. Used on the loop's thread alone.
class Leadership {
public:
    struct Options {
        std::string identity{};  ///< of this process, unlike any other's
        std::uint64_t seed = 0;
        bool is_alone = false;              ///< acts without asking for a Lease: a dry run
        std::function<void()> on_change{};  ///< a term began or ended
    };
    /// Borrows all but the options.
    Leadership(const config::Cluster& config, kubernetes::client::Api& api, io::Loop& loop,
               services::Logger& log, Options options);
    Leadership(const Leadership&) = delete;
    Leadership& operator=(const Leadership&) = delete;
    ~Leadership();

    void start();
    /// The number of the term that lasts now, from 1; nothing: another host leads, or none. What
    /// was decided in one term must not be done in another.
    std::optional<std::uint64_t> term() const;
    /// The leader, as far as is known; empty: none.
    std::string leader() const;
    /// Leads no longer, at once, hands the Lease back, and waits in line again after `pause`, or
    /// when `come_back` is called. Another host that waits leads then. False: none is held.
    bool hand_over(const std::string& because, Duration pause);
    void come_back();
    /// Leads no longer, at once; then hands the Lease back. `done` is not called inside this.
    void stop(std::function<void()> done);

private:
    void make_elector();
    void has_handed_over(Duration pause);
    void begin_term();
    void end_term();
    /// With since when the Lease has not been renewed, and until when this host may still act.
    void tell_trouble(Error error);

    io::Loop& loop_;
    services::Logger& log_;
    FailureLog failures_;
    const Options options_;
    const std::string ns_;
    const config::LeaderElection election_;
    kubernetes::client::Api& api_;
    std::uint64_t term_ = 0;
    bool leads_ = false;
    bool is_handing_over_ = false;         ///< the Lease is on its way back
    std::optional<io::TimerId> return_{};  ///< when this host waits in line again
    std::function<void()> stopped_{};      ///< a stop that came while handing over
    bool is_stopping_ = false;
    std::optional<kubernetes::client::LeaderElector> elector_{};  ///< nothing: needs no Lease
};

}  // namespace capstan::runtime::daemon
