/// What became of growing groups.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include <prometheus/registry.h>

#include "runtime/pass_metrics/families.hpp"
#include "runtime/pass_metrics/gpus.hpp"

namespace capstan::runtime::pass_metrics {

class GrowthMetrics {
public:
    explicit GrowthMetrics(prometheus::Registry& registry);
    /// Of the first pass only refusals are counted: other failures may be an earlier run's, which
    /// counted them.
    void observe(const PassObservation& pass);
    /// Machines that clouds agreed to make, and to remove because they never joined.
    void count_agreed(const PassObservation& pass);

private:
    void count_failures(const PassObservation& pass);
    void count_failure(const Gpu& gpu, const std::string& reason);
    int count_lost(const PassObservation& pass, const NodeGroupId& group) const;

    Counters& scaled_up_;
    Counters& scaled_up_gpu_;  ///< upstream gave it up with 1.36, and dashboards have it
    Counters& failed_;
    Counters& failed_gpu_;  ///< the same
    Counters& failed_nodes_;
    prometheus::Counter& never_joined_;
    std::optional<std::map<NodeGroupId, Time>> last_failures_{};
    // As of the last pass.
    std::map<NodeGroupId, engine::ScaleUpRequest> requests_{};
    std::map<NodeGroupId, std::set<MachineId>> failed_machines_{};
};

}  // namespace capstan::runtime::pass_metrics
