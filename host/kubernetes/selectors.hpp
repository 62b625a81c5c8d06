/// Selectors by label, and the expressions they are made of.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <capstan/labels.hpp>
#include <capstan/taints.hpp>

#include "kubernetes/json_cursor.hpp"

namespace capstan::kubernetes {

/// A list of expressions with `key`, `operator` and `values`. An operator that is none leaves an
/// expression without values, which matches nothing; so does Gt or Lt in a label selector.
std::vector<Requirement> decode_node_requirements(const JsonCursor& expressions);
std::vector<Requirement> decode_label_requirements(const JsonCursor& expressions);

/// Nothing when absent, which Kubernetes tells apart from the empty selector.
std::optional<LabelSelector> decode_label_selector(const JsonCursor& selector);

/// Empty when absent or no text.
std::string decode_text(const JsonCursor& place);
/// A list of text, without the items that are none.
std::vector<std::string> decode_texts(const JsonCursor& list);

// Which nodes a pod, or a volume, may or would like to be on.

/// A NodeSelector: the terms of which one must hold. Empty when it is absent. What nothing meets is
/// one term that holds for no node: a selector without terms, and whatever cannot be read.
std::vector<NodeSelectorTerm> decode_node_selector(const JsonCursor& selector);
/// From `spec.affinity.nodeAffinity`; what is required, as decode_node_selector answers it.
std::vector<NodeSelectorTerm> decode_required_affinity(const JsonCursor& node_affinity);
/// The preferred terms with their weights.
std::vector<NodeSelectorTerm> decode_preferred_affinity(const JsonCursor& node_affinity);
/// From `spec.tolerations`. One with an operator or effect we do not know tolerates nothing: it is
/// complained about and left out. So is one that compares numbers (Gt and Lt, which the API server
/// takes only behind a feature gate).
std::vector<Toleration> decode_tolerations(const JsonCursor& tolerations);

}  // namespace capstan::kubernetes
