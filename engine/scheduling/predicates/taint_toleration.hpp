/// TaintToleration: every NoSchedule and NoExecute taint of the node must be tolerated.
#pragma once

#include <optional>
#include <span>
#include <string>

#include <capstan/taints.hpp>

#include "engine/scheduling/predicates/node_facts.hpp"
#include "engine/snapshot/pod_spec.hpp"

namespace capstan::engine::scheduling {

/// The first taint that keeps the pod off, or NULL; points into `taints`. [any thread]
const Taint* find_untolerated_taint(const snapshot::PodSpec& pod,
                                    std::span<const Taint> taints) noexcept;

/// Absent: the node passes. [any thread]
std::optional<std::string> check_taint_toleration(const snapshot::PodSpec& pod,
                                                  const NodeFacts& node);

}  // namespace capstan::engine::scheduling
