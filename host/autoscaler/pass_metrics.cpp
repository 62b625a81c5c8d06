#include "autoscaler/pass_metrics.hpp"

#include "engine/templates/membership.hpp"

namespace capstan::autoscaler {

PassMetrics::PassMetrics(prometheus::Registry& registry)
    : observers_{pass_metrics::make_pass_gauges(registry),
                 pass_metrics::make_choice_metrics(registry),
                 pass_metrics::make_growth_metrics(registry),
                 pass_metrics::make_removal_metrics(registry)} {}

void PassMetrics::observe(const pass_metrics::PassObservation& pass) {
    observe(pass,
            engine::health::assess(pass.snapshot, engine::templates::make_membership(pass.snapshot),
                                   pass.memory, pass.settings, pass.at));
}

void PassMetrics::observe_late(const pass_metrics::PassObservation& late) {
    for (const auto& observer : observers_) observer->observe_late(late);
}

void PassMetrics::observe(const pass_metrics::PassObservation& pass,
                          const engine::health::Health& health) {
    for (const auto& observer : observers_) observer->observe(pass, health);
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
