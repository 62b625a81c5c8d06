/// Whether passes are made and succeed, for health and liveness probes.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include <capstan/time.hpp>

#include "config/daemon_config.hpp"

namespace capstan::autoscaler::daemon {

/// Upstream's rules: unhealthy when no pass has begun for max_inactivity, none has succeeded for
/// max_failing_time, or none at all within max_startup_time. A standby is healthy. Times are of the
/// monotonic clock. [any thread]
class HealthCheck {
public:
    explicit HealthCheck(const config::Admin& limits) { set_limits(limits); }

    void set_limits(const config::Admin& limits);
    /// Passes are expected from now on, in that term of this host.
    void begin(std::uint64_t term, Duration now);
    bool is_watching(std::uint64_t term) const;
    /// No passes are expected from now on.
    void stand_by();
    void pass_began(Duration now);
    void pass_succeeded(Duration now);

    /// Why the daemon is not healthy; empty: it is healthy.
    std::string complaint(Duration now) const;
    /// The complaint that a restart may repair: no pass begins. Empty: there is none.
    std::string stuck(Duration now) const;

private:
    std::string inactivity(Duration now) const;

    mutable std::mutex mutex_;
    Duration max_inactivity_{}, max_failing_time_{}, max_startup_time_{};
    std::optional<Duration> began_{};  ///< absent: standby
    std::uint64_t term_ = 0;
    Duration last_activity_{};
    std::optional<Duration> last_success_{};
};

}  // namespace capstan::autoscaler::daemon
