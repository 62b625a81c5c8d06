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

    PassMetrics passes_;
    pass_metrics::Gauges& last_activity_;
    prometheus::Histogram& intervals_;
    std::optional<Duration> began_{};  ///< the last pass of this term [passes' thread]
    pass_metrics::Histograms& durations_;
    prometheus::Family<prometheus::Summary>& quantiles_;
    std::map<std::string, Timing, std::less<>> timings_{};  ///< by function [passes' thread]
    pass_metrics::Counters& errors_;
    pass_metrics::Counters& requests_;
    pass_metrics::Histograms& request_durations_;
    pass_metrics::Histograms& request_waits_;
    /// By method, host and status. [loop]
    std::map<std::tuple<std::string, std::string, int>, RequestSeries> request_series_{};
    pass_metrics::GaugeSeries cloud_status_, cloud_answers_;
    prometheus::Gauge& groups_under_way_;
    prometheus::Counter& late_actions_;
    prometheus::Counter& skipped_;
    pass_metrics::Gauges& info_;
    prometheus::Gauge &leader_, &memory_unwritten_;
    prometheus::Gauge &config_in_force_, &config_taken_over_;
    prometheus::Histogram& pod_waits_;
    pass_metrics::Counters& events_;
    prometheus::Counter& unreported_;
    prometheus::Counter& cpu_;
    prometheus::Gauge &resident_, &virtual_, &open_files_, &max_files_, &start_, &threads_;
};

}  // namespace capstan::autoscaler::daemon
