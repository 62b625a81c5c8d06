/// Guesses the node groups of a dump from the labels of its nodes, because a dump does not name
/// groups.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <capstan/node_template.hpp>

#include "engine/settings.hpp"
#include "engine/snapshot/objects.hpp"

namespace capstan::autoscaler::dump {

struct GuessedGroup {
    std::string id{};
    /// A new node: the labels (without the hostname) and lasting taints that all model nodes have,
    /// and of each resource the least amount that any of them has. Model nodes are those that the
    /// engine could make a template from; if there are none, the ready ones; else all.
    NodeTemplate node{};
    std::vector<std::size_t> nodes{};  ///< indices of the nodes, by name
    std::string pool{};                ///< empty: the nodes have no label of a pool
};

/// Nodes with the same pool, machine type, zone, architecture and operating system form a group.
/// The pool is the label that EKS, GKE, AKS, kops, eksctl, Karpenter or Cluster API puts on a node.
/// Control plane nodes, virtual kubelets, and nodes with neither a pool nor a machine type are in
/// no group. The result is sorted by id. `now`: when the nodes looked like this.
std::vector<GuessedGroup> guess_groups(std::span<const engine::snapshot::NodeObject> nodes,
                                       const engine::Settings& settings, Time now);

}  // namespace capstan::autoscaler::dump
