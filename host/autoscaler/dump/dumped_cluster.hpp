/// The cluster of a dump, as a pass at the time of the dump sees it.
#pragma once

#include <string>
#include <vector>

#include <capstan/time.hpp>

#include "autoscaler/dump/dump.hpp"
#include "engine/snapshot.hpp"
#include "engine/snapshot/cluster.hpp"

namespace capstan::autoscaler::dump {

/// Kubernetes has done what it does at once: each node that takes a pod of a DaemonSet has one,
/// pods whose grace period is over by `now` are gone, the scheduler has found no node for any
/// pending pod, and budgets allow what their specs allow. Each machine of `groups` that runs and
/// has no node in the dump gets a node that is ready, if its group has a template.
/// `spread_timeout_annotation`: see ClusterBuilderOptions.
engine::snapshot::Cluster make_cluster(const Dump& dump, const std::vector<engine::Group>& groups,
                                       Time now, const std::string& spread_timeout_annotation);

}  // namespace capstan::autoscaler::dump
