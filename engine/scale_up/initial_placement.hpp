/// The placement with which a scale-up begins: pending pods on existing and upcoming nodes.
///
/// Pods that need no new node must not cause one (upstream's FilterOutSchedulable). The order is:
/// nominated pods on the nodes to which they are nominated, pods that removals move on the nodes
/// that their plans reserve, other pods on existing nodes, pods on the upcoming nodes that were
/// ordered for them, then all others on upcoming nodes.
#pragma once

#include <vector>

#include "engine/pass_context/pass_context.hpp"
#include "engine/scale_up/progress.hpp"
#include "engine/scheduling/placement.hpp"

namespace capstan::engine::scale_up {

/// The existing and upcoming nodes with the pending pods that fit on them. Pods that wait for nodes
/// of PassContext::unread_groups_with_requests count as pods that fit, but take up no room.
struct InitialPlacement {
    /// Has no pending pods yet: place_pending adds them.
    explicit InitialPlacement(const pass_context::PassContext& context);

    /// Places as many pending pods of the pod group as fit on slots of [from, end). Whether it
    /// placed any.
    bool assign(PodGroupIndex pod_group, scheduling::Slot from, scheduling::Slot end);
    /// The same for all pod groups with inter-pod constraints, on slots before `end`.
    bool assign_constrained(scheduling::Slot end);

    const pass_context::PassContext* context;
    scheduling::Placement placement;
    Progress progress;
    std::vector<bool> has_zones{};    ///< by pod group: its pods were assigned zones
    std::vector<bool> passed_over{};  ///< by slot: nodes that take no pods
    scheduling::Slot first_new = 0;   ///< slots from here on are nodes that the pass adds
};

/// Places the pending pods on existing and upcoming nodes. Borrows `context`.
InitialPlacement place_pending(const pass_context::PassContext& context);

}  // namespace capstan::engine::scale_up
