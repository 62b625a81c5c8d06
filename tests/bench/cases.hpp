/// The cases of capstan-bench; README.md describes each.
#pragma once

#include <cstdint>

#include <boost/json/object.hpp>

#include "mixed.hpp"
#include "provisioning.hpp"
#include "spread.hpp"
#include "workload.hpp"

namespace capstan::bench {

/// A pass with pending pods and the shipped expanders least_waste and random.
boost::json::object measure_scale_up(const Workload& workload, int repeat);
/// A scale-up pass for Karpenter's mix of pods.
boost::json::object measure_mixed(const Mix& mix, int repeat);
/// A scale-up pass for ReplicaSets that are spread over zones.
boost::json::object measure_spread(const SpreadWorkload& workload, int repeat);
/// A scale-up pass in which groups could be created, with the shipped group source.
boost::json::object measure_provisioning(const ProvisioningWorkload& workload, int repeat);
/// A pass without groups, which finds the pods that fit on existing nodes.
boost::json::object measure_filter(const Workload& workload, int repeat);
/// A pass without pending pods, which finds the unneeded nodes. No minimum of a group keeps a node.
boost::json::object measure_scale_down(const Workload& workload, int repeat);
/// Building an immutable cluster from objects.
boost::json::object measure_snapshot(const Workload& workload, int repeat);
/// Grouping all groups by the shipped similarity checks `resources` and `labels`. `deciding`:
/// groups of one pool are similar whatever the other check says, so that buckets do not help.
boost::json::object measure_similar(const Workload& workload, bool deciding, int repeat);
/// Decoding a list of pods in Kubernetes JSON, in chunks, into a cluster.
boost::json::object measure_decode(int pods, int repeat);
/// The client's ClusterCache over generated Kubernetes JSON: the first list, 1000 changed pods, and
/// another list of the pods.
boost::json::object measure_mirror(int nodes, int pods);

/// The workload of measure_soak, on virtual time.
struct Soak {
    int nodes = 1000;  ///< in ten groups, with 30 pods on each node
    int hours = 24;
    int replaced_per_second = 1;  ///< running pods that are replaced by others
    int burst = 40;  ///< pods that arrive every twenty minutes; two of them fill a new node
};
/// The daemon with an API server in this process: speed, and resident memory every ten
/// minutes.
boost::json::object measure_soak(const Soak& soak);
/// The workload of measure_reaction. Each sample is two pods that together need a new node; the
/// next sample begins when the node was ordered.
struct Reaction {
    int nodes = 1000;  ///< in ten groups
    int pods_per_node = 30;
    int hopeless = 0;              ///< pods that fit no machine and are always pending
    int samples = 150;             ///< number of measurements
    int requests_per_second = 50;  ///< limit of the daemon's API client; bursts may have twice that
};
/// The time from creating an unschedulable pod to the end of the pass that ordered its node: the
/// daemon with an API server on loopback, in real time.
boost::json::object measure_reaction(const Reaction& reaction);

}  // namespace capstan::bench
