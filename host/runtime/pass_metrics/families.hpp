/// Families of metrics by upstream's names, which dashboards know.
#pragma once

#include <compare>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/labels.h>
#include <prometheus/registry.h>

#include <capstan/error.hpp>
#include <capstan/time.hpp>

#include "engine/pass/outcome.hpp"
#include "engine/snapshot.hpp"

namespace capstan::runtime::pass_metrics {

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
    /// The values of the labels that tell them apart.
    struct Name {
        std::string first{}, second{};
        auto operator<=>(const Name&) const = default;
    };
    using Values = std::map<Name, double>;

    /// `second`: empty where there is no second label.
    GaugeSeries(Gauges& family, std::string first, std::string second = "")
        : family_(&family), first_(std::move(first)), second_(std::move(second)) {}
    /// From now on there are these and no others.
    void replace(const Values& values);

private:
    prometheus::Labels labels_of(const Name& name) const;

    Gauges* family_;
    std::string first_, second_;
    std::map<Name, prometheus::Gauge*> series_{};
};

// What a failure to grow is called in metrics.

/// Upstream's names: "timeout" for machines that did not join, "apiCallError" where the cloud could
/// not be asked, else "cloudProviderError"; what only we tell apart has a name of its own.
std::string failure_reason(ErrorCode code);
/// The provider's own word, where it has one.
std::string failure_reason(const Error& error);

// One pass as metrics look at it.

/// Borrows all of it.
struct PassObservation {
    const engine::Snapshot& snapshot;
    const engine::Settings& settings;
    const engine::Decision& decision;
    const engine::Results& results;
    const engine::Memory& memory;  ///< after the results, if the host lived to note them
    const engine::PassFigures& figures;
    Time at;  ///< when they were there, on the clock of the pass
};

}  // namespace capstan::runtime::pass_metrics
