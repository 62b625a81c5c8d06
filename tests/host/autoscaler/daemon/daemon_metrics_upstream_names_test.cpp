#include <gmock/gmock.h>
#include <prometheus/registry.h>

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "autoscaler/daemon/populated_metrics.hpp"
#include "autoscaler/daemon/status_writer.hpp"
#include "config/metric_names.hpp"

namespace capstan::autoscaler::daemon {
namespace {

using prometheus::MetricType;
using ::testing::IsSubsetOf;
using namespace std::chrono_literals;
using Names = std::set<std::string>;

const std::string prefix = "cluster_autoscaler_";

struct Shape {
    MetricType type;
    Names labels{};
    bool operator==(const Shape&) const = default;
};

/// Metrics of upstream 1.37, and those of GPU nodes, which upstream removed in 1.36; without the
/// prefix.
const std::map<std::string, Shape> upstream{
    {"cluster_safe_to_autoscale", {MetricType::Gauge}},
    {"nodes_count", {MetricType::Gauge, {"state"}}},
    {"node_groups_count", {MetricType::Gauge, {"node_group_type"}}},
    {"unschedulable_pods_count", {MetricType::Gauge, {"type"}}},
    {"skipped_pods_count", {MetricType::Gauge, {"requestor"}}},
    {"max_nodes_count", {MetricType::Gauge}},
    {"cluster_cpu_current_cores", {MetricType::Gauge}},
    {"cluster_memory_current_bytes", {MetricType::Gauge}},
    {"cpu_limits_cores", {MetricType::Gauge, {"direction"}}},
    {"memory_limits_bytes", {MetricType::Gauge, {"direction"}}},
    {"node_group_min_count", {MetricType::Gauge, {"node_group"}}},
    {"node_group_max_count", {MetricType::Gauge, {"node_group"}}},
    {"node_group_target_count", {MetricType::Gauge, {"node_group"}}},
    {"node_group_healthiness", {MetricType::Gauge, {"node_group"}}},
    {"node_group_backoff_status", {MetricType::Gauge, {"node_group", "reason"}}},
    {"last_activity", {MetricType::Gauge, {"activity"}}},
    {"function_duration_seconds", {MetricType::Histogram, {"function"}}},
    {"function_duration_quantile_seconds", {MetricType::Summary, {"function"}}},
    {"pending_node_deletions", {MetricType::Gauge}},
    {"errors_total", {MetricType::Counter, {"type"}}},
    {"scaled_up_nodes_total",
     {MetricType::Counter, {"gpu_resource_name", "gpu_name", "dra_drivers"}}},
    {"scaled_up_gpu_nodes_total", {MetricType::Counter, {"gpu_resource_name", "gpu_name"}}},
    {"failed_scale_ups_total",
     {MetricType::Counter, {"reason", "gpu_resource_name", "gpu_name", "dra_drivers"}}},
    {"failed_node_creations_total", {MetricType::Counter, {"reason"}}},
    {"failed_gpu_scale_ups_total",
     {MetricType::Counter, {"reason", "gpu_resource_name", "gpu_name"}}},
    {"scaled_down_nodes_total",
     {MetricType::Counter, {"reason", "gpu_resource_name", "gpu_name", "dra_drivers"}}},
    {"scaled_down_gpu_nodes_total",
     {MetricType::Counter, {"reason", "gpu_resource_name", "gpu_name"}}},
    {"evicted_pods_total", {MetricType::Counter, {"eviction_result"}}},
    {"unneeded_nodes_count", {MetricType::Gauge}},
    {"unremovable_nodes_count", {MetricType::Gauge, {"reason"}}},
    {"scale_down_in_cooldown", {MetricType::Gauge}},
    {"old_unregistered_nodes_removed_count", {MetricType::Counter}},
    {"overflowing_controllers_count", {MetricType::Gauge}},
    {"skipped_scale_events_count", {MetricType::Counter, {"direction", "reason"}}},
    {"created_node_groups_total", {MetricType::Counter, {"group_type"}}},
    {"deleted_node_groups_total", {MetricType::Counter, {"group_type"}}},
    {"node_taints_count", {MetricType::Gauge, {"type"}}},
    {"inconsistent_instances_migs_count", {MetricType::Gauge}},
    {"binpacking_heterogeneity",
     {MetricType::Histogram, {"instance_type", "cpu_count", "namespace_count"}}},
    {"max_node_skip_eval_duration_seconds", {MetricType::Gauge}},
    {"node_removal_latency_seconds", {MetricType::Histogram, {"deleted", "delay_reason"}}},
    {"dra_node_template_resources_mismatch", {MetricType::Gauge, {"driver", "mismatch_type"}}}};

/// Metrics of the Zalando fork.
const std::map<std::string, Shape> zalando{
    {"node_group_in_backoff", {MetricType::Gauge, {"node_group"}}},
    {"failed_scale_down_total", {MetricType::Counter, {"kind", "reason"}}}};

/// Upstream metrics that Capstan does not report, and why.
const std::map<std::string, std::string> without_value{
    {"inconsistent_instances_migs_count",
     "specific to one cloud: differences between its two instance lists"},
    {"dra_node_template_resources_mismatch", "devices of Dynamic Resource Allocation"}};

/// Label values that upstream's code names.
const std::map<std::pair<std::string, std::string>, Names> values{
    {{"nodes_count", "state"},
     {"ready", "unready", "notStarted", "suspended", "longUnregistered", "unregistered"}},
    {{"node_groups_count", "node_group_type"}, {"autoscaled", "autoprovisioned"}},
    {{"unschedulable_pods_count", "type"}, {"unschedulable", "scheduler_unprocessed"}},
    {{"skipped_pods_count", "requestor"}, {"filter-out-pod-list-processor"}},
    {{"cpu_limits_cores", "direction"}, {"minimum", "maximum"}},
    {{"memory_limits_bytes", "direction"}, {"minimum", "maximum"}},
    {{"last_activity", "activity"},
     {"main", "mainSuccessful", "autoscaling", "scaleUp", "scaleDown"}},
    {{"errors_total", "type"},
     {"cloudProviderError", "apiCallError", "internalError", "transientError", "configurationError",
      "nodeGroupDoesNotExistError", "unexpectedScaleDownStateError"}},
    {{"failed_scale_ups_total", "reason"}, {"cloudProviderError", "apiCallError", "timeout"}},
    {{"failed_node_creations_total", "reason"}, {"cloudProviderError", "apiCallError", "timeout"}},
    {{"scaled_down_nodes_total", "reason"}, {"underutilized", "empty", "unready"}},
    {{"evicted_pods_total", "eviction_result"}, {"succeeded", "failed"}},
    {{"skipped_scale_events_count", "direction"}, {"up", "down"}},
    {{"skipped_scale_events_count", "reason"}, {"CpuResourceLimit", "MemoryResourceLimit"}},
    {{"node_removal_latency_seconds", "deleted"}, {"true", "false"}},
    // Those that upstream's core and the fork observe. Upstream never observes its "poll" and
    // "autoscaling"; "bulkListInstances:..." belongs to one of its clouds.
    {{"function_duration_seconds", "function"},
     {"main", "mainSuccessful", "cloudProviderRefresh", "updateClusterState",
      "filterOutSchedulable", "findUnneeded", "loopWait", "reconfigure", "scaleUp",
      "scaleUp:buildPodEquivalenceGroups", "scaleUp:estimate",
      "scaleUp:skippedNodeGroupsSimulation", "scaleDown", "scaleDown:softTaintUnneeded",
      "scaleDown:nodeDeletion", "scaleDown:nodeDeletion:empty", "scaleDown:nodeDeletion:nonEmpty"}},
    {{"failed_scale_down_total", "kind"}, {"empty", "nonempty"}},
    {{"failed_scale_down_total", "reason"}, {"1", "2", "3"}}};

/// By name without the prefix.
std::map<std::string, prometheus::MetricFamily> counted_families() {
    const PopulatedMetrics counted;
    std::map<std::string, prometheus::MetricFamily> out;
    for (prometheus::MetricFamily& family : counted.registry.Collect())
        if (family.name.starts_with(prefix))
            out.emplace(family.name.substr(prefix.size()), std::move(family));
    return out;
}

std::map<std::string, Shape> expected() {
    std::map<std::string, Shape> out = upstream;
    out.insert(zalando.begin(), zalando.end());
    for (const auto& [name, why] : without_value) out.erase(name);
    return out;
}

TEST(UpstreamCompatibility, MetricsHaveUpstreamsNamesAndLabels) {
    std::map<std::string, Shape> found;
    for (const auto& [name, family] : counted_families()) {
        for (const prometheus::ClientMetric& series : family.metric) {
            Shape shape{family.type};
            for (const auto& label : series.label) shape.labels.insert(label.name);
            const auto [at, is_new] = found.emplace(name, shape);
            EXPECT_EQ(at->second.labels, shape.labels) << name << " has series of different labels";
        }
    }
    const std::map<std::string, Shape> wanted = expected();
    for (const auto& [name, shape] : wanted) {
        ASSERT_TRUE(found.contains(name)) << name << " is missing";
        EXPECT_EQ(found.at(name).type, shape.type) << name;
        EXPECT_EQ(found.at(name).labels, shape.labels) << name;
    }
    for (const auto& [name, shape] : found)
        EXPECT_TRUE(config::is_host_metric(prefix + name)) << name << ": a plugin could declare it";
    for (const auto& [name, shape] : found)
        EXPECT_TRUE(wanted.contains(name))
            << name << " is not upstream's: its name must start with capstan_";
}

TEST(UpstreamCompatibility, LabelsHaveUpstreamsValues) {
    const auto families = counted_families();
    for (const auto& [place, wanted] : values) {
        Names found;
        for (const prometheus::ClientMetric& series : families.at(place.first).metric)
            for (const auto& label : series.label)
                if (label.name == place.second) found.insert(label.value);
        EXPECT_THAT(wanted, IsSubsetOf(found)) << place.first << ", " << place.second;
    }
}

TEST(UpstreamCompatibility, MetricsExistBeforeTheFirstPassAsUpstreams) {
    prometheus::Registry registry;
    const DaemonMetrics metrics(registry);
    Names found;
    for (const prometheus::MetricFamily& family : registry.Collect()) found.insert(family.name);
    for (const char* name :
         {"errors_total", "failed_scale_ups_total", "failed_node_creations_total",
          "scaled_down_nodes_total", "evicted_pods_total", "skipped_scale_events_count"})
        EXPECT_TRUE(found.contains(prefix + name)) << name;
}

/// "clusterWide.health.status" for each line of block YAML; items of a list are not distinguished.
Names paths_of(const std::string& yaml) {
    Names out;
    std::vector<std::string> above;
    std::istringstream lines(yaml);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t at = line.find_first_not_of(" -");
        above.resize(std::min(above.size(), at / 2));
        above.push_back(line.substr(at, line.find(':') - at));
        std::string path;
        for (const std::string& key : above) path += (path.empty() ? "" : ".") + key;
        out.insert(path);
    }
    return out;
}

/// Including keys that upstream omits if they are zero or empty.
Names upstream_status_keys() {
    Names out{"time",        "autoscalerStatus", "message",
              "clusterWide", "nodeGroups",       "nodeGroups.name"};
    for (const std::string part : {"clusterWide", "nodeGroups"}) {
        for (const char* condition : {"health", "scaleUp", "scaleDown"})
            for (const char* field : {"", ".status", ".lastProbeTime", ".lastTransitionTime"})
                out.insert(part + "." + condition + field);
        for (const char* counts :
             {"", ".registered", ".registered.total", ".registered.ready", ".registered.notStarted",
              ".registered.suspended", ".registered.beingDeleted", ".registered.unready",
              ".registered.unready.total", ".registered.unready.resourceUnready",
              ".longUnregistered", ".unregistered"})
            out.insert(part + ".health.nodeCounts" + counts);
        out.insert(part + ".scaleDown.candidates");
    }
    for (const char* field :
         {"health.cloudProviderTarget", "health.minSize", "health.maxSize", "scaleUp.backoffInfo",
          "scaleUp.backoffInfo.errorCode", "scaleUp.backoffInfo.errorMessage"})
        out.insert(std::string("nodeGroups.") + field);
    return out;
}

TEST(UpstreamCompatibility, StatusHasUpstreamsKeys) {
    const StatusPart part{.nodes = {.deleted = 1}, .candidates = 1};
    GroupStatus group{.name = "web", .part = part};
    group.backoff = StatusBackoff{"quota", "no more"};
    Names found = paths_of(status_text({.at = populated_at, .cluster = part, .groups = {group}}));
    found.merge(paths_of(initializing_text("Initializing", populated_at)));
    EXPECT_EQ(found, upstream_status_keys());
}

}  // namespace
}  // namespace capstan::autoscaler::daemon
