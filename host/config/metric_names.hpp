/// Names of metrics: which ones are valid, and which are the host's.
#pragma once

#include <string_view>

#include <capstan/result.hpp>

namespace capstan::config {

/// [a-z0-9_]+, of a length that a dashboard can show.
bool is_metric_name(std::string_view name);

/// Whether a metric of that name would clash with a metric of the host at /metrics, or with a
/// series of one of its histograms, or has a prefix that is reserved for the host.
bool is_host_metric(std::string_view name);

/// Whether `grants.metrics` may have that whole name; the error says why not.
Result<void> check_whole_metric_name(std::string_view name);

}  // namespace capstan::config
