#include "observed_pass.hpp"

namespace capstan::autoscaler::pass_metrics {
namespace {

using engine::RemovalPhase;
using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

struct RemovalMetricsTest : ObservedPass {
    RemovalMetricsTest() : ObservedPass(&make_removal_metrics) {}

    engine::NodeRemoval& removal_of(const char* node, RemovalPhase phase) {
        engine::NodeRemoval& out = memory.removals[node];
        out = {.group = group_a,
               .machine = MachineId(node),
               .phase = phase,
               .empty = true,
               .since = noon,
               .phase_since = now};
        return out;
    }
    /// A cloud was asked to remove the machines of both nodes.
    void ask_to_remove_both(std::vector<Error> errors) {
        decision.removals = {{.group = group_a,
                              .machines = {MachineId("n1"), MachineId("n2")},
                              .nodes = {"n1", "n2"},
                              .cause = engine::RemovalCause::unready}};
        results.removals = {std::move(errors)};
    }
};

constexpr const char* removed_unready =
    "scaled_down_nodes_total{dra_drivers=\"\",gpu_name=\"\",gpu_resource_name=\"\",reason="
    "\"unready\"}";

TEST_F(RemovalMetricsTest, CountOnlyNodesWhoseMachinesTheCloudRemoved) {
    pass();
    ask_to_remove_both({Error{.code = ErrorCode::conflict, .message = "", .subject = "n2"}});
    removal_of("n1", RemovalPhase::removed);
    removal_of("n2", RemovalPhase::deleting);
    EXPECT_THAT(pass(), HasSubstr(std::string(removed_unready) + " 1\n"));
    EXPECT_THAT(pass(), HasSubstr(std::string(removed_unready) + " 1\n")) << "once";
}

TEST_F(RemovalMetricsTest, CountNoRemovalInADryRun) {
    ask_to_remove_both({});
    results.removals.clear();
    removal_of("n1", RemovalPhase::removed);
    EXPECT_THAT(pass(), HasSubstr(std::string(removed_unready) + " 0\n"));
}

TEST_F(RemovalMetricsTest, MeasureTheLatencySinceTheNodeWasUnneededOrChosen) {
    now += 1min;
    ask_to_remove_both({});
    removal_of("n1", RemovalPhase::removed).unneeded_since = noon - 9min;
    removal_of("n2", RemovalPhase::removed);
    EXPECT_THAT(pass(), HasSubstr("node_removal_latency_seconds_sum{delay_reason=\"\",deleted="
                                  "\"true\"} 660\n"))
        << "10 minutes and 1 minute";
}

TEST_F(RemovalMetricsTest, CountNodesWithGpusByTheirGpu) {
    set_node({.name = "n1",
              .labels = {{"cloud.google.com/gke-accelerator", "nvidia-l4"}},
              .capacity = {{"cpu", 4000}, {"nvidia.com/gpu", 1}}});
    ask_to_remove_both({});
    for (const char* const node : {"n1", "n2"}) removal_of(node, RemovalPhase::removed);
    EXPECT_THAT(
        pass(),
        AllOf(HasSubstr("scaled_down_nodes_total{dra_drivers=\"\",gpu_name=\"nvidia-l4\",gpu_"
                        "resource_name=\"nvidia.com/gpu\",reason=\"unready\"} 1\n"),
              HasSubstr("scaled_down_gpu_nodes_total{gpu_name=\"nvidia-l4\",gpu_resource_name="
                        "\"nvidia.com/gpu\",reason=\"unready\"} 1\n"),
              HasSubstr(std::string(removed_unready) + " 1\n")));
}

TEST_F(RemovalMetricsTest, ContinueWithRemovalsOfAnEarlierProcess) {
    removal_of("n1", RemovalPhase::deleting);
    now += 10min;
    EXPECT_THAT(pass(), Not(HasSubstr("scaleDown:nodeDeletion")));
    now += 1min;
    memory.removals.clear();
    EXPECT_THAT(pass(), AllOf(HasSubstr("{function=\"scaleDown:nodeDeletion\"} 660\n"),
                              HasSubstr("{function=\"scaleDown:nodeDeletion:empty\"} 660\n"),
                              HasSubstr("phase_duration_seconds_sum{phase=\"deleting\"} 660\n")));
}

TEST_F(RemovalMetricsTest, CountRefusedEvictionsByTheirErrorCodes) {
    decision.evictions = {{.pod = "a"}, {.pod = "b"}, {.pod = "c"}, {.pod = "d"}};
    results.evictions = {Error{ErrorCode::throttled, "a budget"},
                         Error{ErrorCode::permission, "forbidden"},
                         Error{ErrorCode::throttled, "a budget"}};  // the fourth was not tried
    EXPECT_THAT(pass(), AllOf(HasSubstr("capstan_refused_evictions_total{code=\"throttled\"} 2\n"),
                              HasSubstr("capstan_refused_evictions_total{code=\"permission\"} 1\n"),
                              HasSubstr("evicted_pods_total{eviction_result=\"succeeded\"} 0\n")));
}

TEST_F(RemovalMetricsTest, MeasureNoLatencyOfNodesThatAreStillUnneededOrGone) {
    for (const char* const node : {"n1", "n2", "gone"}) memory.unneeded[node] = {.since = noon};
    pass();
    now += 3min;
    memory.unneeded.erase("n2");
    memory.unneeded.erase("gone");
    removal_of("n2", RemovalPhase::tainting);
    EXPECT_THAT(pass(), Not(HasSubstr("node_removal_latency_seconds_sum")));
}

TEST_F(RemovalMetricsTest, MeasureAnUndoneRemovalOnce) {
    pass();
    removal_of("n1", RemovalPhase::draining);
    pass();
    now += 5min;
    removal_of("n1", RemovalPhase::undoing);
    EXPECT_THAT(pass(), HasSubstr("_count{function=\"scaleDown:nodeDeletion\"} 1\n"));
    now += 1min;
    memory.removals.clear();
    EXPECT_THAT(pass(), AllOf(HasSubstr("_count{function=\"scaleDown:nodeDeletion\"} 1\n"),
                              HasSubstr("_sum{function=\"scaleDown:nodeDeletion\"} 300\n"),
                              HasSubstr("phase_duration_seconds_sum{phase=\"undoing\"} 60\n")));
}

TEST_F(RemovalMetricsTest, HaveTheirSeriesBeforeTheFirstRemoval) {
    const std::string exposition = pass();
    for (const char* const reason : {"underutilized", "empty", "unready"})
        EXPECT_THAT(exposition, HasSubstr("gpu_resource_name=\"\",reason=\"" + std::string(reason) +
                                          "\"} 0\n"));
    for (const char* const result : {"succeeded", "failed"})
        EXPECT_THAT(exposition, HasSubstr("evicted_pods_total{eviction_result=\"" +
                                          std::string(result) + "\"} 0\n"));
}

}  // namespace
}  // namespace capstan::autoscaler::pass_metrics
