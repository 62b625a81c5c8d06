/// What the simplified scheduler prefers.
#pragma once

namespace capstan::engine::scheduling {

/// Which of the nodes that have room the scheduler prefers.
enum class SchedulerScore {
    least_allocated,  ///< the one with the largest share of free resources, as kube-scheduler
    most_allocated,   ///< the one with the smallest share, as with bin packing
    random,           ///< by a hash
};

}  // namespace capstan::engine::scheduling
