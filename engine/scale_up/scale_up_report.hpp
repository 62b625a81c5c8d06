/// Turns the state of a finished scale-up into a decision.
#pragma once

#include "engine/decision.hpp"
#include "engine/scale_up/scale_up.hpp"

namespace capstan::engine::scale_up {

/// Beyond this number of unschedulable pod groups, the reasons of the node groups are not listed;
/// pass/explain.hpp computes them on request.
inline constexpr std::size_t max_explained_pod_groups = 1000;

/// Increases, options, pods with their reasons, and notes. To be called after run().
Decision make_decision(ScaleUp& scale_up);
/// The figures that a scale-up knows. `decision`: its own.
PassFigures figures_of(const ScaleUp& scale_up, const Decision& decision);

}  // namespace capstan::engine::scale_up
