/// What the configuration says about decisions, as the engine understands it.
#pragma once

#include "engine/settings.hpp"
#include "runtime/config/scaling.hpp"

namespace capstan::runtime {

engine::Settings make_settings(const ScaleUp& scale_up, const ScaleDown& scale_down,
                               const Limits& limits);

}  // namespace capstan::runtime
