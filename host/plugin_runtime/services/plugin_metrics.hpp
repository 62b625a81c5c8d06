/// Behind capstan.metrics/1: the metrics that one instance declares.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include <capstan/abi/service_metrics.h>

#include "plugin_runtime/services/metrics.hpp"

namespace capstan::plugin_runtime::services {

/// Names become `capstan_plugin_<class>_<name>`, except for names that are granted whole. Every
/// series has the label `plugin`. All series are removed with this object. A declaration or value
/// that is refused does not reach the registry. [any thread]
class PluginMetrics {
public:
    struct Options {
        std::string class_id;
        PluginInstanceId plugin;
        std::size_t max_series = 500;
        std::vector<std::string> whole_names{};  ///< `grants.metrics`
    };
    PluginMetrics(std::shared_ptr<Metrics> metrics, Options options);
    PluginMetrics(const PluginMetrics&) = delete;
    PluginMetrics& operator=(const PluginMetrics&) = delete;
    ~PluginMetrics();

    /// As capstan_metrics says; in addition CAPSTAN_E_BUSY beyond 256 metrics. `why` gets a
    /// sentence for the log after CAPSTAN_E_CONFLICT.
    capstan_status declare(const capstan_metric& metric, std::uint32_t& id,
                           std::string* why = nullptr);
    /// As capstan_metrics says; in addition CAPSTAN_E_INVALID_ARGUMENT for NaN, for infinite values
    /// other than a gauge's, for negative values of a counter, and for a number of label values
    /// that differs from the declaration.
    capstan_status record(std::uint32_t id, double value, capstan_array label_values);

private:
    struct Declared {
        std::int32_t type = 0;
        std::string name, help;
        std::vector<std::string> labels;
        std::vector<double> buckets;
        bool is_whole = false;
        std::variant<Metrics::Counters*, Metrics::Gauges*, Metrics::Histograms*> family;
        bool is_same(const Declared& other) const;
        std::string shape() const;
    };
    using Series = std::variant<prometheus::Counter*, prometheus::Gauge*, prometheus::Histogram*>;
    using SeriesKey = std::pair<std::uint32_t, std::vector<std::string>>;

    std::string full_name(const std::string& name, bool is_whole) const;
    capstan_status enter(Declared declared, std::uint32_t& id, std::string& why);
    bool register_family(Declared& declared);
    Series add_series(const Declared& metric, const std::vector<std::string>& values);

    const std::shared_ptr<Metrics> metrics_;
    const Options options_;
    std::mutex mutex_;
    std::vector<Declared> declared_;
    std::map<SeriesKey, Series> series_;
};

}  // namespace capstan::plugin_runtime::services
