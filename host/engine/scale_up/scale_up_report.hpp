/// The decision that a scale-up came to.
#pragma once

#include "engine/decision.hpp"
#include "engine/scale_up/scale_up.hpp"

namespace capstan::engine::scale_up {

/// For further unschedulable pod groups the reasons of node groups are not listed: explain() has
/// them.
inline constexpr std::size_t max_explained_classes = 1000;

/// After run().
Decision make_decision(ScaleUp& scale_up);
/// What of them a scale-up knows. `decision`: as made of it.
PassFigures figures_of(const ScaleUp& scale_up, const Decision& decision);

}  // namespace capstan::engine::scale_up
