/// Workloads, as far as the owners of pods name them, and the names that a question shortens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>

#include "engine/snapshot/cluster.hpp"

namespace capstan::autoscaler::questions {

/// Whether a pod with this owner is of the workload. A Deployment is recognised by the names of its
/// ReplicaSets, NAME-HASH.
bool is_of_workload(const engine::snapshot::PodOwner& owner, std::string_view kind,
                    std::string_view name);

/// The workloads of that kind and namespace that have pods or an object in the cluster: names,
/// ascending, each once.
std::vector<std::string> workloads(const engine::snapshot::Cluster& cluster, std::string_view kind,
                                   std::string_view ns);

/// The name among `names` that `typed` means: `typed` itself if it is among them; else the only
/// name that goes on after it with a dot ("ip-10-0-1-17" for "ip-10-0-1-17.ec2.internal"); else the
/// only name that begins with it. Otherwise `not_found`, and the message is `unknown` followed by
/// the names that may be meant, or by the names there are. `names` has to be ascending.
///     no node "n" in this cluster; several match: n1, n2
Result<std::string> search_name(std::string_view typed, const std::vector<std::string>& names,
                                std::string_view unknown);

/// Those of `names`, which are ascending, that begin with `start`.
std::vector<std::string> names_beginning_with(const std::string& start,
                                              const std::vector<std::string>& names);

}  // namespace capstan::autoscaler::questions
