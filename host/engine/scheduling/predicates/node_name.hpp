/// NodeName: a pod that names its node runs on no other. Pending pods name none; what
/// they ask of metadata.name is a matter of node affinity.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/scheduling/predicates/node_facts.hpp"

namespace capstan::engine::scheduling {

/// `wanted`: spec.nodeName; empty: any node. Nothing: it passes. [any thread]
std::optional<std::string> check_node_name(std::string_view wanted, const NodeFacts& node);

}  // namespace capstan::engine::scheduling
