/// What pods ask of a node that is made for them, and whether a machine could be that node.
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

/// An empty node, before labels are made for any pod.
struct UnlabelledNode {
    Labels labels{};  ///< of the machine, in that zone: no pod may ask for other values
    std::vector<Taint> taints{};
    Resources room{};
};

/// A type as it is on offer in one zone. Its name and zone stand in for labels it does not tell.
UnlabelledNode make_unlabelled_node(const MachineType& type, const MachineOffering& offer);

/// What has to be added to an unlabelled node so that it takes a pod.
struct NodeRequirements {
    Labels labels{};              ///< none that the machine has
    std::vector<Taint> taints{};  ///< that keep others off; ordered
    bool operator==(const NodeRequirements&) const = default;
};

/// The requirements of one of the pods, which fits on the node then. Of the terms of a required
/// affinity the first that can be met counts; In with one value is met like a selector, and what
/// cannot be met by adding a label has to hold as it is. The error says why no label helps.
Result<NodeRequirements> find_requirements(const UnlabelledNode& node,
                                           const PodEquivalenceGroup& pods, Dedicated dedicated);

/// Whether the node would still take such a pod with these labels on top.
bool takes(const UnlabelledNode& node, const Labels& added, const PodEquivalenceGroup& pods);

}  // namespace capstan::provisioning
