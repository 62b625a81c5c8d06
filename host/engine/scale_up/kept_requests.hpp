/// Requests that groups keep while they are backed off until a machine joins, and the limits of the
/// cluster, towards which they count.
///
///     nodes.max 4; three groups are backed off, each with one machine asked for; four pods wait
///     that a fourth group would take, a node each
///
///     this pass    the fourth group grows by one; the three requests are given back
///     the next     it grows by three; the three groups stay backed off
///     later        a node goes: of the three, the one backed off first asks for a machine again
#pragma once

#include <optional>
#include <vector>

#include "engine/actions.hpp"
#include "engine/memory.hpp"
#include "engine/scale_up/scale_up.hpp"

namespace capstan::engine::scale_up {

struct KeptRequests {
    /// By group. Only where a limit alone keeps a pod from nodes that a group may add: the oldest
    /// back-off first, no more than those nodes need, never below a minimum.
    std::vector<Decrease> given_back{};
    /// By age of the back-off: one machine each, where the limits have room that no pod waits for.
    std::vector<Increase> asked_again{};
    /// When a request that failed may be made again.
    std::optional<Time> wake_at{};
};

/// After the scale-up has run; leaves its placement as it was. `memory` is brought up to the
/// moment. Nothing in a pass that does not see the cluster.
KeptRequests plan_kept_requests(ScaleUp& scale_up, const Memory& memory);

}  // namespace capstan::engine::scale_up
