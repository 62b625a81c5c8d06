/// Gives back requests that backed-off groups keep, if these requests use up a limit of the cluster
/// that pending pods need.
///
/// A group that is backed off until a machine joins keeps one machine requested, and that request
/// counts towards the cluster's limits. If nothing but a limit keeps pods pending, the requests are
/// worth less than the nodes they prevent: they are given back, and made again once the limits have
/// room.
///
///     nodes.max is 4; three groups are backed off, each with one machine requested; four pods are
///     pending, and each would need a node of a fourth group
///
///     this pass    the fourth group grows by one; the three requests are given back
///     the next     the fourth group grows by three; the three groups stay backed off
///     later        a node is removed: the group that was backed off first requests a machine again
#pragma once

#include <optional>
#include <vector>

#include "engine/actions.hpp"
#include "engine/memory.hpp"
#include "engine/scale_up/scale_up.hpp"

namespace capstan::engine::scale_up {

struct KeptRequests {
    /// By group. Requests are given back only if a limit alone keeps a pod from new nodes of a
    /// group: those of the oldest back-off first, no more than the new nodes need, and never below
    /// the minimum of a group.
    std::vector<Decrease> given_back{};
    /// In the order of the back-offs, the oldest first: one machine for each group, as far as the
    /// limits have room for which no pod is waiting.
    std::vector<Increase> asked_again{};
    /// When a request that failed may be made again.
    std::optional<Time> wake_at{};
};

/// To be called after the scale-up has run; leaves its placement as it was. `memory`: of this pass.
/// Empty in a pass without a current view of the cluster.
KeptRequests plan_kept_requests(ScaleUp& scale_up, const Memory& memory);

}  // namespace capstan::engine::scale_up
