/// Which nodes a pod may or would like to run on, read from its `spec`.
#pragma once

#include <vector>

#include <capstan/labels.hpp>
#include <capstan/taints.hpp>

#include "kubernetes/json_place.hpp"

namespace capstan::kubernetes {

/// From `spec.affinity.nodeAffinity`. Empty when nothing is required; a requirement without any
/// term, which no node meets, is one term that holds for none.
std::vector<NodeSelectorTerm> decode_required_affinity(const JsonPlace& node_affinity);
/// The preferred terms with their weights.
std::vector<NodeSelectorTerm> decode_preferred_affinity(const JsonPlace& node_affinity);
/// From `spec.tolerations`. One with an operator or effect we do not know tolerates nothing: it is
/// complained about and left out.
std::vector<Toleration> decode_tolerations(const JsonPlace& tolerations);

}  // namespace capstan::kubernetes
