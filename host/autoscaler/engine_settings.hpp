/// What the configuration says about decisions, as the engine understands it.
#pragma once

#include <vector>

#include "config/scaling.hpp"
#include "engine/settings.hpp"

namespace capstan::autoscaler {

engine::Settings make_settings(const config::ScaleUp& scale_up, const config::ScaleDown& scale_down,
                               const config::Limits& limits);

std::vector<engine::snapshot::DefaultSpread> make_default_spread(
    const std::vector<config::DefaultSpread>& from);

}  // namespace capstan::autoscaler
