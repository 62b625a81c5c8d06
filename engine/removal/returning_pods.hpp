/// Evicted pods that return to the node of their removal, because no other node has room for them.
#pragma once

#include <chrono>
#include <map>

#include "engine/memory.hpp"
#include "engine/pass_view.hpp"

namespace capstan::engine::removal {

/// How long pods stay where they are after a removal that was given up because of them.
inline constexpr Duration drain_rest = std::chrono::hours(2);

/// By pod equivalence group: a number of pods.
using PodNumbers = std::map<PodGroupId, int>;

/// kube-scheduler does not know where a removal means its pods to go. It may put some of them
/// elsewhere, so that others lack room. While the node still has its machine, these pods get no new
/// one: the removal is given up and backed off, and they return to the node. Otherwise a machine
/// would be removed and another one like it ordered, again and again.
///
/// The scheduler would probably do the same again. So the node, and the nodes that took the other
/// evicted pods, are not drained for drain_rest.
///
/// `without_room`: pending pods without room on existing and upcoming nodes. Returns how many of
/// them return.
PodNumbers give_up_for_evicted_pods(const PassView& view, PodNumbers without_room, Memory& memory);

}  // namespace capstan::engine::removal
