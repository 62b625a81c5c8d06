/// What capstan-bench measures.
#pragma once

#include <cstdint>

#include <boost/json/object.hpp>

#include "mixed.hpp"
#include "workload.hpp"

namespace capstan::bench {

/// One whole scale-up decision: the pass, with the shipped expanders least_waste and random.
boost::json::object measure_scale_up(const Workload& workload, int repeat);
/// The same for Karpenter's mix.
boost::json::object measure_mixed(const Mix& mix, int repeat);
/// The pass without any group: it only finds out which pods fit on existing nodes.
boost::json::object measure_filter(const Workload& workload, int repeat);
/// Objects in, an immutable cluster out.
boost::json::object measure_snapshot(const Workload& workload, int repeat);
/// Grouping all groups by the shipped checks resources and labels.
boost::json::object measure_similar(const Workload& workload, int repeat);
/// Kubernetes JSON of a list of pods, in chunks, to a cluster.
boost::json::object measure_decode(int pods, int repeat);

}  // namespace capstan::bench
