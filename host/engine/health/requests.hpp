/// What groups were asked for, and what became of it.
#pragma once

#include "engine/actions.hpp"
#include "engine/decision.hpp"
#include "engine/memory.hpp"
#include "engine/settings.hpp"

namespace capstan::engine {

/// Increases that were taken become requests, those that were refused back-offs. Also looks at
/// decreases and at removals of machines that have no node.
Memory remember_sizes(Memory memory, const Decision& decision, const Results& results,
                      const Settings& settings, Time now);

}  // namespace capstan::engine
