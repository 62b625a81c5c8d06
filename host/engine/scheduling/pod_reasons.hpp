/// What is said of the dynamic predicates.
#pragma once

#include "engine/scheduling/placement_state.hpp"
#include "engine/scheduling/pod_rules.hpp"
#include "engine/scheduling/refusal.hpp"

namespace capstan::engine {

/// The first of NodePorts, VolumeRestrictions and so on that keeps one more pod off the nodes of
/// the slot; none: all pass.
Refusal why_not(const Placement::State& state, Subject subject, Slot slot, const PodRules& rules);

}  // namespace capstan::engine
