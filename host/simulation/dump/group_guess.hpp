/// Node groups of a cluster that does not say which it has, guessed from what its nodes have in
/// common.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <capstan/node_template.hpp>

#include "engine/snapshot/objects.hpp"

namespace capstan::simulation::dump {

struct GuessedGroup {
    std::string id{};
    /// The labels and taints that all its nodes have, hostname aside, and the least that any of
    /// them has of each resource.
    NodeTemplate node{};
    std::vector<std::size_t> nodes{};  ///< indices of the nodes, by name
};

/// Nodes of one pool (by the label that EKS, GKE, AKS, kops, eksctl, Karpenter or Cluster API put
/// on them), machine type, zone, architecture and system are one group. Control plane nodes and
/// virtual kubelets are in none, and neither is a node without a pool and a machine type. By id.
std::vector<GuessedGroup> guess_groups(std::span<const engine::snapshot::NodeObject> nodes);

}  // namespace capstan::simulation::dump
