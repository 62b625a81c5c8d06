#include "autoscaler/pass_metrics/families.hpp"

#include <cmath>

namespace capstan::autoscaler::pass_metrics {
namespace {

template <class Builder>
auto& registered(Builder builder, prometheus::Registry& registry, std::string_view name,
                 const char* help) {
    return builder.Name(std::string(name)).Help(help).Register(registry);
}

}  // namespace

Counters& counters(prometheus::Registry& registry, std::string_view name, const char* help) {
    return registered(prometheus::BuildCounter(), registry, name, help);
}
Gauges& gauges(prometheus::Registry& registry, std::string_view name, const char* help) {
    return registered(prometheus::BuildGauge(), registry, name, help);
}
Histograms& histograms(prometheus::Registry& registry, std::string_view name, const char* help) {
    return registered(prometheus::BuildHistogram(), registry, name, help);
}
prometheus::Counter& single_counter(prometheus::Registry& registry, std::string_view name,
                                    const char* help) {
    return counters(registry, name, help).Add({});
}
prometheus::Gauge& single_gauge(prometheus::Registry& registry, std::string_view name,
                                const char* help) {
    return gauges(registry, name, help).Add({});
}

Histograms& function_durations(prometheus::Registry& registry) {
    return histograms(registry, "cluster_autoscaler_function_duration_seconds",
                      "Time taken by parts of a pass and by node removals, by function.");
}

prometheus::Histogram::BucketBoundaries growing_buckets(double first, double last,
                                                        std::size_t count) {
    prometheus::Histogram::BucketBoundaries out;
    for (std::size_t i = 0; i < count; ++i) {
        const double way = static_cast<double>(i) / static_cast<double>(count - 1);
        out.push_back(first * std::pow(last / first, way));
    }
    return out;
}

void GaugeSeries::replace(const Values& values) {
    std::erase_if(series_, [&](const auto& series) {
        if (values.contains(series.first)) return false;
        family_->Remove(series.second);
        return true;
    });
    for (const auto& [name, value] : values) {
        const auto [at, is_new] = series_.try_emplace(name, nullptr);
        if (is_new) at->second = &family_->Add(labels_of(name));
        at->second->Set(value);
    }
}

prometheus::Labels GaugeSeries::labels_of(const Name& name) const {
    prometheus::Labels out{{first_, name.first}};
    if (!second_.empty()) out.emplace(second_, name.second);
    return out;
}

std::string failure_reason(ErrorCode code) {
    switch (code) {
        case ErrorCode::deadline: return "timeout";
        case ErrorCode::unavailable:
        case ErrorCode::throttled:
        case ErrorCode::unauthenticated:
        case ErrorCode::permission:
        case ErrorCode::internal: return "apiCallError";
        case ErrorCode::out_of_capacity:
        case ErrorCode::quota: return std::string(name_of(code));
        default: return "cloudProviderError";
    }
}

std::string failure_reason(const Error& error) {
    return error.provider_code.empty() ? failure_reason(error.code) : error.provider_code;
}

}  // namespace capstan::autoscaler::pass_metrics
