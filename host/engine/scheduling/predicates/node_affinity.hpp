/// NodeAffinity: the pod's node selector, and one of its required terms.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/scheduling/predicates/node_facts.hpp"
#include "engine/snapshot/pod_spec.hpp"

namespace capstan::engine::scheduling {

/// [any thread]
bool selects(const snapshot::PodSpec& pod, const NodeFacts& node) noexcept;

/// The key of the first label that the pod wants and the node does not have so; of required terms
/// the first key of the first one; empty: the node passes, or fields alone are wanted. Borrows from
/// the pod. [any thread]
std::string_view find_unmet_key(const snapshot::PodSpec& pod, const NodeFacts& node) noexcept;

/// Nothing: it passes. Else says what was wanted and what the node has instead:
///     node(s) didn't match Pod's node affinity/selector: wants disk=ssd, the node has disk=hdd
/// [any thread]
std::optional<std::string> check_node_affinity(const snapshot::PodSpec& pod, const NodeFacts& node);

}  // namespace capstan::engine::scheduling
