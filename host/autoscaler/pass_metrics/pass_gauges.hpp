/// Gauges of the state that a pass found.
#pragma once

#include <optional>

#include <prometheus/registry.h>

#include "autoscaler/pass_metrics/families.hpp"
#include "engine/health/health.hpp"

namespace capstan::autoscaler::pass_metrics {

/// The series of a group are removed when the group no longer exists.
class PassGauges {
public:
    explicit PassGauges(prometheus::Registry& registry);
    /// `health` is the health after the pass.
    void observe(const PassObservation& pass, const engine::health::Health& health);

private:
    void observe_cluster(const engine::health::Health& health);
    void observe_totals(const PassObservation& pass);
    void observe_pods(const PassObservation& pass);
    void observe_groups(const PassObservation& pass, const engine::health::Health& health);
    void observe_removals(const PassObservation& pass);

    prometheus::Gauge& safe_;
    prometheus::Gauge& max_nodes_;
    prometheus::Gauge& cores_;
    prometheus::Gauge& memory_;
    prometheus::Gauge& unneeded_;
    prometheus::Gauge& pending_deletions_;
    prometheus::Gauge& in_cooldown_;
    prometheus::Gauge& overflowing_;
    prometheus::Gauge& skip_eval_;
    std::optional<Time> looked_at_nodes_{};  ///< when a pass last examined nodes for removal
    GaugeSeries cpu_limits_, memory_limits_, taints_, skipped_pods_;
    GaugeSeries nodes_, groups_, pods_, unremovable_, held_back_;
    GaugeSeries group_min_, group_max_, group_target_, group_healthiness_;
    GaugeSeries in_backoff_, unhealthy_, backoff_status_;
};

}  // namespace capstan::autoscaler::pass_metrics
