/// The labels and taints that pods require of a new node, and whether a machine could be that node.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <capstan/machine_type.hpp>
#include <capstan/pod.hpp>
#include <capstan/result.hpp>

#include "config.hpp"

namespace capstan::provisioning {

/// An empty node with the labels of its machine alone, before labels for pods are added.
struct UnlabelledNode {
    Labels labels{};  ///< of the machine in its zone; a pod that asks for other values never fits
    std::vector<Taint> taints{};
    Resources room{};
};

/// The node of a machine type in the zone of an offering. Where the cloud states no label for
/// instance type or zone, the name of the type and the zone become these labels.
UnlabelledNode make_unlabelled_node(const MachineType& type, const MachineOffering& offer);

/// The labels and taints to be added to an unlabelled node for a pod.
struct NodeRequirements {
    Labels labels{};              ///< without those that the machine has
    std::vector<Taint> taints{};  ///< keep other pods off; ordered
    bool operator==(const NodeRequirements&) const = default;
};

/// The requirements of one of the pods, which then fits on the node. When a required node affinity
/// has several terms, the first that can be met counts. A requirement `In` with one value is met
/// like a node selector; every other requirement has to hold once these labels are added. The error
/// says why the pod would not fit with any label: out_of_capacity when the machine is too small.
Result<NodeRequirements> find_requirements(const UnlabelledNode& node,
                                           const PodEquivalenceGroup& pods, Dedicated dedicated);

/// Whether the selectors of such a pod match the node with these labels added.
bool takes(const UnlabelledNode& node, const Labels& added, const PodEquivalenceGroup& pods);

}  // namespace capstan::provisioning
