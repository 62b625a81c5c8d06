/// Metrics of passes, their decisions and the results, under upstream's and Zalando's names.
#pragma once

#include <array>
#include <memory>

#include <prometheus/registry.h>

#include "autoscaler/pass_metrics/pass_observers.hpp"
#include "autoscaler/pass_report.hpp"

namespace capstan::autoscaler {

/// One object for each registry, which has to outlive it. Durations are by the clock of passes, so
/// that a simulation has them too. [one thread]
class PassMetrics {
public:
    explicit PassMetrics(prometheus::Registry& registry);
    /// Called once for each pass, after its results were remembered.
    void observe(const pass_metrics::PassObservation& pass);
    /// Called for actions that clouds answered after the pass that decided on them. A later pass
    /// remembers these answers; the call comes before `observe` for that pass. Decision and results
    /// of `late` hold these actions alone; its other members are those of that later pass.
    void observe_late(const pass_metrics::PassObservation& late);
    /// As the first `observe`, for a caller that has the health after the pass already.
    void observe(const pass_metrics::PassObservation& pass, const engine::health::Health& health);
    /// Both for one pass: its late results, then itself.
    void observe(const PassReport& pass, const engine::health::Health& health);

private:
    std::array<std::unique_ptr<pass_metrics::PassObserver>, 4> observers_;
};

}  // namespace capstan::autoscaler
