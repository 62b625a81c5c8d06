/// How long removals rest after something has happened.
#pragma once

#include <optional>
#include <string>

#include "engine/memory.hpp"
#include "engine/settings.hpp"

namespace capstan::engine {

struct Cooldown {
    Time until{};         ///< the first moment at which it is over
    std::string because;  ///< "machines were asked for 3m ago, and delay_after_add is 10m"
};

/// The one that ends last; nothing: nothing rests at `now`.
///     machines asked for at 0:00, delay_after_add 10m  ->  rests until 0:10, and at 0:10 no more
std::optional<Cooldown> find_cooldown(const LastActions& last, const ScaleDownSettings& settings,
                                      Time now);

}  // namespace capstan::engine
