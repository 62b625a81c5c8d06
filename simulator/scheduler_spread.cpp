#include "simulator/scheduler_spread.hpp"

#include "autoscaler/engine_settings.hpp"

namespace capstan::simulator {

std::vector<engine::snapshot::DefaultSpread> scheduler_spread(const Input& input,
                                                              const config::Config& config) {
    if (input.scheduler_spread) return *input.scheduler_spread;
    return autoscaler::make_default_spread(config.scale_up.default_spread);
}

}  // namespace capstan::simulator
