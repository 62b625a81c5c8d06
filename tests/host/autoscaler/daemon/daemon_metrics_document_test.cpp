// METRICS.md has exactly one row for each metric that the code registers.
#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <memory>
#include <string>

#include "autoscaler/daemon/controller_metrics.hpp"
#include "autoscaler/daemon/populated_metrics.hpp"
#include "autoscaler/daemon/stuck_calls.hpp"
#include "plugin_runtime/services/metrics.hpp"

namespace capstan::autoscaler::daemon {
namespace {

/// Rows of METRICS.md by name, for example "| `a_total` | counter | `plugin` | Help. |".
using Rows = std::map<std::string, std::string>;

std::string type_name(prometheus::MetricType type) {
    switch (type) {
        case prometheus::MetricType::Counter: return "counter";
        case prometheus::MetricType::Gauge: return "gauge";
        case prometheus::MetricType::Histogram: return "histogram";
        case prometheus::MetricType::Summary: return "summary";
        default: return "untyped";
    }
}

std::string row_of(const prometheus::MetricFamily& family) {
    std::string labels;
    for (const auto& label : family.metric.front().label)
        labels += (labels.empty() ? "`" : ", `") + label.name + "`";
    return "| `" + family.name + "` | " + type_name(family.type) + " | " +
           (labels.empty() ? "" : labels + " ") + "| " + family.help + " |";
}

void add_rows(Rows& out, const prometheus::Registry& registry) {
    for (const prometheus::MetricFamily& family : registry.Collect()) {
        const std::string row = row_of(family);
        const auto [at, is_new] = out.emplace(family.name, row);
        EXPECT_EQ(at->second, row) << family.name << " is registered twice";
    }
}

/// Adds a series to each family, because a registry lists only families that have one.
void count_in_each_family(PopulatedMetrics& counted) {
    counted.metrics.introduce("1.0", "prod");
    counted.metrics.count_request({.method = "GET", .host = "api", .status = 200});
    counted.metrics.set_events({.recorded = 1}, 0);
    PassReport pass = counted.report();
    pass.clouds = {{.cloud = PluginInstanceId("aws"), .answered = populated_at}};
    pass.result.outcome.decision.evictions = {{.ns = "shop", .pod = "p"}};
    pass.result.outcome.figures.held_back["scale_down.delay_after_add"] = {.nodes = 1};
    pass.results.evictions = {Error{ErrorCode::throttled, "a budget"}};
    counted.observe(pass);
}

void count_in_each_family(plugin_runtime::services::InstanceMetrics& plugin) {
    using plugin_runtime::loop::Hook;
    plugin.hook_took(Hook::filter, 0.1);
    plugin.call_took(Hook::refresh, 0.1, "ok");
    plugin.hook_overran(Hook::filter);
    plugin.hook_failed(Hook::filter, ErrorCode::internal);
    plugin.set_hook_skipped(Hook::filter, true);
    plugin.http_request("api.example.com", "200", 1s);
    plugin.pass_requested();
}

Rows registered() {
    Rows out;
    PopulatedMetrics counted;
    count_in_each_family(counted);
    add_rows(out, counted.registry);

    const auto metrics = std::make_shared<plugin_runtime::services::Metrics>();
    plugin_runtime::services::InstanceMetrics plugin(metrics, PluginInstanceId("aws"));
    count_in_each_family(plugin);
    metrics->running.Add({{"plugin", "aws"}});
    const ControllerMetrics controller(metrics, "balancer");
    boost::asio::io_context io;
    io::ManualLoop loop(io, std::make_shared<io::ManualClock>());
    StuckCalls stuck(loop, metrics->registry(), {});
    stuck.look({{"aws", "capstan.cloud/1", plugin_runtime::loop::Hook::refresh, 7s}});
    add_rows(out, metrics->registry());
    return out;
}

Rows documented() {
    Rows out;
    std::ifstream file("host/autoscaler/daemon/METRICS.md");
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with("| `") || line.find(" | ") == std::string::npos) continue;
        const std::string name = line.substr(3, line.find('`', 3) - 3);
        if (name.find("capstan_") == 0 || name.find("cluster_autoscaler_") == 0 ||
            name.find("process_") == 0 || name.find("rest_client_") == 0)
            EXPECT_TRUE(out.emplace(name, line).second) << name << " has two rows";
    }
    return out;
}

TEST(MetricsDocument, ListsEachMetricWithTypeLabelsAndHelp) {
    const Rows rows = documented();
    for (const auto& [name, row] : registered()) {
        const auto at = rows.find(name);
        EXPECT_EQ(at == rows.end() ? "no row" : at->second, row);
    }
}

TEST(MetricsDocument, ListsNoOtherMetrics) {
    const Rows known = registered();
    for (const auto& [name, row] : documented()) EXPECT_TRUE(known.contains(name)) << name;
}

}  // namespace
}  // namespace capstan::autoscaler::daemon
