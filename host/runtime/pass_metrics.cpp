#include "runtime/pass_metrics.hpp"

namespace capstan::runtime {

PassMetrics::PassMetrics(prometheus::Registry& registry)
    : gauges_(registry), choices_(registry), growth_(registry), removals_(registry) {}

void PassMetrics::observe(const PassObservation& pass) {
    gauges_.observe(pass);
    choices_.observe(pass);
    growth_.observe(pass);
    removals_.observe(pass);
}

}  // namespace capstan::runtime
