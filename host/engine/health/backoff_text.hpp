/// Why a group is left alone, in words that last as long as its back-off.
#pragma once

#include <string>

#include "engine/memory.hpp"

namespace capstan::engine {

/// "backed off for 5m: i-1: no capacity in zone a", said of the group: how long it is left alone
/// in all. What is left of it changes from pass to pass, see why_backed_off in backoff.hpp.
std::string reason_of(const Backoff& backoff);

}  // namespace capstan::engine
