/// A slow, simple scheduler: it evaluates each predicate of kube-scheduler 1.33 by its definition,
/// for one pod and one node at a time. It caches nothing, and shares with the engine's predicates
/// only functions of the SDK. So tests can compare its results with theirs.
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
    std::string name{};  ///< empty: a new node
    Labels labels{};
    std::vector<Taint> taints{};
    Resources allocatable{};
    bool unschedulable = false;
    std::map<std::string, std::optional<int>> attach_limits{};
    std::set<std::string> migrated{};  ///< see snapshot::CsiNodeObject::migrated
    std::vector<Pod> pods{};
    bool gone = false;  ///< the node and its pods are ignored
    /// Only if gone: it is still a domain of spread constraints that count tainted nodes.
    bool draining = false;
    /// Takes pods, but does not count as a domain of a spread over hosts.
    bool unopened = false;
};

/// A value that may be copied and changed.
struct NaiveCluster {
    std::vector<Node> nodes;
    snapshot::ClusterObjects objects;
    std::vector<snapshot::DefaultSpread> default_spread{};
};

/// The node with NodeIndex i becomes nodes[i], and has the pods that are bound to it.
NaiveCluster make_naive_cluster(const snapshot::Cluster& cluster);
Pod make_pod(const snapshot::Cluster& cluster, PodGroupId equivalence_group);
/// The pod with its own spread constraints, or, if it has none, with the default ones.
Pod with_spread(const NaiveCluster& naive_cluster, Pod pod);
/// Adds a new node of the template, with only its daemons; returns the index of the node.
std::size_t add_node(NaiveCluster& naive_cluster, const snapshot::Cluster& cluster,
                     const TemplateNode& template_node);

/// Why the pod does not fit the node; `none`: it fits.
Refusal why_not(const NaiveCluster& naive_cluster, const Pod& pod, std::size_t node);
bool fits(const NaiveCluster& naive_cluster, const Pod& pod, std::size_t node);
/// The first node with room, if any.
std::optional<std::size_t> find_room(const NaiveCluster& naive_cluster, const Pod& pod);

}  // namespace capstan::engine::scheduling::naive
