/// Which node each waiting pod gets: kube-scheduler in short.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/snapshot/cluster.hpp"

namespace capstan::simulation {

/// The node of each pod, one after the other in the order given; nothing: it fits on none. The
/// engine's predicates say where a pod may run. Among those nodes the highest score wins, then the
/// first by name:
///     the share of cpu and memory that stays free, mean of both, 0 to 100
///     + 2 x (how far its zone is behind the zone with most pods of the class, 0 to 100)
/// Preferred affinity, preferred taints, images and preemption have no part in it.
std::vector<std::optional<engine::snapshot::NodeIndex>> find_nodes(
    const engine::snapshot::Cluster& cluster, std::span<const engine::snapshot::PodGroupId> pods);

}  // namespace capstan::simulation
