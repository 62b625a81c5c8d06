/// How many more pods of a pod group each dynamic predicate lets onto the nodes of a slot.
///
/// Each rule gives an upper bound, and the smallest bound holds. So a slot of many nodes is decided
/// in one step and not pod by pod.
#pragma once

#include <cstdint>

#include "engine/scheduling/placement_state.hpp"
#include "engine/scheduling/pod_terms.hpp"
#include "engine/scheduling/predicates/refusal.hpp"

namespace capstan::engine::scheduling {

/// Upper bounds on further pods; zero: no further pod.
struct PodBound {
    std::int64_t per_node = unbounded;  ///< on one node of the slot
    std::int64_t in_all = unbounded;    ///< on all nodes of the slot together
    bool one_node = false;              ///< all of the pods go to one and the same node, any one

    bool refuses() const noexcept { return in_all <= 0; }
};
inline constexpr PodBound none_at_all{.per_node = 0, .in_all = 0};

PodBound bound_of(const Placement::State& state, Slot slot, const ForbiddenRule& rule);
PodBound bound_of(const Placement::State& state, Slot slot, const AffinityRule& rule);
PodBound bound_of(const Placement::State& state, Slot slot, const SpreadRule& rule);
PodBound bound_of(const Placement::State& state, Slot slot, const AttachRule& rule);
/// The bound by the quota that replaces a spread constraint (Placement::allow).
PodBound allowed_bound(const Placement::State& state, PodGroupIndex pod_group, Slot slot);

/// The bound by all rules of a pod group, its quota included.
PodBound bound_of(const Placement::State& state, PodGroupIndex pod_group, Slot slot,
                  const PodRules& rules);

/// The refusal of the first dynamic predicate (NodePorts, VolumeRestrictions and so on) that keeps
/// one more pod off the nodes of the slot; none: all pass.
Refusal why_not(const Placement::State& state, PodGroupIndex pod_group, Slot slot,
                const PodRules& rules);

}  // namespace capstan::engine::scheduling
