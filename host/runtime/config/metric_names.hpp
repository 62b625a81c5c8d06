/// Names of metrics: which ones Prometheus takes, and which are the host's.
#pragma once

#include <string_view>

#include <capstan/result.hpp>

namespace capstan::runtime::config {

/// [a-z0-9_]+, of a length that a dashboard can show.
bool is_metric_name(std::string_view name);

/// Whether a metric of that name would be one of the host's at /metrics, or one of a histogram's
/// series of it.
bool is_host_metric(std::string_view name);

/// Whether the configuration may grant a plugin that whole name, `grants.metrics`; the error says
/// why not.
Result<void> check_whole_metric_name(std::string_view name);

}  // namespace capstan::runtime::config
