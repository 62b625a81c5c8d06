#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <capstan/view.hpp>

#include "config/metric_names.hpp"
#include "plugin_runtime/services/plugin_metrics.hpp"

namespace capstan::plugin_runtime::services {
namespace {

using testing::HasSubstr;
using testing::Not;

struct PluginMetricsTest : testing::Test {
    std::shared_ptr<Metrics> metrics = std::make_shared<Metrics>();
    std::unique_ptr<PluginMetrics> plugin = make("acme", "score");

    std::unique_ptr<PluginMetrics> make(const char* id, const char* class_id,
                                        std::vector<std::string> whole_names = {}) {
        return std::make_unique<PluginMetrics>(
            metrics, PluginMetrics::Options{.class_id = class_id,
                                            .plugin = PluginInstanceId(id),
                                            .max_series = 3,
                                            .whole_names = std::move(whole_names)});
    }
    static capstan_status declare(PluginMetrics& plugin_metrics, std::int32_t type,
                                  const char* name, std::vector<capstan_str> labels = {},
                                  std::vector<double> buckets = {}) {
        std::uint32_t id = 0;
        const capstan_metric metric{
            sizeof metric, type, str(name), str("Help."), array_of(labels), array_of(buckets)};
        return plugin_metrics.declare(metric, id);
    }
    static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    static constexpr double infinite = std::numeric_limits<double>::infinity();
};

TEST_F(PluginMetricsTest, AreRemovedWithTheirInstance) {
    declare(*plugin, CAPSTAN_METRIC_GAUGE, "queue");
    plugin->record(0, 7, {});
    EXPECT_THAT(metrics->text(), HasSubstr("capstan_plugin_score_queue{plugin=\"acme\"} 7"));
    plugin = nullptr;
    EXPECT_THAT(metrics->text(), Not(HasSubstr("score_queue{")));
}

TEST_F(PluginMetricsTest, AreSharedByTwoGenerationsOfAnInstance) {
    const auto next = make("acme", "score");
    for (PluginMetrics* const each : {plugin.get(), next.get()}) {
        declare(*each, CAPSTAN_METRIC_COUNTER, "calls_total");
        each->record(0, 1, {});
    }
    plugin = nullptr;
    EXPECT_EQ(next->record(0, 1, {}), CAPSTAN_OK);
    EXPECT_THAT(metrics->text(), HasSubstr("capstan_plugin_score_calls_total{plugin=\"acme\"} 3"));
}

TEST_F(PluginMetricsTest, MayBeDeclaredAgainOnlyUnchanged) {
    EXPECT_EQ(declare(*plugin, CAPSTAN_METRIC_COUNTER, "calls_total"), CAPSTAN_OK);
    EXPECT_EQ(declare(*plugin, CAPSTAN_METRIC_COUNTER, "calls_total"), CAPSTAN_OK);
    EXPECT_EQ(declare(*plugin, CAPSTAN_METRIC_GAUGE, "calls_total"), CAPSTAN_E_CONFLICT);
    EXPECT_EQ(declare(*plugin, CAPSTAN_METRIC_COUNTER, "calls_total", {str("zone")}),
              CAPSTAN_E_CONFLICT);
}

TEST_F(PluginMetricsTest, RefuseANameThatAnotherInstanceDeclaredDifferently) {
    const auto other = make("other", "score");
    EXPECT_EQ(declare(*plugin, CAPSTAN_METRIC_COUNTER, "calls_total"), CAPSTAN_OK);
    EXPECT_EQ(declare(*other, CAPSTAN_METRIC_GAUGE, "calls_total"), CAPSTAN_E_CONFLICT);
    const auto sly = make("sly", "hook");
    EXPECT_EQ(declare(*sly, CAPSTAN_METRIC_COUNTER, "overruns_total"), CAPSTAN_E_CONFLICT)
        << "a metric of the host";
}

constexpr const char* upstream_name = "cluster_autoscaler_aws_request_duration_seconds";

TEST_F(PluginMetricsTest, HaveWholeNamesIfGranted) {
    const auto aws = make("main", "aws", {upstream_name});
    EXPECT_EQ(declare(*aws, CAPSTAN_METRIC_HISTOGRAM, upstream_name, {}, {1}), CAPSTAN_OK);
    EXPECT_EQ(declare(*aws, CAPSTAN_METRIC_GAUGE, "queue"), CAPSTAN_OK);
    aws->record(0, 0.5, {});
    aws->record(1, 7, {});
    EXPECT_THAT(metrics->text(),
                HasSubstr(std::string("\n") + upstream_name + "_count{plugin=\"main\"} 1"));
    EXPECT_THAT(metrics->text(), HasSubstr("\ncapstan_plugin_aws_queue{plugin=\"main\"} 7"));
}

TEST_F(PluginMetricsTest, OfTwoInstancesHaveOneDeclarationOfAWholeName) {
    auto first = make("first", "aws", {"aws_calls_total"});
    const auto second = make("second", "aws", {"aws_calls_total"});
    EXPECT_EQ(declare(*first, CAPSTAN_METRIC_COUNTER, "aws_calls_total", {str("zone")}),
              CAPSTAN_OK);
    std::uint32_t id = 0;
    std::string reason;
    const capstan_metric other{
        sizeof other, CAPSTAN_METRIC_COUNTER, str("aws_calls_total"), str("Help."), {}, {}};
    EXPECT_EQ(second->declare(other, id, &reason), CAPSTAN_E_CONFLICT);
    EXPECT_EQ(reason,
              "metric aws_calls_total: not declared: plugin first has declared it differently");
    EXPECT_EQ(declare(*second, CAPSTAN_METRIC_COUNTER, "aws_calls_total", {str("zone")}),
              CAPSTAN_OK);
    first = nullptr;
    EXPECT_EQ(declare(*make("third", "aws", {"aws_calls_total"}), CAPSTAN_METRIC_COUNTER,
                      "aws_calls_total"),
              CAPSTAN_E_CONFLICT)
        << "the second instance still has it";
}

TEST_F(PluginMetricsTest, RefuseWholeNamesOfTheHost) {
    for (const char* const name :
         {"capstan_leader", "cluster_autoscaler_nodes_count", "cluster_autoscaler_nodes",
          "process_threads", "cluster_autoscaler_function_duration_seconds_sum"}) {
        EXPECT_FALSE(config::check_whole_metric_name(name)) << name;
        EXPECT_EQ(declare(*make("sly", "sly", {name}), CAPSTAN_METRIC_GAUGE, name),
                  CAPSTAN_E_CONFLICT)
            << name;
    }
    EXPECT_TRUE(config::check_whole_metric_name(upstream_name));
    EXPECT_FALSE(config::check_whole_metric_name(""));
    EXPECT_FALSE(config::check_whole_metric_name("9_lives"));
    EXPECT_FALSE(config::check_whole_metric_name("With-Dash"));
}

TEST_F(PluginMetricsTest, RefuseInvalidNamesAndLabels) {
    for (const char* const name : {"", "Upper", "with-dash", "with space", "new\nline"}) {
        EXPECT_EQ(declare(*plugin, CAPSTAN_METRIC_GAUGE, name), CAPSTAN_E_INVALID_ARGUMENT) << name;
    }
    for (const char* const label : {"plugin", "le", "__name__", "9", "a-b", ""}) {
        EXPECT_EQ(declare(*plugin, CAPSTAN_METRIC_GAUGE, "queue", {str(label)}),
                  CAPSTAN_E_INVALID_ARGUMENT)
            << label;
    }
    EXPECT_EQ(declare(*plugin, CAPSTAN_METRIC_GAUGE, "queue", {str("a"), str("a")}),
              CAPSTAN_E_INVALID_ARGUMENT);
    EXPECT_EQ(declare(*plugin, 4, "queue"), CAPSTAN_E_INVALID_ARGUMENT);
}

TEST_F(PluginMetricsTest, RequireAscendingBuckets) {
    EXPECT_EQ(declare(*plugin, CAPSTAN_METRIC_HISTOGRAM, "h", {}, {0.1, 1}), CAPSTAN_OK);
    EXPECT_EQ(plugin->record(0, 0.5, {}), CAPSTAN_OK);
    EXPECT_THAT(metrics->text(), HasSubstr("score_h_bucket{plugin=\"acme\",le=\"1\"} 1"));
    EXPECT_EQ(declare(*plugin, CAPSTAN_METRIC_HISTOGRAM, "down", {}, {1, 0.1}),
              CAPSTAN_E_INVALID_ARGUMENT);
    EXPECT_EQ(declare(*plugin, CAPSTAN_METRIC_HISTOGRAM, "twice", {}, {1, 1}),
              CAPSTAN_E_INVALID_ARGUMENT);
    EXPECT_EQ(declare(*plugin, CAPSTAN_METRIC_HISTOGRAM, "no_number", {}, {nan}),
              CAPSTAN_E_INVALID_ARGUMENT);
    EXPECT_EQ(declare(*plugin, CAPSTAN_METRIC_HISTOGRAM, "none"), CAPSTAN_E_INVALID_ARGUMENT);
    EXPECT_EQ(declare(*plugin, CAPSTAN_METRIC_GAUGE, "some", {}, {1}), CAPSTAN_E_INVALID_ARGUMENT);
}

TEST_F(PluginMetricsTest, RefuseInvalidValues) {
    declare(*plugin, CAPSTAN_METRIC_COUNTER, "calls_total");
    declare(*plugin, CAPSTAN_METRIC_GAUGE, "queue");
    for (const double value : {-1.0, nan, infinite}) {
        EXPECT_EQ(plugin->record(0, value, {}), CAPSTAN_E_INVALID_ARGUMENT) << value;
    }
    EXPECT_EQ(plugin->record(1, nan, {}), CAPSTAN_E_INVALID_ARGUMENT);
    EXPECT_EQ(plugin->record(1, -1, {}), CAPSTAN_OK);
    EXPECT_EQ(plugin->record(7, 1, {}), CAPSTAN_E_NOT_FOUND);
    const std::vector<capstan_str> too_many{str("a")};
    EXPECT_EQ(plugin->record(1, 1, array_of(too_many)), CAPSTAN_E_INVALID_ARGUMENT);
}

TEST_F(PluginMetricsTest, AreLimitedPerInstance) {
    declare(*plugin, CAPSTAN_METRIC_COUNTER, "calls_total", {str("zone")});
    for (const char* const zone : {"a", "b", "c", "a"}) {
        const std::vector<capstan_str> values{str(zone)};
        EXPECT_EQ(plugin->record(0, 1, array_of(values)), CAPSTAN_OK);
    }
    const std::vector<capstan_str> fourth{str("d")};
    EXPECT_EQ(plugin->record(0, 1, array_of(fourth)), CAPSTAN_E_BUSY);
}

TEST_F(PluginMetricsTest, EscapeLabelValues) {
    declare(*plugin, CAPSTAN_METRIC_GAUGE, "queue", {str("zone")});
    const std::vector<capstan_str> values{str("a\n\xff")};
    EXPECT_EQ(plugin->record(0, 1, array_of(values)), CAPSTAN_OK);
    EXPECT_THAT(metrics->text(), HasSubstr("zone=\"a\\\\n\xef\xbf\xbd\""));
}

TEST(InstanceMetrics, AreRemovedWithTheInstance) {
    const auto metrics = std::make_shared<Metrics>();
    {
        InstanceMetrics instance(metrics, PluginInstanceId("acme"));
        instance.hook_took(loop::Hook::filter, 0.002);
        instance.hook_failed(loop::Hook::filter, ErrorCode::internal);
        instance.call_took(loop::Hook::refresh, 0.2, "ok");
        instance.call_took(loop::Hook::refresh, 0.3, "ok");
        instance.call_took(loop::Hook::refresh, 120, "deadline");
        EXPECT_THAT(metrics->text(),
                    HasSubstr("capstan_plugin_call_duration_seconds_count{hook=\"refresh\",plugin="
                              "\"acme\",result=\"ok\"} 2"));
        EXPECT_THAT(
            metrics->text(),
            HasSubstr(
                "capstan_plugin_hook_duration_seconds_count{hook=\"filter\",plugin=\"acme\"} 1"));
    }
    EXPECT_THAT(metrics->text(), Not(HasSubstr("acme")));
}

TEST(Exposition, DoesNotDependOnTheOrderOfSeries) {
    const auto text = [](std::vector<std::string> zones) {
        prometheus::Registry registry;
        for (const char* name : {"b_total", "a_total"}) {
            auto& family = prometheus::BuildCounter().Name(name).Help("Help.").Register(registry);
            for (const std::string& zone : zones) family.Add({{"zone", zone}});
        }
        return exposition(registry);
    };
    EXPECT_EQ(text({"c", "a", "b"}), text({"a", "b", "c"}));
    EXPECT_LT(text({"b", "a"}).find("a_total{zone=\"a\"}"),
              text({"b", "a"}).find("a_total{zone=\"b\"}"));
    EXPECT_LT(text({"a"}).find("a_total{"), text({"a"}).find("b_total{"));
}

}  // namespace
}  // namespace capstan::plugin_runtime::services
