/// Workloads as far as pods tell of them: by their owners.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/snapshot/cluster.hpp"

namespace capstan::simulation {

/// Whether a pod with this owner is of the workload. A Deployment is known by the ReplicaSets that
/// it names NAME-HASH.
bool is_of_workload(const engine::snapshot::PodOwner& owner, std::string_view kind,
                    std::string_view name);

/// Those of the kind in the namespace that pods of the cluster belong to, ascending, each once.
std::vector<std::string> workloads(const engine::snapshot::Cluster& cluster, std::string_view kind,
                                   std::string_view ns);

}  // namespace capstan::simulation
