#include "autoscaler/pass_metrics.hpp"

#include <gmock/gmock.h>
#include <prometheus/text_serializer.h>

#include <chrono>
#include <memory>
#include <string>

#include "engine/node_marks.hpp"
#include "engine/removal/phases.hpp"
#include "engine/snapshot/cluster_builder.hpp"

namespace capstan::autoscaler {
namespace {

using engine::RemovalPhase;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

const Time noon = time_from_unix_ns(1'750'000'000'000'000'000);
const NodeGroupId group_a("a");

/// Metrics of passes over two nodes in group a.
struct PassMetricsTest : ::testing::Test {
    PassMetricsTest() {
        engine::Group group{.group = {.id = group_a, .min = 1, .max = 5, .target = 2}};
        engine::snapshot::ClusterBuilder builder;
        for (const char* name : {"n1", "n2"}) {
            group.machines.push_back({.id = MachineId(name), .group = group_a});
            builder.set(
                engine::snapshot::NodeObject{.name = name,
                                             .provider_id = name,
                                             .capacity = {{"cpu", 4000}, {"memory", 1 << 30}},
                                             .created = noon - 1h});
        }
        builder.set(engine::snapshot::PodObject{.ns = "shop", .name = "web-1", .uid = "u1"});
        snapshot.emplace(engine::Snapshot{
            builder.build(), std::make_shared<const std::vector<engine::Group>>(1, group)});
    }
    /// The exposition after a pass.
    std::string pass() {
        metrics.observe(observation());
        decision = {};
        results = {};
        figures = {};
        return prometheus::TextSerializer().Serialize(registry.Collect());
    }
    /// Actions of an earlier pass whose results arrived after it.
    void late_results() {
        metrics.observe_late(observation());
        decision = {};
        results = {};
    }
    pass_metrics::PassObservation observation() const {
        return {.snapshot = *snapshot,
                .settings = settings,
                .decision = decision,
                .results = results,
                .memory = memory,
                .figures = figures,
                .at = now};
    }
    engine::NodeRemoval& removal(RemovalPhase phase, bool empty = true) {
        engine::NodeRemoval& out = memory.removals["n1"];
        out.group = group_a;
        out.machine = MachineId("n1");
        out.empty = empty;
        out.since = noon;
        out.phase = phase;
        out.phase_since = now;
        return out;
    }
    void increase(std::optional<Error> error) {
        decision.increases = {{.group = group_a, .by = 3}};
        results.increases = {std::move(error)};
    }

