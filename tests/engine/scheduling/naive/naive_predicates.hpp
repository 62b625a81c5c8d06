/// The predicates. A Verdict is absent if the pod fits; otherwise it says why the pod does not fit.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "naive/naive_scheduler.hpp"

namespace capstan::engine::scheduling::naive {

using Verdict = std::optional<std::string>;

Verdict node_unschedulable(const Pod& pod, const Node& node);
Verdict taint_toleration(const Pod& pod, const Node& node);
Verdict node_affinity(const Pod& pod, const Node& node);
Verdict node_ports(const Pod& pod, const Node& node);
Verdict node_resources_fit(const Pod& pod, const Node& node);

Verdict volume_restrictions(const NaiveCluster& naive_cluster, const Pod& pod);
Verdict node_volume_limits(const NaiveCluster& naive_cluster, const Pod& pod, const Node& node);
Verdict volume_binding(const NaiveCluster& naive_cluster, const Pod& pod, const Node& node);
Verdict volume_zone(const NaiveCluster& naive_cluster, const Pod& pod, const Node& node);

Verdict inter_pod_affinity(const NaiveCluster& naive_cluster, const Pod& pod, const Node& node);
Verdict pod_topology_spread(const NaiveCluster& naive_cluster, const Pod& pod, const Node& node);

/// Pods that a constraint counts, by domain; domains without an eligible node are omitted. In
/// a spread over hosts, the only unopened node that counts as a domain is `evaluated`.
std::map<std::string, int> count_domains(const NaiveCluster& naive_cluster,
                                         const snapshot::SpreadConstraint& constraint,
                                         const Pod& pod, const Node* evaluated = nullptr);

/// The value of the node's label with this key; absent: the node has no such label.
std::optional<std::string> find_value(const Node& node, const std::string& key);

}  // namespace capstan::engine::scheduling::naive
