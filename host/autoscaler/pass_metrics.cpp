#include "autoscaler/pass_metrics.hpp"

#include "engine/templates/membership.hpp"

namespace capstan::autoscaler {

PassMetrics::PassMetrics(prometheus::Registry& registry)
    : gauges_(registry), choices_(registry), growth_(registry), removals_(registry) {}

void PassMetrics::observe(const pass_metrics::PassObservation& pass) {
    observe(pass,
            engine::health::assess(pass.snapshot, engine::templates::make_membership(pass.snapshot),
                                   pass.memory, pass.settings, pass.at));
}

void PassMetrics::observe_late(const pass_metrics::PassObservation& late) {
    growth_.count_agreed(late);
    removals_.count_machines(late);
}

void PassMetrics::observe(const pass_metrics::PassObservation& pass,
                          const engine::health::Health& health) {
    gauges_.observe(pass, health);
    choices_.observe(pass);
    growth_.observe(pass);
    removals_.observe(pass);
}

void PassMetrics::observe(const PassReport& pass, const engine::health::Health& health) {
    const auto observation = [&pass](const engine::Decision& asked,
                                     const engine::Results& answered) {
        return pass_metrics::PassObservation{.snapshot = pass.input.snapshot,
                                             .settings = pass.input.settings,
                                             .decision = asked,
                                             .results = answered,
                                             .memory = pass.memory,
                                             .figures = pass.result.outcome.figures,
                                             .at = pass.at};
    };
    for (const ActionsUnderWay::Ended& late : pass.ended)
        observe_late(observation(late.decision, late.results));
    observe(observation(pass.decision(), pass.results), health);
}

}  // namespace capstan::autoscaler
