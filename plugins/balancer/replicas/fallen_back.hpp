/// `fallback_hold`: how long targets keep the replicas that were asked of them in place of others.
#pragma once

#include <cstdint>
#include <optional>

#include "balancer.hpp"

namespace capstan::replicas {

/// The time until which no target shrinks, `hold` after the fallback ended; absent: targets may
/// shrink. The hold begins with the transition time of the condition FallenBack, so it outlives a
/// restart. A change of the spec ends it.
std::optional<Time> hold_end(const Balancer& balancer, std::int64_t fallback, Duration hold,
                             Time now);

}  // namespace capstan::replicas
