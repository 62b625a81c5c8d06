/// What became of growing groups.
#pragma once

#include <map>
#include <optional>
#include <string>

#include <prometheus/registry.h>

#include "runtime/pass_metrics/families.hpp"
#include "runtime/pass_metrics/observation.hpp"

namespace capstan::runtime {

class GrowthMetrics {
public:
    explicit GrowthMetrics(prometheus::Registry& registry);
    /// Of the first pass, failures that it already remembers are not counted: an earlier run did.
    void observe(const PassObservation& pass);

private:
    void count_increases(const PassObservation& pass);
    void count_failures(const PassObservation& pass);

    Counters& scaled_up_;
    Counters& failed_;
    prometheus::Counter& never_joined_;
    std::optional<std::map<NodeGroupId, Time>> last_failures_{};
};

/// The labels by which scaled nodes are told apart: gpu_resource_name, gpu_name, dra_drivers. What
/// is not known is empty.
prometheus::Labels gpu_labels(const engine::Snapshot& snapshot, const NodeGroupId& group);

}  // namespace capstan::runtime
