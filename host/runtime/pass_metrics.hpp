/// What passes decide and what becomes of it, as metrics by upstream's and Zalando's names.
#pragma once

#include <prometheus/registry.h>

#include "runtime/pass_metrics/choice_metrics.hpp"
#include "runtime/pass_metrics/families.hpp"
#include "runtime/pass_metrics/growth_metrics.hpp"
#include "runtime/pass_metrics/pass_gauges.hpp"
#include "runtime/pass_metrics/removal_metrics.hpp"

namespace capstan::runtime {

/// One for each registry, which has to outlive it. Durations are by the clock of the passes, so
/// that a simulation has them too. [one thread]
class PassMetrics {
public:
    explicit PassMetrics(prometheus::Registry& registry);
    /// Each pass once, after its results were remembered.
    void observe(const pass_metrics::PassObservation& pass);
    /// Actions that clouds answered after the pass that asked for them: its decision and results
    /// hold those alone, the rest is the pass's that noted them. Before that pass is observed.
    void observe_late(const pass_metrics::PassObservation& late);
    /// The same with the health after the pass.
    void observe(const pass_metrics::PassObservation& pass, const engine::health::Health& health);

private:
    pass_metrics::PassGauges gauges_;
    pass_metrics::ChoiceMetrics choices_;
    pass_metrics::GrowthMetrics growth_;
    pass_metrics::RemovalMetrics removals_;
};

}  // namespace capstan::runtime
