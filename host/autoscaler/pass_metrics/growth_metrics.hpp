/// Metrics of scale-ups: machines requested, failures, machines that never joined.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include <prometheus/registry.h>

#include "autoscaler/pass_metrics/families.hpp"
#include "autoscaler/pass_metrics/gpus.hpp"

namespace capstan::autoscaler::pass_metrics {

class GrowthMetrics {
public:
    explicit GrowthMetrics(prometheus::Registry& registry);
    /// Counts failures. In the first pass only refusals count, because an earlier run of the host
    /// may have counted the other failures.
    void observe(const PassObservation& pass);
    /// Counts the machines that clouds agreed to create, and those that clouds agreed to remove
    /// because they never joined.
    void count_agreed(const PassObservation& pass);

private:
    void count_failures(const PassObservation& pass);
    void count_failure(const Gpu& gpu, const std::string& reason);
    int count_failed_nodes(const PassObservation& pass, const NodeGroupId& group) const;

    Counters& scaled_up_;
    Counters& scaled_up_gpu_;  ///< upstream removed it in 1.36; kept for dashboards
    Counters& failed_;
    Counters& failed_gpu_;  ///< upstream removed it in 1.36; kept for dashboards
    Counters& failed_nodes_;
    prometheus::Counter& never_joined_;
    std::optional<std::map<NodeGroupId, Time>> last_failures_{};
    // From the memory of the last pass.
    std::map<NodeGroupId, engine::ScaleUpRequest> requests_{};
    std::map<NodeGroupId, std::set<MachineId>> failed_machines_{};
};

}  // namespace capstan::autoscaler::pass_metrics
