#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <capstan/view.hpp>

#include "runtime/services/plugin_metrics.hpp"

namespace capstan::runtime {
namespace {

using testing::HasSubstr;
using testing::Not;

struct OwnMetrics : testing::Test {
    std::shared_ptr<Metrics> metrics = std::make_shared<Metrics>();
    std::unique_ptr<PluginMetrics> plugin = make("acme", "score");

    std::unique_ptr<PluginMetrics> make(const char* id, const char* class_id) {
        return std::make_unique<PluginMetrics>(
            metrics, PluginMetrics::Options{
                         .class_id = class_id, .plugin = PluginInstanceId(id), .max_series = 3});
    }
    static capstan_status declare(PluginMetrics& in, std::int32_t type, const char* name,
                                  std::vector<capstan_str> labels = {},
                                  std::vector<double> buckets = {}) {
        std::uint32_t id = 0;
        const capstan_metric metric{
            sizeof metric, type, str(name), str("Help."), array_of(labels), array_of(buckets)};
        return in.declare(metric, id);
    }
    static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    static constexpr double infinite = std::numeric_limits<double>::infinity();
};

TEST_F(OwnMetrics, GoWithTheirInstance) {
    declare(*plugin, CAPSTAN_METRIC_GAUGE, "queue");
    plugin->record(0, 7, {});
    EXPECT_THAT(metrics->text(), HasSubstr("capstan_plugin_score_queue{plugin=\"acme\"} 7"));
    plugin = nullptr;
    EXPECT_THAT(metrics->text(), Not(HasSubstr("score_queue{")));
}

TEST_F(OwnMetrics, AreSharedByTwoGenerationsOfAnInstance) {
    const auto next = make("acme", "score");
    for (PluginMetrics* const each : {plugin.get(), next.get()}) {
        declare(*each, CAPSTAN_METRIC_COUNTER, "calls_total");
        each->record(0, 1, {});
    }
    plugin = nullptr;
    EXPECT_EQ(next->record(0, 1, {}), CAPSTAN_OK);
    EXPECT_THAT(metrics->text(), HasSubstr("capstan_plugin_score_calls_total{plugin=\"acme\"} 3"));
}

TEST_F(OwnMetrics, MayBeDeclaredAgainTheSameWayOnly) {
    EXPECT_EQ(declare(*plugin, CAPSTAN_METRIC_COUNTER, "calls_total"), CAPSTAN_OK);
    EXPECT_EQ(declare(*plugin, CAPSTAN_METRIC_COUNTER, "calls_total"), CAPSTAN_OK);
    EXPECT_EQ(declare(*plugin, CAPSTAN_METRIC_GAUGE, "calls_total"), CAPSTAN_E_CONFLICT);
    EXPECT_EQ(declare(*plugin, CAPSTAN_METRIC_COUNTER, "calls_total", {str("zone")}),
              CAPSTAN_E_CONFLICT);
}

TEST_F(OwnMetrics, DoNotTakeANameThatAnotherClassUsesOtherwise) {
    const auto other = make("other", "score");
    EXPECT_EQ(declare(*plugin, CAPSTAN_METRIC_COUNTER, "calls_total"), CAPSTAN_OK);
    EXPECT_EQ(declare(*other, CAPSTAN_METRIC_GAUGE, "calls_total"), CAPSTAN_E_CONFLICT);
    const auto sly = make("sly", "hook");
    EXPECT_EQ(declare(*sly, CAPSTAN_METRIC_COUNTER, "overruns_total"), CAPSTAN_E_CONFLICT)
        << "the host's own";
}

TEST_F(OwnMetrics, HaveNamesThatPrometheusTakes) {
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

TEST_F(OwnMetrics, HaveBucketsThatAscend) {
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

TEST_F(OwnMetrics, RefuseValuesThatMakeNoSense) {
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

TEST_F(OwnMetrics, AreCappedPerInstance) {
    declare(*plugin, CAPSTAN_METRIC_COUNTER, "calls_total", {str("zone")});
    for (const char* const zone : {"a", "b", "c", "a"}) {
        const std::vector<capstan_str> values{str(zone)};
        EXPECT_EQ(plugin->record(0, 1, array_of(values)), CAPSTAN_OK);
    }
    const std::vector<capstan_str> fourth{str("d")};
    EXPECT_EQ(plugin->record(0, 1, array_of(fourth)), CAPSTAN_E_BUSY);
}

TEST_F(OwnMetrics, KeepLabelValuesPrintable) {
    declare(*plugin, CAPSTAN_METRIC_GAUGE, "queue", {str("zone")});
    const std::vector<capstan_str> values{str("a\n\xff")};
    EXPECT_EQ(plugin->record(0, 1, array_of(values)), CAPSTAN_OK);
    EXPECT_THAT(metrics->text(), HasSubstr("zone=\"a\\\\n\xef\xbf\xbd\""));
}

TEST(InstanceMetrics, GoWithTheInstance) {
    const auto metrics = std::make_shared<Metrics>();
    {
        InstanceMetrics instance(metrics, PluginInstanceId("acme"));
        instance.hook_took(Hook::filter, 0.002);
        instance.hook_failed(Hook::filter, ErrorCode::internal);
        EXPECT_THAT(
            metrics->text(),
            HasSubstr(
                "capstan_plugin_hook_duration_seconds_count{hook=\"filter\",plugin=\"acme\"} 1"));
    }
    EXPECT_THAT(metrics->text(), Not(HasSubstr("acme")));
}

TEST(Exposition, IsTheSameInWhateverOrderSeriesCame) {
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
}  // namespace capstan::runtime
