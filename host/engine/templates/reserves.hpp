/// What a machine really offers, learned from the nodes there are: a cloud's figures leave out what
/// the system keeps.
///
///     two nodes of 4 cores keep 300m and 200m  ->  a new type of 64 cores is taken to keep 300m
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <capstan/node_template.hpp>

#include "engine/snapshot/cluster.hpp"

namespace capstan::engine::templates {

/// The least of what nodes of one machine type have; of a resource that only some have, the least
/// of those. Resources with a domain ("nvidia.com/gpu") are not learned: what of them a new node
/// has, its cloud knows.
struct MachineFigures {
    Resources capacity{}, allocatable{};
    std::map<std::string, std::optional<int>> csi_limits{};  ///< attach limits by driver
    int nodes = 0;
};

/// Learned anew in every pass, so nothing in it can be out of date.
struct Reserves {
    std::map<std::string, MachineFigures, std::less<>> types{};
    /// The most that any node keeps of its own capacity.
    Resources reserved{};
};

/// From every node that names its machine type and has reported a capacity, whatever group it is
/// of. The order of nodes does not matter (Zalando's did: it compared a node with the least
/// capacity seen so far instead of its own).
Reserves learn_reserves(const snapshot::Cluster& cluster);

/// Puts learned figures into a cloud's template. A type that was seen has what was seen. Any other
/// has the cloud's capacity, and of cpu and memory that less `reserved`, never below zero, unless
/// the cloud itself says that less is allocatable than the machine has. `free` is left alone.
/// Returns what was done, for people; empty: nothing.
std::string apply_reserves(const Reserves& reserves, NodeTemplate& node);

}  // namespace capstan::engine::templates
