/// The metrics of controllers, by plugin.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include "plugin_runtime/instances/controller_client.hpp"
#include "plugin_runtime/services/metrics.hpp"

namespace capstan::autoscaler::daemon {

/// The metrics of one controller. [any thread]
class ControllerMetrics {
public:
    ControllerMetrics(std::shared_ptr<plugin_runtime::services::Metrics> metrics,
                      const std::string& plugin)
        : metrics_(std::move(metrics)),
          reconciles_(prometheus::BuildCounter()
                          .Name("capstan_controller_reconciles_total")
                          .Help("Finished reconciles of a controller, by outcome.")
                          .Register(metrics_->registry())),
          durations_(one(
              prometheus::BuildHistogram()
                  .Name("capstan_controller_reconcile_duration_seconds")
                  .Help("Time of reconciles of a controller.")
                  .Register(metrics_->registry()),
              plugin, prometheus::Histogram::BucketBoundaries{0.01, 0.1, 0.5, 1, 5, 10, 30, 60})),
          objects_(one(prometheus::BuildGauge()
                           .Name("capstan_controller_objects")
                           .Help("Objects that a controller manages.")
                           .Register(metrics_->registry()),
                       plugin)),
          problems_(one(prometheus::BuildGauge()
                            .Name("capstan_controller_problems")
                            .Help("Problems that a controller reports about its objects.")
                            .Register(metrics_->registry()),
                        plugin)),
          good_(reconciles_.Add({{"plugin", plugin}, {"outcome", "done"}})),
          failed_(reconciles_.Add({{"plugin", plugin}, {"outcome", "failed"}})) {}

    void observe(const plugin_runtime::instances::ControllerStatus& status) {
        (status.error ? failed_ : good_).Increment();
        if (status.took) durations_.Observe(std::chrono::duration<double>(*status.took).count());
        if (!status.last) return;
        objects_.Set(status.last->objects);
        problems_.Set(static_cast<double>(status.last->problems.size()));
    }

private:
    template <class Metric, class... Arguments>
    static Metric& one(prometheus::Family<Metric>& family, const std::string& plugin,
                       const Arguments&... with) {
        return family.Add({{"plugin", plugin}}, with...);
    }
    const std::shared_ptr<plugin_runtime::services::Metrics> metrics_;
    prometheus::Family<prometheus::Counter>& reconciles_;
    prometheus::Histogram& durations_;
    prometheus::Gauge &objects_, &problems_;
    prometheus::Counter &good_, &failed_;
};

}  // namespace capstan::autoscaler::daemon
