/// ReplicaSets that are spread over zones, half of a large cluster: the case that made Zalando
/// emulate the constraint.
#pragma once

#include <string>

#include "engine/snapshot.hpp"

namespace capstan::bench {

struct SpreadWorkload {
    int nodes = 1000;
    int replica_sets = 6;
    int running = 1000;     ///< pods of each that have a node
    int pending = 150;      ///< of each
    bool emulated = false;  ///< by spread_label; else the constraint is obeyed as it stands
};

/// What each ReplicaSet's constraint selects by.
inline constexpr const char* spread_label = "parent-resource-hash";

/// 30 groups, 10 pools in each of three zones, of machines with 4 cores, 32 GiB and room for 13
/// pods of 1m and 2500 MiB. All nodes are full: what the ReplicaSets leave, others have taken.
engine::Snapshot make_spread_snapshot(const SpreadWorkload& workload);

}  // namespace capstan::bench
