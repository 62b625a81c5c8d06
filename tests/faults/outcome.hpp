/// What a run came to, in facts that neither time nor chance has a say in.
#pragma once

#include <string>

#include "engine/snapshot/cluster.hpp"
#include "stage.hpp"

namespace capstan::faults {

/// To be asked while the daemon runs. One fact a line:
///     nodes: web-1 web-3
///     evicted: b-1
std::string outcome_of(Stage& stage);

/// What a daemon that has ended left of the Lease and its status:
///     lease: nobody
///     status: none
std::string left_behind(Stage& stage);

/// Which parts of two clusters differ, and by what; empty: none.
std::string difference(const engine::snapshot::Cluster& a, const engine::snapshot::Cluster& b);

/// The store as a fresh mirror sees it, without faults. To be asked once the daemon has ended.
engine::snapshot::Cluster cluster_of(Stage& stage);

/// Objects of the kind Event: "TriggeredScaleUp p-1". Those that are there more than once, with the
/// same message, are `twice`; those that say of themselves that they came again are `counted`.
struct Events {
    std::set<std::string> all{}, twice{}, counted{};
};
Events events_of(Stage& stage);

}  // namespace capstan::faults
