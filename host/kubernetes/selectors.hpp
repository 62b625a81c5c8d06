/// Selectors by label, and the expressions they are made of.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <capstan/labels.hpp>

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

}  // namespace capstan::kubernetes
