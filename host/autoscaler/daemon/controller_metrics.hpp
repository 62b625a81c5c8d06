/// The metrics of controllers, by plugin.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "autoscaler/pass_metrics/families.hpp"
#include "plugin_runtime/instances/controller_client.hpp"
#include "plugin_runtime/services/metrics.hpp"

namespace capstan::autoscaler::daemon {

/// The metrics of one controller. [any thread]
class ControllerMetrics {
public:
    ControllerMetrics(std::shared_ptr<plugin_runtime::services::Metrics> metrics,
                      const std::string& plugin)
        : metrics_(std::move(metrics)), plugin_{{"plugin", plugin}} {}

    void observe(const plugin_runtime::instances::ControllerStatus& status) {
        (status.error ? failed_ : good_).Increment();
        if (status.took) durations_.Observe(std::chrono::duration<double>(*status.took).count());
        if (!status.last) return;
        objects_.Set(status.last->objects);
        problems_.Set(static_cast<double>(status.last->problems.size()));
    }

private:
    prometheus::Counter& reconciles(const char* outcome) {
        prometheus::Labels labels = plugin_;
        labels["outcome"] = outcome;
        return pass_metrics::counters(registry_, "capstan_controller_reconciles_total",
                                      "Finished reconciles of a controller, by outcome.")
            .Add(labels);
    }

    const std::shared_ptr<plugin_runtime::services::Metrics> metrics_;
    const prometheus::Labels plugin_;
    prometheus::Registry& registry_ = metrics_->registry();
    prometheus::Histogram& durations_ =
        pass_metrics::histograms(registry_, "capstan_controller_reconcile_duration_seconds",
                                 "Time of reconciles of a controller.")
            .Add(plugin_,
                 prometheus::Histogram::BucketBoundaries{0.01, 0.1, 0.5, 1, 5, 10, 30, 60});
    prometheus::Gauge& objects_ = pass_metrics::gauges(registry_, "capstan_controller_objects",
                                                       "Objects that a controller manages.")
                                      .Add(plugin_);
    prometheus::Gauge& problems_ =
        pass_metrics::gauges(registry_, "capstan_controller_problems",
                             "Problems that a controller reports about its objects.")
            .Add(plugin_);
    prometheus::Counter& good_ = reconciles("done");
    prometheus::Counter& failed_ = reconciles("failed");
};

}  // namespace capstan::autoscaler::daemon
