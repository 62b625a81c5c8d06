/// Reasons to keep a node that have nothing to do with its utilization and pods.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/decision.hpp"
#include "engine/health/health.hpp"
#include "engine/pass_view.hpp"

namespace capstan::engine::drainability {

/// Why a node is not considered for scale-down.
struct Ineligible {
    Unremovable reason = Unremovable::none;
    std::string because{};
    std::optional<Time> until{};  ///< when the reason ends, on PassTime::now; absent: not by time
    std::string pod{};            ///< "namespace/name" of a refused eviction; empty: none
};

/// The first reason not to consider a node, in upstream's order. Absent: there is none.
std::optional<Ineligible> find_ineligible(const PassView& view, const health::Health& health,
                                          NodeIndex node);
/// The back-off of the node's machine after a removal: with `moves_pods` one that counts only while
/// the node has pods to move, which find_ineligible leaves out, otherwise any other.
std::optional<Ineligible> find_node_backoff(const PassView& view, NodeIndex node, bool moves_pods);

}  // namespace capstan::engine::drainability
