/// Clusters to measure with, made to a description that others can follow: README.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/snapshot.hpp"
#include "engine/snapshot/cluster_builder.hpp"

namespace capstan::bench {

/// What pods of a class demand of each other, by their own label `app`.
enum class Constraint { none, zone_spread, host_spread, host_anti_affinity };

/// How much of each node its running pods ask for.
enum class Shape {
    as_said,   ///< Workload::used
    packable,  ///< 40% of each
    mixed,     ///< 45% of every fifth, 98.5% of the others
    full,      ///< 98% of each
};

struct Workload {
    int nodes = 1000;
    int pods = 1000;  ///< pending
    int classes = 1;  ///< 0: every pending pod is of a class of its own
    int groups = 10;
    Constraint constraint = Constraint::none;  ///< of pending pods
    Constraint spread = Constraint::none;      ///< of running pods
    int running_per_node = 30;
    double used = 1;  ///< share of each node that running pods ask for
    Shape shape = Shape::as_said;
};

inline const Time bench_time = time_from_unix_ns(1'700'000'000'000'000'000);

/// Node i belongs to group i mod `groups`.
std::vector<engine::snapshot::NodeObject> make_nodes(const Workload& workload);
std::vector<engine::snapshot::PodObject> make_running_pods(const Workload& workload);
std::vector<engine::snapshot::PodObject> make_pending_pods(const Workload& workload);
std::shared_ptr<const std::vector<engine::Group>> make_groups(const Workload& workload);

/// All of it.
engine::Snapshot make_snapshot(const Workload& workload);

}  // namespace capstan::bench
