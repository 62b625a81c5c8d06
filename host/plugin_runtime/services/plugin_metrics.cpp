#include "plugin_runtime/services/plugin_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <stdexcept>

#include <capstan/view.hpp>

#include "config/metric_names.hpp"
#include "io/printable.hpp"

namespace capstan::plugin_runtime::services {

namespace {

constexpr std::size_t metric_limit = 256;
constexpr std::size_t label_limit = 16;
constexpr std::size_t bucket_limit = 64;
constexpr std::size_t label_name_limit = 128;
constexpr std::size_t help_limit = 512;
constexpr std::size_t value_limit = 256;

bool reaches_buckets(const capstan_metric* metric) {
    return CAPSTAN_REACHES(metric, capstan_metric, buckets);
}

/// "le" is Prometheus' own in histograms, "plugin" ours, and a leading digit or "__" is allowed to
/// none.
bool is_label_name(std::string_view name) {
    return config::is_metric_name(name) && name != "plugin" && name != "le" &&
           !name.starts_with("__") && (name[0] < '0' || name[0] > '9');
}

std::optional<std::vector<std::string>> copy_labels(capstan_array array) {
    const View<capstan_str> names(array);
    if (names.size() > label_limit) return std::nullopt;
    std::vector<std::string> labels;
    for (const capstan_str& name : names)
        labels.emplace_back(text(name).substr(0, label_name_limit + 1));
    const bool unique = std::set<std::string>(labels.begin(), labels.end()).size() == labels.size();
    if (!unique || !std::all_of(labels.begin(), labels.end(), is_label_name)) return std::nullopt;
    return labels;
}

std::optional<std::vector<double>> copy_buckets(std::int32_t type, capstan_array array) {
    const View<double> bounds(array);
    const bool is_histogram = type == CAPSTAN_METRIC_HISTOGRAM;
    if (is_histogram == bounds.empty() || bounds.size() > bucket_limit) return std::nullopt;
    std::vector<double> buckets(bounds.begin(), bounds.end());
    const auto not_ascending = [](double a, double b) { return !(a < b); };
    const bool finite =
        std::all_of(buckets.begin(), buckets.end(), [](double b) { return std::isfinite(b); });
    if (!finite ||
        std::adjacent_find(buckets.begin(), buckets.end(), not_ascending) != buckets.end()) {
        return std::nullopt;
    }
    return buckets;
}

bool is_type(std::int32_t type) {
    return type >= CAPSTAN_METRIC_COUNTER && type <= CAPSTAN_METRIC_HISTOGRAM;
}

bool is_recordable(std::int32_t type, double value) {
    if (type == CAPSTAN_METRIC_COUNTER) return std::isfinite(value) && value >= 0;
    return type == CAPSTAN_METRIC_GAUGE ? !std::isnan(value) : std::isfinite(value);
}

struct Recorder {
    double value;
    void operator()(prometheus::Counter* counter) const { counter->Increment(value); }
    void operator()(prometheus::Gauge* gauge) const { gauge->Set(value); }
    void operator()(prometheus::Histogram* histogram) const { histogram->Observe(value); }
};

}  // namespace

bool PluginMetrics::Declared::is_same(const Declared& other) const {
    return type == other.type && help == other.help && labels == other.labels &&
           buckets == other.buckets;
}

PluginMetrics::PluginMetrics(std::shared_ptr<Metrics> metrics, Options options)
    : metrics_(std::move(metrics)), options_(std::move(options)) {}

PluginMetrics::~PluginMetrics() {
    for (const auto& [key, series] : series_) {
        std::visit(
            [this, &family = declared_[key.first].family](auto* metric) {
                using Family = prometheus::Family<std::remove_pointer_t<decltype(metric)>>;
                metrics_->release(*std::get<Family*>(family), metric);
            },
            series);
    }
    for (const Declared& declared : declared_)
        if (declared.is_whole) metrics_->disclaim(declared.name, options_.plugin.value());
}

/// Type, help, labels and buckets, which must be equal in all declarations of a name.
std::string PluginMetrics::Declared::shape() const {
    std::string out = std::to_string(type) + '\n' + help + '\n';
    for (const std::string& label : labels) out += label + ',';
    for (const double bucket : buckets) out += std::to_string(bucket) + ';';
    return out;
}

std::string PluginMetrics::full_name(const std::string& name, bool is_whole) const {
    return is_whole ? name : "capstan_plugin_" + options_.class_id + "_" + name;
}

capstan_status PluginMetrics::declare(const capstan_metric& metric, std::uint32_t& id,
                                      std::string* why) {
    if (!reaches_buckets(&metric) || !is_type(metric.type) ||
        !config::is_metric_name(text(metric.name))) {
        return CAPSTAN_E_INVALID_ARGUMENT;
    }
    auto labels = copy_labels(metric.label_names);
    auto buckets = copy_buckets(metric.type, metric.buckets);
    if (!labels || !buckets) return CAPSTAN_E_INVALID_ARGUMENT;
    const std::string name(text(metric.name));
    const bool is_whole = std::ranges::count(options_.whole_names, name) > 0;
    Declared declared{metric.type,
                      full_name(name, is_whole),
                      io::printable(text(metric.help), help_limit),
                      std::move(*labels),
                      std::move(*buckets),
                      is_whole,
                      {}};
    std::string sentence;
    const capstan_status status = enter(std::move(declared), id, sentence);
    if (why != nullptr) *why = std::move(sentence);
    return status;
}

capstan_status PluginMetrics::enter(Declared declared, std::uint32_t& id, std::string& why) {
    const std::lock_guard lock(mutex_);
    const auto conflict = [&](const std::string& with) {
        why = "metric " + declared.name + ": not declared: " + with;
        return CAPSTAN_E_CONFLICT;
    };
    const auto same_name = [&](const Declared& d) { return d.name == declared.name; };
    const auto known = std::find_if(declared_.begin(), declared_.end(), same_name);
    if (known != declared_.end()) {
        if (!known->is_same(declared))
            return conflict("the plugin has declared it differently before");
        id = static_cast<std::uint32_t>(known - declared_.begin());
        return CAPSTAN_OK;
    }
    if (declared.is_whole ? config::is_host_metric(declared.name)
                          : metrics_->is_ours(declared.name))
        return conflict("the name belongs to the host");
    if (declared_.size() >= metric_limit) return CAPSTAN_E_BUSY;
    const std::string& plugin = options_.plugin.value();
    if (declared.is_whole) {
        if (const auto other = metrics_->claim(declared.name, plugin, declared.shape()))
            return conflict("plugin " + *other + " has declared it differently");
    }
    if (!register_family(declared)) {
        if (declared.is_whole) metrics_->disclaim(declared.name, plugin);
        return conflict("it exists with another type");
    }
    id = static_cast<std::uint32_t>(declared_.size());
    declared_.push_back(std::move(declared));
    return CAPSTAN_OK;
}

/// False: the name is there, for another type.
bool PluginMetrics::register_family(Declared& declared) {
    const auto in_registry = [&](auto builder) {
        return &builder.Name(declared.name).Help(declared.help).Register(metrics_->registry());
    };
    try {
        switch (declared.type) {
            case CAPSTAN_METRIC_COUNTER:
                declared.family = in_registry(prometheus::BuildCounter());
                break;
            case CAPSTAN_METRIC_GAUGE:
                declared.family = in_registry(prometheus::BuildGauge());
                break;
            default: declared.family = in_registry(prometheus::BuildHistogram()); break;
        }
    } catch (const std::invalid_argument&) {
        return false;
    }
    return true;
}

capstan_status PluginMetrics::record(std::uint32_t id, double value, capstan_array label_values) {
    const View<capstan_str> given(label_values);
    const std::lock_guard lock(mutex_);
    if (id >= declared_.size()) return CAPSTAN_E_NOT_FOUND;
    const Declared& metric = declared_[id];
    if (given.size() != metric.labels.size() || !is_recordable(metric.type, value))
        return CAPSTAN_E_INVALID_ARGUMENT;
    std::vector<std::string> values;
    for (const capstan_str& text_of : given)
        values.push_back(io::printable(text(text_of), value_limit));
    const SeriesKey key(id, std::move(values));
    auto at = series_.find(key);
    if (at == series_.end()) {
        if (series_.size() >= options_.max_series) return CAPSTAN_E_BUSY;
        at = series_.emplace(key, add_series(metric, key.second)).first;
    }
    std::visit(Recorder{value}, at->second);
    return CAPSTAN_OK;
}

PluginMetrics::Series PluginMetrics::add_series(const Declared& metric,
                                                const std::vector<std::string>& values) {
    prometheus::Labels labels{{"plugin", options_.plugin.value()}};
    for (std::size_t i = 0; i < values.size(); ++i) labels.emplace(metric.labels[i], values[i]);
    return std::visit(
        [&](auto* family) -> Series {
            if constexpr (std::is_same_v<decltype(family), Metrics::Histograms*>) {
                return &metrics_->acquire(*family, labels, metric.buckets);
            } else {
                return &metrics_->acquire(*family, labels);
            }
        },
        metric.family);
}

}  // namespace capstan::plugin_runtime::services
