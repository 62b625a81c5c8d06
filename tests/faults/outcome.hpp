/// The outcome of a run, in facts that do not depend on time or chance.
#pragma once

#include <string>

#include "daemon_fixture.hpp"
#include "engine/snapshot/cluster.hpp"

namespace capstan::faults {

/// The state of the cluster and of the daemon, one fact per line. Call it while the daemon runs.
///     nodes: web-1 web-3
///     evicted: b-1
std::string outcome_of(DaemonFixture& fixture);

/// The Lease and the status ConfigMap after the daemon has ended:
///     lease: none
///     status: none
std::string state_after_stop(DaemonFixture& fixture);

/// The parts in which two clusters differ; empty if they are equal.
std::string difference(const engine::snapshot::Cluster& a, const engine::snapshot::Cluster& b);

/// The store as a new ClusterCache reads it, without faults. Call it after the daemon has ended.
engine::snapshot::Cluster cluster_of(DaemonFixture& fixture);

/// Events of daemons as "REASON OBJECT": "TriggeredScaleUp p-1".
struct Events {
    std::set<std::string> all{};
    std::set<std::string> twice{};    ///< those that exist several times with the same message
    std::set<std::string> counted{};  ///< those with a count above one
};
Events events_of(DaemonFixture& fixture);

}  // namespace capstan::faults
