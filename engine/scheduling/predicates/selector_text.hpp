/// Node selectors as text for people.
#pragma once

#include <string>
#include <vector>

#include <capstan/labels.hpp>

namespace capstan::engine::scheduling {

/// "zone in [a, b]", "gpu exists", "cores > 8".
std::string describe(const Requirement& requirement);
/// "zone in [a, b] and gpu exists"; "nothing" for the term that holds nowhere.
std::string describe(const NodeSelectorTerm& term);
/// The terms with "or" between them; of many, the first few and the number of the others.
std::string describe(const std::vector<NodeSelectorTerm>& any_of);

}  // namespace capstan::engine::scheduling
