/// The pods that are on the cluster's nodes, and those that come with a new one, as counters see
/// them.
#pragma once

#include <span>
#include <vector>

#include "engine/scheduling/pod_book.hpp"
#include "engine/scheduling/tally.hpp"
#include "engine/snapshot/cluster.hpp"

namespace capstan::engine {

/// Classes other than the subjects that may matter to them: with pods on a node, or daemons of a
/// shape; ascending, each once; of `absent` ones only daemons. Empty where no subject looks at
/// pods, nor any pod at others.
std::vector<ClassId> find_others(const Cluster& cluster, std::span<const ClassId> subjects,
                                 std::span<const NodeShape> shapes,
                                 const std::vector<bool>& absent);

/// Counts the pods that are not absent and bound to a node `times` (below zero: takes them away
/// again) where `place` is.
void count_bound(Tally& tally, const Cluster& cluster, const PodBook& book, NodeIndex node,
                 const Tally::Place& place, int times);
/// The same of the daemons of a new node.
void count_daemons(Tally& tally, const PodBook& book, const NodeShape& shape,
                   const Tally::Place& place, int times);

/// The cluster as it is, a slot for each node.
Tally count_standing(const Cluster& cluster, const PodBook& book, const NodeProfiles& profiles);

}  // namespace capstan::engine
