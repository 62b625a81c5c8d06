/// What capstan-bench measures.
#pragma once

#include <cstdint>

#include <boost/json/object.hpp>

#include "mixed.hpp"
#include "provisioning.hpp"
#include "spread.hpp"
#include "workload.hpp"

namespace capstan::bench {

/// One whole scale-up decision: the pass, with the shipped expanders least_waste and random.
boost::json::object measure_scale_up(const Workload& workload, int repeat);
/// The same for Karpenter's mix.
boost::json::object measure_mixed(const Mix& mix, int repeat);
/// The same for ReplicaSets that are spread over zones.
boost::json::object measure_spread(const SpreadWorkload& workload, int repeat);
/// The same where groups could be made, with the shipped group source.
boost::json::object measure_provisioning(const ProvisioningWorkload& workload, int repeat);
/// The pass without any group: it only finds out which pods fit on existing nodes.
boost::json::object measure_filter(const Workload& workload, int repeat);
/// The pass of a cluster without pending pods: which nodes are unneeded. Every node may go as far
/// as minima and the number of removals are concerned.
boost::json::object measure_scale_down(const Workload& workload, int repeat);
/// Objects in, an immutable cluster out.
boost::json::object measure_snapshot(const Workload& workload, int repeat);
/// Grouping all groups by the shipped checks resources and labels. `deciding`: groups of a pool are
/// similar whatever else is said, so that buckets are of no use.
boost::json::object measure_similar(const Workload& workload, bool deciding, int repeat);
/// Kubernetes JSON of a list of pods, in chunks, to a cluster.
boost::json::object measure_decode(int pods, int repeat);
/// A cluster in Kubernetes JSON through the mirror: synced once, 1000 pods changed, and the pods
/// listed anew.
boost::json::object measure_mirror(int nodes, int pods);

/// A cluster's life on virtual time.
struct Soak {
    int nodes = 1000;  ///< in ten groups, with 30 pods each
    int hours = 24;
    int replaced_per_second = 1;  ///< pods that make place for others
    int burst = 40;  ///< pods that come every twenty minutes, and need a node for two of them
};
/// The whole daemon over an API server in this process: speed, and resident memory every ten
/// minutes.
boost::json::object measure_soak(const Soak& soak);
/// Pods that come, one after the other, each of which needs a node.
struct Reaction {
    int nodes = 1000;  ///< in ten groups
    int pods_per_node = 30;
    int hopeless = 0;              ///< pods that wait all the time, and fit nowhere
    int samples = 150;             ///< pods that come
    int requests_per_second = 50;  ///< of the daemon's; what a burst may have is twice that
};
/// From a pod that is unschedulable until the pass is over that ordered its node: the whole daemon
/// over an API server on loopback, in real time.
boost::json::object measure_reaction(const Reaction& reaction);

}  // namespace capstan::bench
