/// Functions on the pods of a workload: counts, and the order in which pods are deleted.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "simulator/control_plane/context/api_names.hpp"

namespace capstan::simulator::control_plane {

struct PodCounts {
    std::int64_t all = 0;
    std::int64_t ready = 0;
    std::int64_t available = 0;  ///< ready for minReadySeconds
    /// Until the next ready pod is available; absent: all ready pods are available.
    std::optional<Duration> next_available{};
};

PodCounts count_pods(const std::vector<ApiObject>& pods, Duration min_ready, Time now);

/// Sorts pods in the order in which a ReplicaSet deletes them: pods without a node, pending, not
/// ready, of lower deletion cost, with more of the given pods on the same node, ready for a shorter
/// time, restarted more often, younger; then by name.
std::vector<ApiObject> in_removal_order(std::vector<ApiObject> pods);

}  // namespace capstan::simulator::control_plane
