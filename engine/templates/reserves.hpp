/// What machines really offer, learned from existing nodes. A cloud's figures often leave out what
/// the system reserves (kube-reserved, system-reserved, the kernel).
///
/// For a machine type that some node has, the nodes' own figures count. For any other type, the
/// most that any node reserves is assumed to be reserved.
///
///     two nodes of 4 cores reserve 300m and 200m  ->  for a new type of 64 cores 300m are assumed
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <capstan/node_template.hpp>

#include "engine/snapshot/cluster.hpp"

namespace capstan::engine::templates {

/// The least of what the nodes of one machine type have. Nodes that lack a resource are left out
/// for that resource. Resources with a domain ("nvidia.com/gpu") are not learned: only the cloud
/// knows what a new node has of them.
struct MachineFigures {
    Resources capacity{}, allocatable{};
    std::map<std::string, std::optional<int>> csi_limits{};  ///< attach limits by driver
    std::set<std::string> csi_migrated{};  ///< see snapshot::CsiNodeObject::migrated; of any node
    int nodes = 0;
};

/// Learned anew in every pass, so nothing in it is out of date.
struct Reserves {
    std::map<std::string, MachineFigures, std::less<>> types{};  ///< by machine type
    /// The most of cpu and of memory that any node reserves: its capacity less its allocatable.
    Resources reserved{};
};

/// Learns from every node that has a label with its machine type and has reported a capacity, in
/// whichever group. Each node is compared with its own capacity, so the order of nodes does not
/// matter (in Zalando's fork it did).
Reserves learn_reserves(const snapshot::Cluster& cluster);

/// Applies learned figures to a cloud's template. If some node has the template's machine type, its
/// figures replace the cloud's. Otherwise allocatable cpu and memory become the cloud's capacity
/// less `reserved`, never below zero, unless the cloud's allocatable is below its capacity already.
/// `node.free` does not change. Returns what was done, for people; empty: nothing.
std::string apply_reserves(const Reserves& reserves, NodeTemplate& node);

}  // namespace capstan::engine::templates
