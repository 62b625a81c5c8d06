/// The controller of Balancer objects: keeps the replicas of several targets in the proportion, or
/// the order of priority, that the object asks for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <capstan/controller.hpp>
#include <capstan/host.hpp>

#include "informers.hpp"
#include "reporter.hpp"
#include "scales.hpp"
#include "settings.hpp"

namespace capstan::replicas {

/// [strand]
class Replicas {
public:
    Replicas(Host host, Config config);
    Replicas(const Replicas&) = delete;
    Replicas& operator=(const Replicas&) = delete;

    void start() { informers_.start(); }
    void stop() { informers_.stop(); }
    Task<Reconciled> reconcile(Reconcile what);
    void reconfigure(Config config);

private:
    /// The reconcile of one Balancer.
    struct Turn {
        std::shared_ptr<Entry> entry;
        Balancer balancer;  ///< a copy from the begin of the turn; the entry may change meanwhile
        Duration began{};   ///< on the monotonic clock
        std::vector<Reading> readings{};
        Decision decision{};
        std::vector<Step> done{};  ///< written
    };
    void want_soon() const;
    Task<void> reconcile_one(std::shared_ptr<Entry> entry);
    void yield_to_owners(Balancer& balancer) const;
    Task<void> read_targets(Turn& turn);
    Task<Reading> read_target(Turn& turn, const Target& target);
    Task<void> carry_out(Turn& turn);
    Task<bool> write(Turn& turn, Step step);
    bool is_late(const Turn& turn, Duration time) const {
        return host_.monotonic() - turn.began > time;
    }
    Task<void> write_status(Turn& turn);
    Reconciled report() const;

    Host host_;
    Config config_;
    Scales scales_;
    Reporter reporter_;
    Informers informers_;
    std::optional<Duration> last_resync_{};  ///< on the monotonic clock
    std::uint64_t turns_ = 0;                ///< so far
};

}  // namespace capstan::replicas
