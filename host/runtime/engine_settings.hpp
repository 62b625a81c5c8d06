/// What the configuration says about decisions, as the engine understands it.
#pragma once

#include <vector>

#include "engine/settings.hpp"
#include "runtime/config/scaling.hpp"

namespace capstan::runtime {

engine::Settings make_settings(const ScaleUp& scale_up, const ScaleDown& scale_down,
                               const Limits& limits);

std::vector<engine::DefaultSpread> make_default_spread(const std::vector<DefaultSpread>& from);

}  // namespace capstan::runtime
