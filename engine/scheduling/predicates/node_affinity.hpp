/// NodeAffinity: the node matches the pod's node selector and one of its required terms.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/scheduling/predicates/node_facts.hpp"
#include "engine/snapshot/pod_spec.hpp"

namespace capstan::engine::scheduling {

/// Whether the node passes. [any thread]
bool selects(const snapshot::PodSpec& pod, const NodeFacts& node) noexcept;

/// The first key of the node selector for which the node does not have the wanted value. If the
/// node selector matches, the first label key of the required terms. Empty: the node passes, or the
/// terms name only fields. Borrows from the pod. [any thread]
std::string_view find_unmet_key(const snapshot::PodSpec& pod, const NodeFacts& node) noexcept;

/// Absent: the node passes. Else says what was wanted and what the node has instead:
///     node(s) didn't match Pod's node affinity/selector: wants disk=ssd, the node has disk=hdd
/// [any thread]
std::optional<std::string> check_node_affinity(const snapshot::PodSpec& pod, const NodeFacts& node);

}  // namespace capstan::engine::scheduling
