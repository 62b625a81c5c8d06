/// How far each dynamic predicate lets pods of a class onto the nodes of a slot.
#pragma once

#include <cstdint>

#include "engine/scheduling/placement_state.hpp"
#include "engine/scheduling/pod_terms.hpp"
#include "engine/scheduling/predicates/refusal.hpp"

namespace capstan::engine::scheduling {

/// At most so many on one node, and on all nodes of the slot together; zero: not one.
struct PodBound {
    std::int64_t per_node = unbounded;
    std::int64_t in_all = unbounded;
    bool one_node = false;  ///< all of them on the same node, whichever

    bool refuses() const noexcept { return in_all <= 0; }
};
inline constexpr PodBound none_at_all{.per_node = 0, .in_all = 0};

PodBound bound_of(const Placement::State& state, Slot slot, const Forbidden& rule);
PodBound bound_of(const Placement::State& state, Slot slot, const Together& rule);
PodBound bound_of(const Placement::State& state, Slot slot, const SpreadRule& rule);
PodBound bound_of(const Placement::State& state, Slot slot, const AttachRule& rule);
/// Of what the pod group is allowed instead of spreading.
PodBound allowed_bound(const Placement::State& state, PodGroupIndex pod_group, Slot slot);

/// All of them together, what is allowed instead of spreading included.
PodBound bound_of(const Placement::State& state, PodGroupIndex pod_group, Slot slot,
                  const PodRules& rules);

// What is said of the dynamic predicates.

/// The first of NodePorts, VolumeRestrictions and so on that keeps one more pod off the nodes of
/// the slot; none: all pass.
Refusal why_not(const Placement::State& state, PodGroupIndex pod_group, Slot slot,
                const PodRules& rules);

}  // namespace capstan::engine::scheduling
