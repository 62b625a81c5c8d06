/// Clusters for benchmarks; results.md describes them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/snapshot.hpp"
#include "engine/snapshot/cluster_builder.hpp"

namespace capstan::bench {

/// The inter-pod constraint among pods with the same label `app`.
enum class Constraint { none, zone_spread, host_spread, host_anti_affinity };

/// The share of each node that its running pods request.
enum class Shape {
    as_configured,  ///< Workload::used
    packable,       ///< 40% of each node
    mixed,          ///< 45% of every fifth node, 98.5% of the others
    full,           ///< 98% of each node
};

struct Workload {
    int nodes = 1000;
    int pods = 1000;  ///< pending pods
    int classes = 1;  ///< equivalence groups of pending pods; 0: every pod is in its own
    int groups = 10;
    Constraint constraint = Constraint::none;  ///< of pending pods
    Constraint spread = Constraint::none;      ///< of running pods
    int running_per_node = 30;
    double used = 1;  ///< share of each node that running pods request
    Shape shape = Shape::as_configured;
};

inline const Time bench_time = time_from_unix_ns(1'700'000'000'000'000'000);

/// Node i belongs to group i mod `groups`.
std::vector<engine::snapshot::NodeObject> make_nodes(const Workload& workload);
std::vector<engine::snapshot::PodObject> make_running_pods(const Workload& workload);
std::vector<engine::snapshot::PodObject> make_pending_pods(const Workload& workload);
std::shared_ptr<const std::vector<engine::Group>> make_groups(const Workload& workload);

/// A snapshot with these nodes, pods and groups.
engine::Snapshot make_snapshot(const Workload& workload);

}  // namespace capstan::bench
