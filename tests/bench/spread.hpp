/// ReplicaSets that are spread over zones and are half of a large cluster: the case for which
/// Zalando emulates the constraint.
#pragma once

#include <string>

#include "engine/snapshot.hpp"

namespace capstan::bench {

struct SpreadWorkload {
    int nodes = 1000;
    int replica_sets = 6;
    int running = 1000;     ///< running pods of each ReplicaSet
    int pending = 150;      ///< pending pods of each ReplicaSet
    bool emulated = false;  ///< true: with emulated_spread_label; false: with the constraint
};

/// The pod label of the selector in each ReplicaSet's constraint.
inline constexpr const char* spread_label = "parent-resource-hash";

/// 30 groups, 10 pools in each of three zones, of machines with 4 cores, 32 GiB and room for 13
/// pods of 1m and 2500 MiB. All nodes are full: other pods use the capacity that the ReplicaSets
/// leave.
engine::Snapshot make_spread_snapshot(const SpreadWorkload& workload);

}  // namespace capstan::bench
