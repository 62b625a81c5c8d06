/// Where a scale-up begins: which pods find room on nodes that are there or on their way.
///
/// Pods that need no new node must not cause one (upstream's FilterOutSchedulable). They are placed
/// in the order in which the scheduler would take them: nominated pods where they are nominated,
/// then pods for which nodes were ordered, on these, then all others.
#pragma once

#include <vector>

#include "engine/pass_context/pass_context.hpp"
#include "engine/scale_up/progress.hpp"
#include "engine/scheduling/placement.hpp"

namespace capstan::engine::scale_up {

/// The cluster as the pass finds it: nominated pods have their place, upcoming nodes are there, and
/// pods that fit on what there is are assigned. Pods that wait for nodes of
/// PassContext::unread_orders count as those that fit, and hold no room.
struct InitialPlacement {
    /// Nothing is placed yet: see place_pending.
    explicit InitialPlacement(const pass_context::PassContext& context);

    /// Places as many of the waiting pods as fit on slots of [from, end); whether it assigned
    /// any.
    bool assign(scheduling::PodGroupIndex pod_group, scheduling::Slot from, scheduling::Slot end);
    /// The same of those whose pods look at others, on slots before `end`.
    bool assign_constrained(scheduling::Slot end);

    const pass_context::PassContext* context;
    scheduling::Placement placement;
    Progress progress;
    std::vector<bool> has_zones{};    ///< by pod group: its pods were given zones
    std::vector<bool> passed_over{};  ///< by slot: nodes that take no pods
    scheduling::Slot first_new = 0;   ///< slots from here on are nodes that the pass adds
};

/// Pending pods on what there is. Borrows `context`.
InitialPlacement place_pending(const pass_context::PassContext& context);

}  // namespace capstan::engine::scale_up
