/// Metrics of scale-up choices: instance types, skipped groups, groups created and deleted.
#pragma once

#include <prometheus/registry.h>

#include "autoscaler/pass_metrics/families.hpp"

namespace capstan::autoscaler::pass_metrics {

class ChoiceMetrics {
public:
    explicit ChoiceMetrics(prometheus::Registry& registry);
    void observe(const PassObservation& pass);

private:
    void count_kinds(const PassObservation& pass);
    void count_limits(const PassObservation& pass);
    void count_groups(const PassObservation& pass);

    Histograms& kinds_;
    Counters& skipped_;
    prometheus::Counter& created_;
    prometheus::Counter& deleted_;
};

}  // namespace capstan::autoscaler::pass_metrics
