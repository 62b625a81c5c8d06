/// The daemon's metrics other than PassMetrics, under upstream's and Prometheus' names.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/summary.h>

#include "autoscaler/pass_metrics.hpp"
#include "autoscaler/pass_metrics/families.hpp"
#include "autoscaler/pass_report.hpp"
#include "kubernetes/client/access/api_client.hpp"
#include "kubernetes/client/writes/event_recorder.hpp"

namespace capstan::autoscaler::daemon {

/// One object for each registry, which has to outlive it.
class DaemonMetrics {
public:
    explicit DaemonMetrics(prometheus::Registry& registry);

    /// Sets capstan_info. `cluster`: the name in the configuration, maybe empty.
    void introduce(const std::string& version, const std::string& cluster);

    // [passes' thread]
    /// A term began: the time since a pass of an earlier term is not an interval between passes.
    void term_began() { began_.reset(); }
    /// `monotonic`: the same time on the monotonic clock.
    void pass_began(Time now, Duration monotonic);
    /// The pass has succeeded. `health`: after the pass.
    void observe(const PassReport& pass, const engine::health::Health& health);
    void pass_skipped(Time now);
    /// `type` as upstream has it: "apiCallError", "cloudProviderError", "internalError".
    void pass_failed(const std::string& type, Duration took);
    /// The passes' thread has waited for so long.
    void waited(Duration length);
    /// A reload has taken so long, whether it was taken over or refused.
    void reconfigured(Duration length);
    void set_memory_unwritten(bool is_unwritten);

    /// Whether the configuration on the disk is in force, and when the one in force was taken over.
    /// [any thread]
    void set_config(bool is_in_force, Time taken_over);

    /// [loop]
    void set_leader(bool is_leader);
    /// Machines were requested for a pod, `after` this time since it became unschedulable. [loop]
    void ordered_for_pod(Duration after);
    /// Counts since the start. `unreported`: pods that triggered a scale-up and got no Event about
    /// it. [loop]
    void set_events(const kubernetes::client::EventRecorder::Counts& counts,
                    std::uint64_t unreported);
    /// [loop]
    void count_request(const kubernetes::client::ApiAttempt& attempt);

    /// Updates the process metrics. To be called before each exposition. [any thread]
    void look_at_process();

private:
    /// The series of one function.
    struct Timing {
        prometheus::Histogram* durations;
        prometheus::Summary* quantiles;
    };
    /// The series of one kind of requests.
    struct RequestSeries {
        prometheus::Counter* count;
        prometheus::Histogram *latencies, *waits;
    };

    void took_parts(const PassReport& pass);
    void observe_clouds(const PassReport& pass);
    void took(std::string_view function, Duration length);
    Timing& timing_of(std::string_view function);
    RequestSeries& series_of(const kubernetes::client::ApiAttempt& attempt);

