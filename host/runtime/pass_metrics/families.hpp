/// Families of metrics by upstream's names, which dashboards know.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/labels.h>
#include <prometheus/registry.h>

namespace capstan::runtime {

using Counters = prometheus::Family<prometheus::Counter>;
using Gauges = prometheus::Family<prometheus::Gauge>;
using Histograms = prometheus::Family<prometheus::Histogram>;

/// `name` is the whole name. Each registers its family, once per registry.
Counters& counters(prometheus::Registry& registry, std::string_view name, const char* help);
Gauges& gauges(prometheus::Registry& registry, std::string_view name, const char* help);
Histograms& histograms(prometheus::Registry& registry, std::string_view name, const char* help);

/// `count` bounds, each larger than the one before by the same factor.
prometheus::Histogram::BucketBoundaries growing_buckets(double first, double last,
                                                        std::size_t count);

/// Gauges of one family whose series come and go.
class GaugeSeries {
public:
    using Values = std::map<prometheus::Labels, double>;

    explicit GaugeSeries(Gauges& family) : family_(&family) {}
    /// From now on there are these and no others.
    void replace(const Values& values);

private:
    Gauges* family_;
    std::map<prometheus::Labels, prometheus::Gauge*> series_{};
};

}  // namespace capstan::runtime
