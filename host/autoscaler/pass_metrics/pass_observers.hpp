/// The metrics of passes, by subject.
#pragma once

#include <memory>

#include <prometheus/registry.h>

#include "autoscaler/pass_metrics/families.hpp"
#include "engine/health/health.hpp"

namespace capstan::autoscaler::pass_metrics {

/// The metrics of one subject. Their families live in the registry, which has to outlive it.
class PassObserver {
public:
    virtual ~PassObserver() = default;
    /// `health` is the health after the pass.
    virtual void observe(const PassObservation& pass, const engine::health::Health& health) = 0;
    /// Takes the actions of `late`, which clouds answered after the pass that decided on them.
    virtual void observe_late(const PassObservation& /*late*/) {}
};

/// Gauges of the state that a pass found. The series of a group are removed when the group no
/// longer exists.
std::unique_ptr<PassObserver> make_pass_gauges(prometheus::Registry& registry);
/// Scale-up choices: instance types, skipped groups, groups created and deleted.
std::unique_ptr<PassObserver> make_choice_metrics(prometheus::Registry& registry);
/// Scale-ups: machines requested, failures, machines that never joined.
std::unique_ptr<PassObserver> make_growth_metrics(prometheus::Registry& registry);
/// Node removals, from the changes of memory between two passes.
std::unique_ptr<PassObserver> make_removal_metrics(prometheus::Registry& registry);

}  // namespace capstan::autoscaler::pass_metrics
