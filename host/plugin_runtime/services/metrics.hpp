/// The host's metrics about its plugins, and the registry, which also has the metrics that plugins
/// declare.
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <capstan/error.hpp>
#include <capstan/ids.hpp>
#include <capstan/time.hpp>

#include "plugin_runtime/loop/breadcrumbs.hpp"

namespace capstan::plugin_runtime::services {

/// Prometheus' text format. Families are sorted by name and series by labels, so that equal metrics
/// give equal text. [any thread]
std::string exposition(const prometheus::Registry& registry);

/// All metrics of the host about plugins. Every one but the last has the label `plugin`, an
/// instance's id. [any thread]
class Metrics {
    prometheus::Registry registry_;  // first: the families below live in it

public:
    Metrics();

    using Counters = prometheus::Family<prometheus::Counter>;
    using Gauges = prometheus::Family<prometheus::Gauge>;
    using Histograms = prometheus::Family<prometheus::Histogram>;

    Histograms& hook_durations;  ///< capstan_plugin_hook_duration_seconds{hook}: decision hooks
    Histograms& call_durations;  ///< capstan_plugin_call_duration_seconds{hook,result}:
                                 ///< asynchronous calls
    /// capstan_plugin_hook_overruns_total{hook}: abandoned at their deadline
    Counters& hook_overruns;
    Counters& errors;              ///< capstan_plugin_errors_total{hook,code}
    Counters& late_completions;    ///< capstan_plugin_late_completions_total
    Counters& overdue_operations;  ///< capstan_plugin_overdue_operations_total
    Counters& strand_overruns;     ///< capstan_plugin_strand_overruns_total: calls that kept the
                                   ///< strand above 50 ms
    /// capstan_plugin_http_request_duration_seconds{host,status}: without the time in the queue
    Histograms& http_durations;
    Counters& dropped_values;  ///< capstan_plugin_dropped_values_total: too many series
    Counters& pass_requests;   ///< capstan_plugin_pass_requests_total
    Gauges& skipped_hooks;     ///< capstan_plugin_skipped_hooks{hook}: 1 or 0
    Gauges& running;           ///< capstan_plugin_running: 1 or 0, in a daemon; 0: it has not
                               ///< started, or its start failed
    /// capstan_plugin_retained_libraries: files that cannot be unloaded
    prometheus::Gauge& retained_libraries;

    prometheus::Registry& registry() noexcept { return registry_; }
    /// Whether a full name is one of the above, which a plugin must not declare.
    bool is_ours(std::string_view name) const;
    /// Prometheus' text format.
    std::string text() const { return exposition(registry_); }

    /// The series with these labels. During a reload two generations of one instance share a
    /// series, so its uses are counted: it is removed once `release` has been called as often as
    /// `acquire`.
    template <class Metric, class... Arguments>
    Metric& acquire(prometheus::Family<Metric>& family, const prometheus::Labels& labels,
                    const Arguments&... with) {
        const std::lock_guard lock(mutex_);
        Metric& series = family.Add(labels, with...);
        ++uses_[&series];
        return series;
    }
    template <class Metric>
    void release(prometheus::Family<Metric>& family, Metric* series) {
        const std::lock_guard lock(mutex_);
        if (--uses_[series] > 0) return;
        uses_.erase(series);
        family.Remove(series);
    }

    /// Claims a whole name (`grants.metrics`) with that type, help and labels for the plugin.
    /// Absent: it is claimed. Otherwise the result is a plugin that has claimed the name with
    /// another shape.
    std::optional<std::string> claim(const std::string& name, const std::string& plugin,
                                     const std::string& shape);
    /// To be called as often as `claim` has succeeded.
    void disclaim(const std::string& name, const std::string& plugin);

private:
    struct WholeName {
        std::string shape;
        std::multiset<std::string> plugins;
    };
    std::mutex mutex_;
    std::map<const void*, int> uses_;
    std::map<std::string, WholeName> whole_names_;
};

/// The series of one instance, which are removed with it. [any thread]
class InstanceMetrics {
public:
    InstanceMetrics(std::shared_ptr<Metrics> metrics, const PluginInstanceId& id);
    InstanceMetrics(const InstanceMetrics&) = delete;
    InstanceMetrics& operator=(const InstanceMetrics&) = delete;
    ~InstanceMetrics();

    void hook_took(loop::Hook hook, double seconds);
    /// An asynchronous call is over. `result` is "ok" or the name of the error's code.
    void call_took(loop::Hook hook, double seconds, std::string_view result);
    void hook_overran(loop::Hook hook);
    void hook_failed(loop::Hook hook, ErrorCode code);
    void late_completion() { late_completions_.Increment(); }
    void overdue_operation() { overdue_operations_.Increment(); }
    void strand_overrun() { strand_overruns_.Increment(); }
    void dropped_value() { dropped_values_.Increment(); }
    /// `host`: the grant that allows it; `status`: an HTTP status code, or "error".
    void http_request(const std::string& host, const std::string& status, Duration took);
    void pass_requested();
    /// A hook has a series from its first skip on.
    void set_hook_skipped(loop::Hook hook, bool is_skipped);

private:
    const std::shared_ptr<Metrics> metrics_;
    const std::string id_;
    prometheus::Counter& late_completions_;
    prometheus::Counter& overdue_operations_;
    prometheus::Counter& strand_overruns_;
    prometheus::Counter& dropped_values_;
    std::array<std::atomic<prometheus::Histogram*>, loop::hook_count> durations_{};
    std::mutex calls_mutex_;
    std::map<std::pair<loop::Hook, std::string>, prometheus::Histogram*> calls_;
    std::array<std::atomic<prometheus::Counter*>, loop::hook_count> overruns_{};
    std::array<std::atomic<prometheus::Gauge*>, loop::hook_count> skipped_{};
    std::atomic<prometheus::Counter*> pass_requests_{};
    static constexpr std::size_t code_count = 16;
    std::array<std::atomic<prometheus::Counter*>, loop::hook_count * code_count> errors_{};
    std::mutex http_mutex_;
    std::map<std::pair<std::string, std::string>, prometheus::Histogram*> http_;
};

}  // namespace capstan::plugin_runtime::services
