#include "plugin_runtime/services/metrics.hpp"

#include <algorithm>
#include <chrono>

#include <prometheus/text_serializer.h>

namespace capstan::plugin_runtime::services {

namespace {

constexpr std::string_view name_prefix = "capstan_plugin_";

/// From a microsecond, which a comparison of two templates takes, to a deadline of some seconds.
const prometheus::Histogram::BucketBoundaries hook_buckets{1e-6, 1e-5, 1e-4, 1e-3, 1e-2,
                                                           0.05, 0.25, 1,    5};

/// From an answer of the same machine to one that takes half a minute.
const prometheus::Histogram::BucketBoundaries http_buckets{0.005, 0.025, 0.1, 0.25, 0.5,
                                                           1,     2.5,   5,   10,   30};

/// A server may answer any status: beyond so many series the status is "other".
constexpr std::size_t http_series_max = 100;

/// From an answer out of a cache to the deadline of a refresh.
const prometheus::Histogram::BucketBoundaries call_buckets{0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1,
                                                           2.5,   5,    10,   30,  60,   120};

/// A family whose name begins with the prefix.
template <class Builder>
auto& plugin_family(Builder builder, prometheus::Registry& registry, std::string_view name,
                    const char* help) {
    return builder.Name(std::string(name_prefix).append(name)).Help(help).Register(registry);
}

/// The series at `place`, acquired when first needed.
template <class Metric, class... Arguments>
Metric& once(Metrics& metrics, std::atomic<Metric*>& place, prometheus::Family<Metric>& family,
             const prometheus::Labels& labels, const Arguments&... with) {
    Metric* found = place.load(std::memory_order_acquire);
    if (found != nullptr) return *found;
    Metric& made = metrics.acquire(family, labels, with...);
    if (!place.compare_exchange_strong(found, &made))
        metrics.release(family, &made);  // another thread was faster
    return made;
}

template <class Metric, class Places>
void release_all(Metrics& metrics, prometheus::Family<Metric>& family, Places& places) {
    for (auto& place : places) {
        if (place.load() != nullptr) metrics.release(family, place.load());
    }
}

}  // namespace

Metrics::Metrics()
    : hook_durations(
          plugin_family(prometheus::BuildHistogram(), registry_, "hook_duration_seconds",
                        "Time of decision hooks, without the host's own work during the call.")),
      call_durations(
          plugin_family(prometheus::BuildHistogram(), registry_, "call_duration_seconds",
                        "Time of asynchronous calls, by hook and result (ok or an error code).")),
      hook_overruns(plugin_family(prometheus::BuildCounter(), registry_, "hook_overruns_total",
                                  "Decision hooks that were abandoned at their deadline.")),
      errors(
          plugin_family(prometheus::BuildCounter(), registry_, "errors_total",
                        "Failed calls, by hook and error code. internal is a bug of the plugin.")),
      late_completions(plugin_family(prometheus::BuildCounter(), registry_,
                                     "late_completions_total",
                                     "Completions of operations that had already ended.")),
      overdue_operations(plugin_family(prometheus::BuildCounter(), registry_,
                                       "overdue_operations_total",
                                       "Operations that the plugin did not complete in time.")),
      strand_overruns(plugin_family(prometheus::BuildCounter(), registry_, "strand_overruns_total",
                                    "Calls that blocked the plugin's thread for more than 50 ms.")),
      http_durations(plugin_family(prometheus::BuildHistogram(), registry_,
                                   "http_request_duration_seconds",
                                   "Time of HTTP requests, by granted host and status, without "
                                   "waiting for other requests of the plugin.")),
      dropped_values(plugin_family(prometheus::BuildCounter(), registry_, "dropped_values_total",
                                   "Values dropped because the plugin has too many series.")),
      pass_requests(plugin_family(prometheus::BuildCounter(), registry_, "pass_requests_total",
                                  "Passes requested by the plugin.")),
      skipped_hooks(plugin_family(prometheus::BuildGauge(), registry_, "skipped_hooks",
                                  "1 if passes skip the hook: a call that timed out has not "
                                  "returned, or the hook is backed off.")),
      running(plugin_family(
          prometheus::BuildGauge(), registry_, "running",
          "1 if the plugin is running; 0 if it has not started or its start failed.")),
      retained_libraries(
          plugin_family(prometheus::BuildGauge(), registry_, "retained_libraries",
                        "Plugin files that stay loaded because they cannot be unloaded safely.")
              .Add({})) {}

bool Metrics::is_ours(std::string_view name) const {
    const auto names = [&](const auto&... families) {
        return ((families.GetName() == name) || ...);
    };
    return name == "capstan_plugin_retained_libraries" ||
           names(hook_durations, call_durations, hook_overruns, errors, late_completions,
                 overdue_operations, strand_overruns, http_durations, dropped_values, pass_requests,
                 skipped_hooks, running);
}

std::optional<std::string> Metrics::claim(const std::string& name, const std::string& plugin,
                                          const std::string& shape) {
    const std::lock_guard lock(mutex_);
    WholeName& whole = whole_names_.try_emplace(name, WholeName{shape, {}}).first->second;
    if (whole.shape != shape) return *whole.plugins.begin();
    whole.plugins.insert(plugin);
    return std::nullopt;
}

void Metrics::disclaim(const std::string& name, const std::string& plugin) {
    const std::lock_guard lock(mutex_);
    const auto at = whole_names_.find(name);
    at->second.plugins.erase(at->second.plugins.find(plugin));
    if (at->second.plugins.empty()) whole_names_.erase(at);
}

std::string exposition(const prometheus::Registry& registry) {
    std::vector<prometheus::MetricFamily> families = registry.Collect();
    std::ranges::sort(families, {}, &prometheus::MetricFamily::name);
    for (prometheus::MetricFamily& family : families) {
        std::ranges::sort(family.metric,
                          [](const auto& a, const auto& b) { return a.label < b.label; });
    }
    return prometheus::TextSerializer().Serialize(families);
}

InstanceMetrics::InstanceMetrics(std::shared_ptr<Metrics> metrics, const PluginInstanceId& id)
    : metrics_(std::move(metrics)),
      id_(id.value()),
      late_completions_(metrics_->acquire(metrics_->late_completions, {{"plugin", id_}})),
      overdue_operations_(metrics_->acquire(metrics_->overdue_operations, {{"plugin", id_}})),
      strand_overruns_(metrics_->acquire(metrics_->strand_overruns, {{"plugin", id_}})),
      dropped_values_(metrics_->acquire(metrics_->dropped_values, {{"plugin", id_}})) {}

InstanceMetrics::~InstanceMetrics() {
    metrics_->release(metrics_->late_completions, &late_completions_);
    metrics_->release(metrics_->overdue_operations, &overdue_operations_);
    metrics_->release(metrics_->strand_overruns, &strand_overruns_);
    metrics_->release(metrics_->dropped_values, &dropped_values_);
    if (pass_requests_.load() != nullptr)
        metrics_->release(metrics_->pass_requests, pass_requests_.load());
    release_all(*metrics_, metrics_->hook_durations, durations_);
    for (const auto& [key, series] : calls_) metrics_->release(metrics_->call_durations, series);
    release_all(*metrics_, metrics_->hook_overruns, overruns_);
    release_all(*metrics_, metrics_->skipped_hooks, skipped_);
    release_all(*metrics_, metrics_->errors, errors_);
    for (const auto& [labels, series] : http_) metrics_->release(metrics_->http_durations, series);
}

void InstanceMetrics::hook_took(loop::Hook hook, double seconds) {
    once(*metrics_, durations_[loop::index_of(hook)], metrics_->hook_durations,
         {{"plugin", id_}, {"hook", std::string(loop::name_of(hook))}}, hook_buckets)
        .Observe(seconds);
}

void InstanceMetrics::call_took(loop::Hook hook, double seconds, std::string_view result) {
    const std::lock_guard lock(calls_mutex_);
    const auto [at, is_new] = calls_.try_emplace({hook, std::string(result)}, nullptr);
    if (is_new)
        at->second = &metrics_->acquire(metrics_->call_durations,
                                        {{"plugin", id_},
                                         {"hook", std::string(loop::name_of(hook))},
                                         {"result", at->first.second}},
                                        call_buckets);
    at->second->Observe(seconds);
}

void InstanceMetrics::hook_overran(loop::Hook hook) {
    once(*metrics_, overruns_[loop::index_of(hook)], metrics_->hook_overruns,
         {{"plugin", id_}, {"hook", std::string(loop::name_of(hook))}})
        .Increment();
}

void InstanceMetrics::http_request(const std::string& host, const std::string& status,
                                   Duration took) {
    const std::lock_guard lock(http_mutex_);
    std::pair<std::string, std::string> labels(host, status);
    if (http_.size() >= http_series_max && !http_.contains(labels)) labels.second = "other";
    prometheus::Histogram*& series = http_[labels];
    if (series == nullptr) {
        series = &metrics_->acquire(
            metrics_->http_durations,
            {{"plugin", id_}, {"host", labels.first}, {"status", labels.second}}, http_buckets);
    }
    series->Observe(std::chrono::duration<double>(took).count());
}

void InstanceMetrics::pass_requested() {
    once(*metrics_, pass_requests_, metrics_->pass_requests, {{"plugin", id_}}).Increment();
}

void InstanceMetrics::set_hook_skipped(loop::Hook hook, bool is_skipped) {
    std::atomic<prometheus::Gauge*>& place = skipped_[loop::index_of(hook)];
    if (!is_skipped && place.load() == nullptr) return;
    once(*metrics_, place, metrics_->skipped_hooks,
         {{"plugin", id_}, {"hook", std::string(loop::name_of(hook))}})
        .Set(is_skipped ? 1 : 0);
}

void InstanceMetrics::hook_failed(loop::Hook hook, ErrorCode code) {
    once(*metrics_, errors_[loop::index_of(hook) * code_count + static_cast<std::size_t>(code)],
         metrics_->errors,
         {{"plugin", id_},
          {"hook", std::string(loop::name_of(hook))},
          {"code", std::string(capstan::name_of(code))}})
        .Increment();
}

}  // namespace capstan::plugin_runtime::services