    prometheus::Registry& registry_;
    PassMetrics passes_{registry_};
    pass_metrics::Gauges& last_activity_ =
        pass_metrics::gauges(registry_, "cluster_autoscaler_last_activity",
                             "Time of the last activity, in seconds since 1970.");
    prometheus::Histogram& intervals_;
    std::optional<Duration> began_{};  ///< the last pass of this term [passes' thread]
    pass_metrics::Histograms& durations_ = pass_metrics::function_durations(registry_);
    prometheus::Family<prometheus::Summary>& quantiles_ =
        prometheus::BuildSummary()
            .Name("cluster_autoscaler_function_duration_quantile_seconds")
            .Help("Quantiles of cluster_autoscaler_function_duration_seconds over the last hour.")
            .Register(registry_);
    std::map<std::string, Timing, std::less<>> timings_{};  ///< by function [passes' thread]
    pass_metrics::Counters& errors_ = pass_metrics::counters(
        registry_, "cluster_autoscaler_errors_total",
        "Failed passes, and problems of clouds in other passes, by type of error.");
    pass_metrics::Counters& requests_ =
        pass_metrics::counters(registry_, "rest_client_requests_total",
                               "Requests to the API server, by status code, method and host.");
    pass_metrics::Histograms& request_durations_ =
        pass_metrics::histograms(registry_, "rest_client_request_duration_seconds",
                                 "Latency of requests to the API server.");
    pass_metrics::Histograms& request_waits_ = pass_metrics::histograms(
        registry_, "rest_client_rate_limiter_duration_seconds",
        "Time that requests to the API server waited for the client-side rate limit.");
    /// By method, host and status. [loop]
    std::map<std::tuple<std::string, std::string, int>, RequestSeries> request_series_{};
    pass_metrics::GaugeSeries cloud_status_{
        registry_, "capstan_cloud_status",
        "1 for the status of each cloud: answered, failed, unresponsive or backed_off. Only groups "
        "of answered clouds are scaled.",
        "cloud", "status"};
    pass_metrics::GaugeSeries cloud_answers_{
        registry_, "capstan_cloud_last_answer_time_seconds",
        "Time of the last successful refresh of each cloud, in seconds since 1970.", "cloud"};
    prometheus::Gauge& groups_under_way_ =
        pass_metrics::single_gauge(registry_, "capstan_groups_under_way",
                                   "Node groups with an action that is still running although its "
                                   "pass has stopped waiting for it.");
    prometheus::Counter& late_actions_ = pass_metrics::single_counter(
        registry_, "capstan_late_actions_total",
        "Actions that ended after their pass had stopped waiting for them.");
    prometheus::Counter& skipped_ = pass_metrics::single_counter(
        registry_, "capstan_skipped_passes_total",
        "Passes that were skipped because nothing had changed since the last one.");
    pass_metrics::Gauges& info_ = pass_metrics::gauges(
        registry_, "capstan_info", "Always 1. The labels are the version and cluster.name.");
    prometheus::Gauge& leader_ =
        pass_metrics::single_gauge(registry_, "capstan_leader", "1 if this replica is the leader.");
    prometheus::Gauge& memory_unwritten_ =
        pass_metrics::single_gauge(registry_, "capstan_memory_unwritten",
                                   "1 if the leader cannot write its memory; until it can, it "
                                   "orders nothing and begins no removal.");
    prometheus::Gauge& config_in_force_ =
        pass_metrics::single_gauge(registry_, "capstan_config_in_force",
                                   "1 if the configuration file is in force; 0 if it has errors, "
                                   "needs a restart, was not reloaded, or is missing.");
    prometheus::Gauge& config_taken_over_ = pass_metrics::single_gauge(
        registry_, "capstan_config_last_reload_success_timestamp_seconds",
        "Time when the configuration in force was loaded, in seconds since 1970.");
    prometheus::Histogram& pod_waits_;
    pass_metrics::Counters& events_ = pass_metrics::counters(
        registry_, "capstan_events_total",
        "Events by result: recorded, too_soon, over_budget, queue_full, refused, given_up.");
    prometheus::Counter& unreported_ = pass_metrics::single_counter(
        registry_, "capstan_unreported_scale_up_pods_total",
        "Pods that triggered a scale-up but got no TriggeredScaleUp Event.");
    prometheus::Counter& cpu_ = pass_metrics::single_counter(
        registry_, "process_cpu_seconds_total", "User and system CPU time, in seconds.");
    prometheus::Gauge& resident_ = pass_metrics::single_gauge(
        registry_, "process_resident_memory_bytes", "Resident memory size.");
    prometheus::Gauge& virtual_ = pass_metrics::single_gauge(
        registry_, "process_virtual_memory_bytes", "Virtual memory size.");
    prometheus::Gauge& open_files_ = pass_metrics::single_gauge(registry_, "process_open_fds",
                                                                "Number of open file descriptors.");
    prometheus::Gauge& max_files_ = pass_metrics::single_gauge(
        registry_, "process_max_fds", "Maximum number of open file descriptors.");
    prometheus::Gauge& start_ =
        pass_metrics::single_gauge(registry_, "process_start_time_seconds",
                                   "Start time of the process, in seconds since 1970.");
    prometheus::Gauge& threads_ =
        pass_metrics::single_gauge(registry_, "process_threads", "Number of threads.");
};

}  // namespace capstan::autoscaler::daemon
