#include "engine/scheduling/predicates/node_name.hpp"

#include <capstan/sentence.hpp>

namespace capstan::engine::scheduling {

std::optional<std::string> check_node_name(std::string_view wanted, const NodeFacts& node) {
    if (wanted.empty() || wanted == node.name) return std::nullopt;
    return "node(s) didn't match the requested node name: wants " + in_quotes(wanted);
}

}  // namespace capstan::engine::scheduling
