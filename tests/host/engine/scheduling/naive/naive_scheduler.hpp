/// A scheduler that is slow and obvious: pod by pod and node by node, by the definition of each
/// predicate in kube-scheduler 1.33. It remembers nothing, shares nothing with the engine's
/// predicates, and so tells whether they are right.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/scheduling/compiled_predicates.hpp"
#include "engine/scheduling/predicates/refusal.hpp"
#include "engine/snapshot/cluster.hpp"
#include "engine/snapshot/default_spread.hpp"

namespace capstan::engine::scheduling::naive {

struct Pod {
    std::string name{};
    std::string ns = "default";
    snapshot::PodSpec spec{};
    Labels labels{};
    std::vector<std::string> claims{};
    snapshot::PodOwner owner{};
    bool terminating = false;
};

struct Node {
    std::string name{};  ///< empty: a node to come
    Labels labels{};
    std::vector<Taint> taints{};
    Resources allocatable{};
    bool unschedulable = false;
    std::map<std::string, std::optional<int>> attach_limits{};
    std::vector<Pod> pods{};
    bool gone = false;  ///< as if it, and what is on it, were not there
    /// Takes pods, but is no domain of a spread over hosts to any other node.
    bool unopened = false;
};

/// A value: a copy is a naive_cluster of its own. Any part of it may be changed.
struct NaiveCluster {
    std::vector<Node> nodes;
    snapshot::ClusterObjects objects;
    std::vector<snapshot::DefaultSpread> default_spread{};
};

/// Nodes under their NodeIndex, with the pods that are bound to them.
NaiveCluster make_naive_cluster(const snapshot::Cluster& cluster);
Pod make_pod(const snapshot::Cluster& cluster, snapshot::PodGroupId equivalence_group);
/// The pod with the constraints that the scheduler goes by: its own, or else the naive_cluster's
/// default ones.
Pod with_spread(const NaiveCluster& naive_cluster, Pod pod);
/// Adds an empty node of the shape, its daemons on it; answers its index.
std::size_t add_node(NaiveCluster& naive_cluster, const snapshot::Cluster& cluster,
                     const TemplateNode& shape);

/// Why the pod does not run on the node, were it to come now; `none`: it does.
Refusal why_not(const NaiveCluster& naive_cluster, const Pod& pod, std::size_t node);
bool fits(const NaiveCluster& naive_cluster, const Pod& pod, std::size_t node);
/// The first node with room; nothing: there is none.
std::optional<std::size_t> find_room(const NaiveCluster& naive_cluster, const Pod& pod);

}  // namespace capstan::engine::scheduling::naive