    prometheus::Registry registry;
    PassMetrics metrics{registry};
    std::optional<engine::Snapshot> snapshot;
    engine::Settings settings;
    engine::Decision decision;
    engine::Results results;
    engine::Memory memory{.started = true};
    engine::PassFigures figures;
    Time now = noon;
};

TEST_F(PassMetricsTest, ReportClusterGroupsAndPods) {
    memory.unneeded["n2"] = {.since = noon};
    removal(RemovalPhase::draining);
    decision.nodes = {{.node = "n1", .reason = engine::Unremovable::currently_being_deleted},
                      {.node = "n2", .reason = engine::Unremovable::none}};
    decision.unschedulable = {{.pods = {.count = 7}}};
    EXPECT_THAT(
        pass(),
        AllOf(HasSubstr("cluster_autoscaler_nodes_count{state=\"ready\"} 2\n"),
              HasSubstr("cluster_autoscaler_cluster_cpu_current_cores 8\n"),
              HasSubstr("cluster_autoscaler_cluster_safe_to_autoscale 1\n"),
              HasSubstr("cluster_autoscaler_unneeded_nodes_count 1\n"),
              HasSubstr("cluster_autoscaler_pending_node_deletions 1\n"),
              HasSubstr("cluster_autoscaler_unschedulable_pods_count{type=\"unschedulable\"} 7\n"),
              HasSubstr("cluster_autoscaler_unremovable_nodes_count{reason="
                        "\"CurrentlyBeingDeleted\"} 1\n"),
              HasSubstr("cluster_autoscaler_node_group_target_count{node_group=\"a\"} 2\n"),
              HasSubstr("cluster_autoscaler_node_group_in_backoff{node_group=\"a\"} 0\n")));
}

TEST_F(PassMetricsTest, ReportLimitsAndWhatTheyPrevented) {
    settings.cpu = {.min = 1000, .max = 82'000};
    figures = {.untried_pods = 2,
               .left_out_pods = 5,
               .at_maximum = {{"cpu", 2}, {"nodes", 1}},
               .at_minimum = {{"memory", 3}}};
    const std::string exposition = pass();
    EXPECT_THAT(
        exposition,
        AllOf(HasSubstr("cpu_limits_cores{direction=\"minimum\"} 1\n"),
              HasSubstr("cpu_limits_cores{direction=\"maximum\"} 82\n"),
              HasSubstr("memory_limits_bytes{direction=\"maximum\"} +Inf\n"),
              HasSubstr("events_count{direction=\"up\",reason=\"CpuResourceLimit\"} 2\n"),
              HasSubstr("events_count{direction=\"up\",reason=\"MemoryResourceLimit\"} 0\n"),
              HasSubstr("events_count{direction=\"down\",reason=\"MemoryResourceLimit\"} 3\n"),
              HasSubstr("unschedulable_pods_count{type=\"scheduler_unprocessed\"} 2\n"),
              HasSubstr("skipped_pods_count{requestor=\"filter-out-pod-list-processor\"} 5\n")));
    EXPECT_THAT(pass(), HasSubstr("direction=\"up\",reason=\"CpuResourceLimit\"} 2\n"))
        << "a pass without limits adds nothing";
}

TEST_F(PassMetricsTest, ReportForHowLongNodesWereNotEvaluated) {
    const auto expect = [&](bool evaluated, const char* line) {
        figures.looked_at_nodes = evaluated;
        EXPECT_THAT(pass(), HasSubstr(line));
        now += 10s;
    };
    expect(true, "max_node_skip_eval_duration_seconds 0\n");
    expect(false, "max_node_skip_eval_duration_seconds 10\n");
    expect(false, "max_node_skip_eval_duration_seconds 20\n");
    expect(true, "max_node_skip_eval_duration_seconds 0\n");
}

TEST_F(PassMetricsTest, CountFailedNodeCreations) {
    pass();
    increase(Error{ErrorCode::quota, "no more"});
    memory.backoffs[group_a] = {.until = noon + 1h, .last_failure = noon, .code = ErrorCode::quota};
    EXPECT_THAT(pass(), HasSubstr("failed_node_creations_total{reason=\"quota\"} 3\n"));
    memory.requests[group_a] = {.since = noon, .deadline = noon + 15min, .increase = 4};
    pass();
    memory.requests.clear();
    memory.backoffs[group_a] = {
        .until = noon + 1h, .last_failure = noon + 1s, .code = ErrorCode::deadline};
    EXPECT_THAT(pass(), HasSubstr("failed_node_creations_total{reason=\"timeout\"} 4\n"));
    memory.failed_machines[group_a] = {MachineId("m1"), MachineId("m2")};
    memory.backoffs[group_a].last_failure = noon + 2s;
    EXPECT_THAT(pass(), HasSubstr("failed_node_creations_total{reason=\"timeout\"} 6\n"));
}

TEST_F(PassMetricsTest, ReportTheHeterogeneityOfPods) {
    decision.options = {{.group = group_a, .pods = {{.count = 2}}}};
    EXPECT_THAT(pass(), HasSubstr("binpacking_heterogeneity_sum{cpu_count=\"4\",instance_type="
                                  "\"\",namespace_count=\"1\"} 1\n"));
}

TEST_F(PassMetricsTest, DropTheSeriesOfDeletedGroups) {
    memory.backoffs[group_a] = {.since = noon,
                                .until = noon + 5min,
                                .last_failure = noon,
                                .code = ErrorCode::out_of_capacity};
    EXPECT_THAT(pass(),
                AllOf(HasSubstr("node_group_in_backoff{node_group=\"a\"} 1\n"),
                      HasSubstr("node_group_backoff_status{node_group=\"a\",reason=\"out_of_"
                                "capacity\"} 1\n")));
    snapshot->groups = std::make_shared<const std::vector<engine::Group>>();
    EXPECT_THAT(pass(), Not(HasSubstr("node_group=\"a\"")));
}

TEST_F(PassMetricsTest, CountNodesOfSuccessfulIncreases) {
    pass();
    increase({});
    EXPECT_THAT(pass(), HasSubstr("scaled_up_nodes_total{dra_drivers=\"\",gpu_name=\"\",gpu_"
                                  "resource_name=\"\"} 3\n"));
}

TEST_F(PassMetricsTest, CountNodesOfLateResults) {
    pass();
    increase({});
    late_results();
    decision.removals = {{.group = group_a,
                          .machines = {MachineId("n1")},
                          .nodes = {"n1"},
                          .cause = engine::RemovalCause::empty}};
    results.removals = {{}};
    removal(RemovalPhase::removed);
    late_results();
    EXPECT_THAT(pass(),
                AllOf(HasSubstr("scaled_up_nodes_total{dra_drivers=\"\",gpu_name=\"\",gpu_"
                                "resource_name=\"\"} 3\n"),
                      HasSubstr("scaled_down_nodes_total{dra_drivers=\"\",gpu_name=\"\",gpu_"
                                "resource_name=\"\",reason=\"empty\"} 1\n")));
}

TEST_F(PassMetricsTest, CountEachFailedScaleUpOnce) {
    memory.backoffs[NodeGroupId("old")] = {.until = noon + 1h, .last_failure = noon - 1h};
    EXPECT_THAT(pass(), Not(ContainsRegex("failed_scale_ups_total\\{[^}]*\\} 1")));
    increase(Error{ErrorCode::out_of_capacity, "none left", "ZONE_EXHAUSTED"});
    memory.backoffs[group_a] = {.until = noon + 1h, .last_failure = noon};
    pass();
    EXPECT_THAT(pass(), AllOf(HasSubstr("reason=\"ZONE_EXHAUSTED\"} 1\n"),
                              Not(HasSubstr("reason=\"timeout\"} 1\n"))));
    memory.backoffs[group_a] = {
        .until = noon + 1h, .last_failure = noon + 1s, .code = ErrorCode::deadline};
    EXPECT_THAT(pass(), HasSubstr("reason=\"timeout\"} 1\n"));
}

TEST_F(PassMetricsTest, CountARefusalInTheFirstPass) {
    increase(Error{ErrorCode::out_of_capacity, "none left"});
    memory.backoffs[group_a] = {
        .until = noon + 1h, .last_failure = noon, .code = ErrorCode::out_of_capacity};
    EXPECT_THAT(pass(), HasSubstr("reason=\"out_of_capacity\"} 1\n"));
    EXPECT_THAT(pass(), HasSubstr("reason=\"out_of_capacity\"} 1\n")) << "once";
}

TEST_F(PassMetricsTest, UseTheErrorCodeOfTheFailedMachine) {
    pass();
    engine::Group group = snapshot->groups->front();
    group.machines.front().error = Error{ErrorCode::out_of_capacity, "none left", "Failed"};
    snapshot->groups = std::make_shared<const std::vector<engine::Group>>(1, group);
    memory.backoffs[group_a] = {
        .until = noon + 1h, .last_failure = noon, .code = ErrorCode::out_of_capacity};
    EXPECT_THAT(pass(), HasSubstr("reason=\"Failed\"} 1\n"));
    memory.backoffs[group_a].last_failure = noon + 1s;
    memory.backoffs[group_a].code = ErrorCode::deadline;
    EXPECT_THAT(pass(), HasSubstr("reason=\"timeout\"} 1\n")) << "not the code of that machine";
}

TEST_F(PassMetricsTest, MeasureARemovalUntilTheNodeIsDeleted) {
    pass();
    removal(RemovalPhase::waiting).unneeded_since = noon - 10min;
    pass();
    now += 8s;
    decision.removals = {{.group = group_a,
                          .machines = {MachineId("n1")},
                          .nodes = {"n1"},
                          .cause = engine::RemovalCause::empty}};
    results.removals = {{}};
    removal(RemovalPhase::removed);
    EXPECT_THAT(
        pass(),
        AllOf(HasSubstr("gpu_resource_name=\"\",reason=\"empty\"} 1\n"),
              HasSubstr("node_removal_latency_seconds_sum{delay_reason=\"\",deleted=\"true\"} 608"),
              HasSubstr("phase_duration_seconds_sum{phase=\"waiting\"} 8"),
              Not(HasSubstr("scaleDown:nodeDeletion"))));
    now += 1min;
    memory.removals.clear();
    EXPECT_THAT(pass(), HasSubstr("cluster_autoscaler_function_duration_seconds_sum{function="
                                  "\"scaleDown:nodeDeletion:empty\"} 68\n"));
}

TEST_F(PassMetricsTest, ReportThePhaseInWhichARemovalFailed) {
    pass();
    removal(RemovalPhase::draining, false).evictions = {{"default/web-1/u", {.refused = noon}},
                                                        {"default/web-2/u", {.agreed = noon}}};
    pass();
    now += 1h;
    decision.node_changes = {
        {.node = "n1", .drop_taints = {std::string(engine::to_be_deleted_taint)}}};
    memory.removals.clear();
    EXPECT_THAT(pass(),
                AllOf(HasSubstr("failed_scale_down_total{kind=\"nonempty\",reason=\"2\"} 1\n"),
                      HasSubstr("evicted_pods_total{eviction_result=\"failed\"} 1\n"),
                      HasSubstr("nodeDeletion:nonEmpty\"} 3600\n")));
    removal(RemovalPhase::deleting);
    pass();
    removal(RemovalPhase::undoing);
    pass();
    EXPECT_THAT(pass(), HasSubstr("failed_scale_down_total{kind=\"empty\",reason=\"3\"} 1\n"))
        << "counted once, however long the rollback takes";
}

/// Numbers of the Zalando fork: 1 not tainted, 2 not drained, 3 not removed.
TEST_F(PassMetricsTest, NumberTheFailuresOfEachKindOfRemoval) {
    struct Case {
        RemovalPhase before;
        bool empty;
        const char* series;
    };
    pass();
    for (const auto& [before, empty, series] :
         {Case{RemovalPhase::tainting, true, "{kind=\"empty\",reason=\"1\"} 1\n"},
          Case{RemovalPhase::draining, true, "{kind=\"empty\",reason=\"2\"} 1\n"},
          Case{RemovalPhase::delayed, true, "{kind=\"empty\",reason=\"2\"} 2\n"},
          Case{RemovalPhase::deleting, true, "{kind=\"empty\",reason=\"3\"} 1\n"},
          Case{RemovalPhase::removed, true, "{kind=\"empty\",reason=\"3\"} 2\n"},
          Case{RemovalPhase::tainting, false, "{kind=\"nonempty\",reason=\"1\"} 1\n"},
          Case{RemovalPhase::waiting, false, "{kind=\"nonempty\",reason=\"2\"} 1\n"},
          Case{RemovalPhase::draining, false, "{kind=\"nonempty\",reason=\"2\"} 2\n"},
          Case{RemovalPhase::deleting, false, "{kind=\"nonempty\",reason=\"3\"} 1\n"}}) {
        removal(before, empty);
        pass();
        removal(RemovalPhase::undoing, empty);
        EXPECT_THAT(pass(), HasSubstr("failed_scale_down_total" + std::string(series)))
            << name_of(before);
        memory.removals.clear();
        pass();
    }
}

TEST_F(PassMetricsTest, CountARemovalThatFailsWithinOnePass) {
    pass();
    removal(RemovalPhase::undoing);
    EXPECT_THAT(pass(), HasSubstr("failed_scale_down_total{kind=\"empty\",reason=\"1\"} 1\n"))
        << "it could not be tainted";
    removal(RemovalPhase::delayed);
    pass();
    decision.removals = {{.group = group_a, .machines = {MachineId("n1")}, .nodes = {"n1"}}};
    results.removals = {{Error{ErrorCode::permission, "no"}}};
    removal(RemovalPhase::undoing);
    EXPECT_THAT(pass(), HasSubstr("failed_scale_down_total{kind=\"empty\",reason=\"3\"} 1\n"))
        << "its cloud refused";
}

TEST_F(PassMetricsTest, DoNotCountTaintsOfAnEarlierProcess) {
    pass();
    removal(RemovalPhase::undoing);
    decision.node_changes = {
        {.node = "n1", .drop_taints = {std::string(engine::to_be_deleted_taint)}}};
    EXPECT_THAT(pass(), Not(HasSubstr("failed_scale_down_total{")));
    memory.removals.clear();
    EXPECT_THAT(pass(), Not(HasSubstr("failed_scale_down_total{")));
}

TEST_F(PassMetricsTest, CountSuccessfulEvictions) {
    decision.evictions = {{.pod = "a"}, {.pod = "b"}, {.pod = "c"}};
    results.evictions = {std::nullopt, Error{ErrorCode::not_found, "gone"},
                         Error{ErrorCode::throttled, "not now"}};
    EXPECT_THAT(pass(),
                AllOf(HasSubstr("evicted_pods_total{eviction_result=\"succeeded\"} 2\n"),
                      HasSubstr("capstan_refused_evictions_total{code=\"throttled\"} 1\n")));
}

TEST_F(PassMetricsTest, DoNotCountUnsentEvictions) {
    decision.evictions = {{.pod = "a"}};
    results.evictions = {Error{ErrorCode::cancelled, "the view of the cluster is stale"}};
    EXPECT_THAT(pass(), AllOf(Not(HasSubstr("capstan_refused_evictions_total{")),
                              HasSubstr("evicted_pods_total{eviction_result=\"succeeded\"} 0\n")));
}

TEST_F(PassMetricsTest, ReportNodesThatASettingHoldsBack) {
    EXPECT_THAT(pass(), Not(HasSubstr("capstan_held_back_nodes{")));
    figures.held_back = {{"scale_down.delay_after_add", {.nodes = 2}}};
    EXPECT_THAT(pass(),
                HasSubstr("capstan_held_back_nodes{setting=\"scale_down.delay_after_add\"} 2\n"));
}

TEST_F(PassMetricsTest, ReportTheScaleDownCooldown) {
    const auto in_cooldown = [&] {
        return pass().find("cluster_autoscaler_scale_down_in_cooldown 1\n") != std::string::npos;
    };
    EXPECT_FALSE(in_cooldown());
    memory.last.scale_up = noon;
    EXPECT_TRUE(in_cooldown());
    settings.scale_down.delay_type_local = true;
    EXPECT_FALSE(in_cooldown()) << "each group has its own cooldown";
    settings.scale_down.delay_type_local = false;
    settings.scale_down.enabled = false;
    EXPECT_FALSE(in_cooldown()) << "scale-down is disabled";
    settings.scale_down.enabled = true;
    now += settings.scale_down.delay_after_add;
    EXPECT_FALSE(in_cooldown());
}

TEST_F(PassMetricsTest, CountGpuNodesSeparately) {
    engine::Group group = snapshot->groups->front();
    group.described = std::make_shared<const NodeTemplate>(
        NodeTemplate{.labels = {{"cloud.google.com/gke-accelerator", "nvidia-l4"}},
                     .capacity = {{"nvidia.com/gpu", 1}}});
    snapshot->groups = std::make_shared<const std::vector<engine::Group>>(1, group);
    pass();
    increase({});
    EXPECT_THAT(pass(), HasSubstr("scaled_up_gpu_nodes_total{gpu_name=\"nvidia-l4\",gpu_resource_"
                                  "name=\"nvidia.com/gpu\"} 3\n"));
    memory.backoffs[group_a] = {
        .until = noon + 1h, .last_failure = noon, .code = ErrorCode::out_of_capacity};
    EXPECT_THAT(pass(),
                HasSubstr("failed_gpu_scale_ups_total{gpu_name=\"nvidia-l4\",gpu_resource_name="
                          "\"nvidia.com/gpu\",reason=\"out_of_capacity\"} 1\n"));
    removal(RemovalPhase::removed);
    decision.removals = {{.group = group_a, .machines = {MachineId("n1")}, .nodes = {"n1"}}};
    results.removals = {{}};
    EXPECT_THAT(pass(), Not(HasSubstr("scaled_down_gpu_nodes_total{"))) << "the node has no GPU";
}

TEST_F(PassMetricsTest, MeasureHowLongNodesWereUnneededWithoutRemoval) {
    memory.unneeded["n2"] = {.since = noon - 3min};
    pass();
    memory.unneeded.clear();
    EXPECT_THAT(pass(),
                HasSubstr("latency_seconds_sum{delay_reason=\"\",deleted=\"false\"} 180\n"));
}

}  // namespace
}  // namespace capstan::autoscaler
