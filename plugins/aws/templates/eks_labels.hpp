/// Labels and taints that EKS gives to the nodes of a managed node group.
#pragma once

#include <string>
#include <vector>

#include <capstan/labels.hpp>
#include <capstan/result.hpp>
#include <capstan/taints.hpp>

#include "../api/eks.hpp"

namespace capstan::aws {

struct EksLabels {
    Labels labels{};
    std::vector<std::string> warnings{};
};

/// The labels of the node group's nodes: its name, its capacity type, its image, and its configured
/// labels. Upstream's `amiType`, `diskSize` and `k8sVersion` are left out, since no node carries
/// them. `image_id` may be empty.
EksLabels read_eks_labels(const EksNodegroup& nodegroup, const std::string& image_id);

/// `unsupported`: a taint has an unknown effect.
Result<std::vector<Taint>> read_eks_taints(const EksNodegroup& nodegroup);

}  // namespace capstan::aws
