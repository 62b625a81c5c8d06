// The output of `capstan simulate --metrics` of the shipped binary.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <ostream>
#include <sstream>
#include <string>

#include "../host/commands/shell.hpp"

namespace capstan::commands {
namespace {

using ::testing::HasSubstr;

std::string command_for(const std::string& scenario) {
    return "simulate tests/scenarios/" + scenario + ".toml";
}

/// The metrics file that a command writes.
std::string metrics_after(const std::string& command) {
    const Folder folder;
    const std::string file = (folder.path() / "metrics.txt").string();
    const CommandResult ran = capstan(command + " --metrics '" + file + "'");
    EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
    return folder.read("metrics.txt");
}

/// The metrics file of a scenario.
std::string metrics_of(const std::string& scenario, const std::string& more = {}) {
    return metrics_after(command_for(scenario) + more);
}

/// The value of a series; NaN if it does not exist.
double value_of(const std::string& metrics, const std::string& series) {
    std::istringstream lines(metrics);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with(series + " ")) return std::stod(line.substr(series.size() + 1));
    return std::nan("");
}

struct Family {
    const char* name;  ///< without cluster_autoscaler_
    const char* type;
    const char* scenario;  ///< a scenario in which it has a series
    friend std::ostream& operator<<(std::ostream& out, const Family& family) {
        return out << family.name;
    }
};

class MetricFamily : public ::testing::TestWithParam<Family> {};

TEST_P(MetricFamily, HasItsDocumentedNameAndType) {
    const auto& [name, type, scenario] = GetParam();
    const std::string full = std::string("cluster_autoscaler_") + name;
    const std::string metrics = metrics_of(scenario);
    EXPECT_THAT(metrics, HasSubstr("# TYPE " + full + " " + type + "\n"));
    EXPECT_THAT(metrics, HasSubstr("\n" + full));
}

constexpr const char* backoff = "zalando/backoff_until_joined";
constexpr const char* drain = "zalando/drain_with_budget";
constexpr const char* failed_drain = "zalando/drain_with_budget_upstream";
constexpr const char* gpus = "gpu_nodes";

// Upstream's max_node_skip_eval_duration_seconds is missing: it is the time for which nodes were
// skipped for lack of time, and here every pass evaluates every node.
INSTANTIATE_TEST_SUITE_P(
    Upstream, MetricFamily,
    ::testing::Values(Family{"scaled_down_nodes_total", "counter", drain},
                      Family{"evicted_pods_total", "counter", drain},
                      Family{"unneeded_nodes_count", "gauge", drain},
                      Family{"unremovable_nodes_count", "gauge", drain},
                      Family{"pending_node_deletions", "gauge", drain},
                      Family{"node_removal_latency_seconds", "histogram", drain},
                      Family{"scale_down_in_cooldown", "gauge", drain},
                      Family{"cluster_safe_to_autoscale", "gauge", drain},
                      Family{"nodes_count", "gauge", drain},
                      Family{"node_groups_count", "gauge", drain},
                      Family{"unschedulable_pods_count", "gauge", drain},
                      Family{"max_nodes_count", "gauge", drain},
                      Family{"cluster_cpu_current_cores", "gauge", drain},
                      Family{"cluster_memory_current_bytes", "gauge", drain},
                      Family{"node_group_min_count", "gauge", drain},
                      Family{"node_group_max_count", "gauge", drain},
                      Family{"node_group_target_count", "gauge", drain},
                      Family{"node_group_healthiness", "gauge", drain},
                      Family{"node_group_backoff_status", "gauge", backoff},
                      Family{"scaled_up_nodes_total", "counter", backoff},
                      Family{"failed_scale_ups_total", "counter", backoff},
                      Family{"old_unregistered_nodes_removed_count", "counter", backoff},
                      Family{"scaled_up_gpu_nodes_total", "counter", gpus},
                      Family{"failed_gpu_scale_ups_total", "counter", gpus},
                      Family{"scaled_down_gpu_nodes_total", "counter", gpus}),
    [](const auto& family) { return std::string(family.param.name); });

INSTANTIATE_TEST_SUITE_P(Zalando, MetricFamily,
                         ::testing::Values(Family{"node_group_in_backoff", "gauge", backoff},
                                           Family{"failed_scale_down_total", "counter",
                                                  failed_drain},
                                           Family{"function_duration_seconds", "histogram", drain}),
                         [](const auto& family) { return std::string(family.param.name); });

TEST(ScenarioMetrics, ShowGroupsInBackOff) {
    const std::string metrics = metrics_of(backoff);
    const auto in_backoff = [&](const char* group) {
        return value_of(metrics, "cluster_autoscaler_node_group_in_backoff{node_group=\"" +
                                     std::string(group) + "\"}");
    };
    EXPECT_EQ(in_backoff("ng-3"), 1);
    EXPECT_EQ(in_backoff("ng-2"), 0) << "its target was lowered";
    EXPECT_EQ(in_backoff("ng-1"), 0) << "its machine joined";
    EXPECT_EQ(in_backoff("fallback"), 0);
    EXPECT_EQ(value_of(metrics,
                       "cluster_autoscaler_node_group_backoff_status{node_group=\"ng-3\","
                       "reason=\"timeout\"}"),
              1);
    EXPECT_EQ(value_of(metrics,
                       "cluster_autoscaler_failed_scale_ups_total{dra_drivers=\"\","
                       "gpu_name=\"\",gpu_resource_name=\"\",reason=\"timeout\"}"),
              3);
}

TEST(ScenarioMetrics, ShowTheDurationOfADrainInVirtualTime) {
    const std::string metrics = metrics_of(drain);
    const std::string function = "{function=\"scaleDown:nodeDeletion:nonEmpty\"}";
    const double took =
        value_of(metrics, "cluster_autoscaler_function_duration_seconds_sum" + function);
    EXPECT_GE(took, 9 * 30) << "ten replicas, one after another, 30 seconds each";
    EXPECT_LT(took, 3600);
    EXPECT_EQ(value_of(metrics, "cluster_autoscaler_function_duration_seconds_count" + function),
              1);
    const std::string deleted = "{delay_reason=\"\",deleted=\"true\"}";
    EXPECT_GE(value_of(metrics, "cluster_autoscaler_node_removal_latency_seconds_sum" + deleted),
              2 * 600)
        << "each was unneeded for ten minutes";
    EXPECT_EQ(value_of(metrics, "cluster_autoscaler_node_removal_latency_seconds_count" + deleted),
              2);
    EXPECT_GE(
        value_of(metrics, "cluster_autoscaler_evicted_pods_total{eviction_result=\"succeeded\"}"),
        20);
}

TEST(ScenarioMetrics, ShowTheReasonOfAFailedDrain) {
    EXPECT_GE(value_of(metrics_of(failed_drain),
                       "cluster_autoscaler_failed_scale_down_total{kind="
                       "\"nonempty\",reason=\"2\"}"),
              1);
}

/// A removal that fails, and the series that counts it.
struct FailedRemoval {
    const char* name;
    int nodes, pods;
    const char* event;  ///< after a minute; the first removal begins 10 seconds later
    const char* series;
    friend std::ostream& operator<<(std::ostream& out, const FailedRemoval& removal) {
        return out << removal.name;
    }
    std::string scenario() const {
        std::string out =
            "[scale_down]\ndelay_after_add = \"0s\"\nunneeded_time = \"1m\"\n"
            "utilization_threshold = 1.0\n[[group]]\nid = \"web\"\nmax = 3\nsize = " +
            std::to_string(nodes) + "\nmachine = { cpu = \"4\", memory = \"16Gi\" }\n";
        if (pods > 0)
            out += "[[replica_set]]\nname = \"shop\"\ncpu = \"500m\"\ncount = " +
                   std::to_string(pods) + "\n";
        return out + "[[step]]\nadvance = \"1m\"\n" + event + "\n";
    }
};

class FailedRemovalMetrics : public ::testing::TestWithParam<FailedRemoval> {};

TEST_P(FailedRemovalMetrics, ShowTheKindOfNodeAndTheReason) {
    const Folder folder;
    const std::string file = folder.write("scenario.toml", GetParam().scenario());
    const std::string metrics = metrics_after("simulate '" + file + "'");
    const std::string family = "cluster_autoscaler_failed_scale_down_total";
    EXPECT_EQ(value_of(metrics, family + GetParam().series), 1) << metrics;
    EXPECT_EQ(metrics.find(family + "{"), metrics.rfind(family + "{")) << "no other series";
}

constexpr const char* failing_api_server =
    "[[step]]\nadvance = \"90s\"\n[[fault]]\nkind = \"eviction_error\"\nfrom = \"1m\"";
constexpr const char* failing_cloud =
    "[[step]]\nchange = [{ group = \"web\", fail_removals = { code = \"permission\", message = "
    "\"no\" } }]\nadvance = \"90s\"";

INSTANTIATE_TEST_SUITE_P(
    Zalando, FailedRemovalMetrics,
    ::testing::Values(
        FailedRemoval{"EmptyNotTainted", 1, 0, failing_api_server, "{kind=\"empty\",reason=\"1\"}"},
        FailedRemoval{"EmptyNotEmptied", 1, 0,
                      "[[step]]\nadvance = \"12s\"\n[[step]]\npods = [{ name = \"batch\", cpu = "
                      "\"1\" }]\nbind = { batch = \"web-1\" }\nadvance = \"90s\"",
                      "{kind=\"empty\",reason=\"2\"}"},
        FailedRemoval{"EmptyNotRemoved", 1, 0, failing_cloud, "{kind=\"empty\",reason=\"3\"}"},
        FailedRemoval{"DrainedNotTainted", 2, 2, failing_api_server,
                      "{kind=\"nonempty\",reason=\"1\"}"},
        FailedRemoval{"DrainedNotRemoved", 2, 2, failing_cloud,
                      "{kind=\"nonempty\",reason=\"3\"}"}),
    [](const auto& removal) { return std::string(removal.param.name); });

TEST(ScenarioMetrics, NameTheGpusOfAddedAndRemovedNodes) {
    const std::string metrics = metrics_of(gpus);
    const std::string t4 = "{gpu_name=\"nvidia-tesla-t4\",gpu_resource_name=\"nvidia.com/gpu\"";
    EXPECT_EQ(value_of(metrics, "cluster_autoscaler_scaled_up_gpu_nodes_total" + t4 + "}"), 1);
    EXPECT_EQ(value_of(metrics, "cluster_autoscaler_scaled_down_gpu_nodes_total" + t4 +
                                    ",reason=\"empty\"}"),
              1);
    EXPECT_EQ(value_of(metrics,
                       "cluster_autoscaler_failed_gpu_scale_ups_total{gpu_name=\"nvidia-"
                       "tesla-a100\",gpu_resource_name=\"nvidia.com/gpu\",reason=\"out_"
                       "of_capacity\"}"),
              1);
}

TEST(ScenarioMetrics, AreIdenticalForEqualSeeds) {
    EXPECT_EQ(metrics_of(drain, " --seed 7"), metrics_of(drain, " --seed 7"));
}

TEST(ScenarioMetrics, CannotBeWrittenWithChaos) {
    const CommandResult ran =
        capstan("simulate tests/scenarios/chaos/shop.toml --chaos --metrics /dev/null");
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err, HasSubstr("--metrics and --chaos cannot be used together"));
}

TEST(ScenarioMetrics, AreRejectedBeforeTheRunIfTheFileCannotBeWritten) {
    const CommandResult ran = capstan(command_for(drain) + " --metrics /nowhere/metrics.txt");
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err, HasSubstr("/nowhere/metrics.txt: cannot be written"));
    EXPECT_EQ(ran.out, "");
}

}  // namespace
}  // namespace capstan::commands
