/// Holding on to replicas that others were asked for.
#pragma once

#include <cstdint>
#include <optional>

#include "balancer.hpp"

namespace capstan::replicas {

/// Until when no target shrinks; nothing: that is over, or never began. Kept in the condition, so
/// that it outlives a restart; another spec ends it.
std::optional<Time> hold_end(const Balancer& balancer, std::int64_t fallback, Duration hold,
                             Time now);

}  // namespace capstan::replicas
