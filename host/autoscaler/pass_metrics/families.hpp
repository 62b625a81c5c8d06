/// Families of metrics with upstream's names, so that existing dashboards work.
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

namespace capstan::autoscaler::pass_metrics {

using Counters = prometheus::Family<prometheus::Counter>;
using Gauges = prometheus::Family<prometheus::Gauge>;
using Histograms = prometheus::Family<prometheus::Histogram>;

/// Each function registers its family, once per registry. `name` is the full name.
Counters& counters(prometheus::Registry& registry, std::string_view name, const char* help);
Gauges& gauges(prometheus::Registry& registry, std::string_view name, const char* help);
Histograms& histograms(prometheus::Registry& registry, std::string_view name, const char* help);
/// The only series of the family, without labels.
prometheus::Counter& single_counter(prometheus::Registry& registry, std::string_view name,
                                    const char* help);
prometheus::Gauge& single_gauge(prometheus::Registry& registry, std::string_view name,
                                const char* help);

/// The durations of parts of a pass and of removals, a family that several classes share.
Histograms& function_durations(prometheus::Registry& registry);

/// `count` bounds from `first` to `last`, each larger than the one before by the same factor.
prometheus::Histogram::BucketBoundaries growing_buckets(double first, double last,
                                                        std::size_t count);

/// The gauges of one family, of which series appear and disappear.
class GaugeSeries {
public:
    /// The label values of one series.
    struct Name {
        std::string first{}, second{};
        auto operator<=>(const Name&) const = default;
    };
    using Values = std::map<Name, double>;

    /// Registers the family. `second`: empty if there is no second label.
    GaugeSeries(prometheus::Registry& registry, std::string_view name, const char* help,
                std::string first, std::string second = "")
        : family_(&gauges(registry, name, help)),
          first_(std::move(first)),
          second_(std::move(second)) {}
    /// Sets these series and removes all others.
    void replace(const Values& values);

private:
    prometheus::Labels labels_of(const Name& name) const;

    Gauges* family_;
    std::string first_, second_;
    std::map<Name, prometheus::Gauge*> series_{};
};

// The reasons of failed scale-ups in metrics.

/// The label `reason` of failed scale-ups, with upstream's values: "timeout" for machines that did
/// not join, "apiCallError" for a failed call of the cloud's API, otherwise "cloudProviderError".
/// Causes that upstream does not distinguish have values of their own.
std::string failure_reason(ErrorCode code);
/// The provider's code if the error has one, otherwise as for its `code`.
std::string failure_reason(const Error& error);

// One pass as metrics look at it.

/// All that metrics need of one pass. Borrows all members.
struct PassObservation {
    const engine::Snapshot& snapshot;
    const engine::Settings& settings;
    const engine::Decision& decision;
    const engine::Results& results;
    const engine::Memory& memory;  ///< after the results, if the host has recorded them
    const engine::PassFigures& figures;
    Time at;  ///< when the results came, on the clock of the pass
};

}  // namespace capstan::autoscaler::pass_metrics
