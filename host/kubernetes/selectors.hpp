/// Decodes selectors, node affinity and tolerations.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <capstan/labels.hpp>
#include <capstan/taints.hpp>

#include "kubernetes/json_cursor.hpp"

namespace capstan::kubernetes {

/// A list of expressions with `key`, `operator` and `values`. An unknown operator, also Gt or Lt in
/// a label selector, is a problem; its expression becomes an In without values, which matches
/// nothing.
std::vector<Requirement> decode_node_requirements(const JsonCursor& expressions);
std::vector<Requirement> decode_label_requirements(const JsonCursor& expressions);

/// Absent if the selector is absent; to Kubernetes that is not the same as an empty selector.
std::optional<LabelSelector> decode_label_selector(const JsonCursor& selector);

/// Empty when absent or no text.
std::string decode_text(const JsonCursor& place);
/// The items of a list that are text.
std::vector<std::string> decode_texts(const JsonCursor& list);

// Node selectors of pods and volumes, and tolerations.

/// The terms of a NodeSelector, one of which must match. Empty: the selector is absent. A selector
/// that has no terms, or a malformed list of them, becomes one term that matches no node. A
/// malformed term matches no node either.
std::vector<NodeSelectorTerm> decode_node_selector(const JsonCursor& selector);
/// The required terms of `spec.affinity.nodeAffinity`, as in decode_node_selector.
std::vector<NodeSelectorTerm> decode_required_affinity(const JsonCursor& node_affinity);
/// The preferred terms with their weights.
std::vector<NodeSelectorTerm> decode_preferred_affinity(const JsonCursor& node_affinity);
/// From `spec.tolerations`. A toleration with an unknown operator or effect is a problem and is
/// left out, so it tolerates nothing. Gt and Lt, which the API server takes only behind a feature
/// gate, count as unknown.
std::vector<Toleration> decode_tolerations(const JsonCursor& tolerations);

}  // namespace capstan::kubernetes
