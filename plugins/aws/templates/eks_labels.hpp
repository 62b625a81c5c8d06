/// Labels and taints that EKS gives to the nodes of a group it manages.
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

/// Those that its nodes carry: the node group's name and capacity type, its image, and its own
/// labels. Upstream's `amiType`, `diskSize` and `k8sVersion` are on no node. `image_id` may be
/// empty.
EksLabels read_eks_labels(const EksNodegroup& nodegroup, const std::string& image_id);

/// `unsupported`: an effect that is none.
Result<std::vector<Taint>> read_eks_taints(const EksNodegroup& nodegroup);

}  // namespace capstan::aws
