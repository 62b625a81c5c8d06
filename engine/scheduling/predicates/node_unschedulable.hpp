/// NodeUnschedulable: a cordoned node takes only pods that tolerate its unschedulable taint.
#pragma once

#include <optional>
#include <string>

#include "engine/scheduling/predicates/node_facts.hpp"
#include "engine/snapshot/pod_spec.hpp"

namespace capstan::engine::scheduling {

/// Whether the pod tolerates node.kubernetes.io/unschedulable:NoSchedule, as it has to for running
/// on a cordoned node.
bool tolerates_unschedulable(const snapshot::PodSpec& pod) noexcept;

/// Absent: the node passes. [any thread]
std::optional<std::string> check_node_unschedulable(const snapshot::PodSpec& pod,
                                                    const NodeFacts& node);

}  // namespace capstan::engine::scheduling
