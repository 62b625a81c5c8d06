#include <capstan/well_known.hpp>

#include "engine/node_marks.hpp"
#include "observed_pass.hpp"

namespace capstan::autoscaler::pass_metrics {
namespace {

using engine::RemovalPhase;
using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

struct PassGaugesTest : ObservedPass {
    PassGaugesTest() : ObservedPass(&make_pass_gauges) {}

    /// Pending pods of so many kinds, all of one controller, unless `uid` is empty.
    std::vector<engine::PodCount> kinds_of_pods(int kinds, const std::string& uid) {
        std::vector<engine::PodCount> out;
        for (int i = 0; i < kinds; ++i) {
            engine::snapshot::PodObject pod{.labels = {{"kind", std::to_string(i)}}};
            pod.owner = {.kind = "ReplicaSet", .api_group = "apps", .name = "web", .uid = uid};
            out.push_back({.equivalence_group = builder.add_equivalence_group(pod), .count = 1});
        }
        return out;
    }
};

TEST_F(PassGaugesTest, LeaveOutTheResourcesOfNodesThatAreRemoved) {
    set_node({.name = "n2",
              .taints = {{.key = std::string(engine::to_be_deleted_taint), .value = ""}},
              .capacity = {{"cpu", 16'000}, {"memory", std::int64_t{8} << 30}}});
    set_node({.name = "n3", .capacity = {{"cpu", 500}, {"memory", 1 << 20}}});
    EXPECT_THAT(pass(),
                AllOf(HasSubstr("cluster_cpu_current_cores 4.5\n"),
                      HasSubstr("cluster_memory_current_bytes 1074790400\n"),
                      HasSubstr("node_taints_count{type=\"ToBeDeletedByClusterAutoscaler\"} 1\n")));
}

TEST_F(PassGaugesTest, CountTaintsByTheirKind) {
    settings.startup_taints = {"example.com/agent"};
    settings.status_taints = {"example.com/maintenance"};
    set_node({.name = "n1",
              .taints = {{.key = "example.com/agent", .value = ""},
                         {.key = "example.com/maintenance", .value = ""},
                         {.key = "team", .value = "a"}}});
    set_node({.name = "n2",
              .taints = {{.key = "team", .value = "b"},
                         {.key = std::string(well_known::not_ready_taint), .value = ""}}});
    EXPECT_THAT(pass(),
                AllOf(HasSubstr("node_taints_count{type=\"startup-taint\"} 1\n"),
                      HasSubstr("node_taints_count{type=\"status-taint\"} 1\n"),
                      HasSubstr("node_taints_count{type=\"other\"} 2\n"),
                      HasSubstr("node_taints_count{type=\"node.kubernetes.io/not-ready\"} 1\n")));
    for (const char* const name : {"n1", "n2"}) set_node({.name = name});
    EXPECT_THAT(pass(), Not(HasSubstr("node_taints_count{")));
}

TEST_F(PassGaugesTest, HaveNoSeriesForUnknownSizesOfAGroup) {
    groups.push_back({.group = {.id = NodeGroupId("b"), .autoprovisioned = true}});
    EXPECT_THAT(pass(), AllOf(HasSubstr("node_group_min_count{node_group=\"a\"} 1\n"),
                              HasSubstr("node_group_max_count{node_group=\"a\"} 5\n"),
                              Not(HasSubstr("node_group_min_count{node_group=\"b\"}")),
                              Not(HasSubstr("node_group_max_count{node_group=\"b\"}")),
                              Not(HasSubstr("node_group_target_count{node_group=\"b\"}")),
                              HasSubstr("node_group_healthiness{node_group=\"b\"}"),
                              HasSubstr("groups_count{node_group_type=\"autoscaled\"} 1\n"),
                              HasSubstr("groups_count{node_group_type=\"autoprovisioned\"} 1\n")));
}

TEST_F(PassGaugesTest, ShowABackOffUpToItsLastMoment) {
    const auto shows_backoff = [&] {
        return AllOf(HasSubstr("node_group_in_backoff{node_group=\"a\"} 1\n"),
                     HasSubstr("backoff_status{node_group=\"a\",reason=\"quota\"} 1\n"),
                     Not(HasSubstr("backoff_status{node_group=\"a\",reason=\"\"}")));
    };
    memory.backoffs[group_a] = {
        .until = noon + 5min, .last_failure = noon, .code = ErrorCode::quota};
    EXPECT_THAT(pass(), shows_backoff());
    now = noon + 5min;
    EXPECT_THAT(pass(), shows_backoff());
    now += 1ns;
    EXPECT_THAT(pass(), AllOf(HasSubstr("node_group_in_backoff{node_group=\"a\"} 0\n"),
                              HasSubstr("backoff_status{node_group=\"a\",reason=\"\"} 0\n"),
                              Not(HasSubstr("reason=\"quota\""))));
    memory.backoffs[group_a].until.reset();
    EXPECT_THAT(pass(), shows_backoff()) << "until a machine joins";
}

TEST_F(PassGaugesTest, ShowTheHealthOfTheClusterAndOfGroups) {
    health.emplace();
    health->groups = {{.unjoined = 2, .long_unjoined = 1}};
    health->all = {
        .ready = 1, .unready = 2, .starting = 3, .long_starting = 4, .suspended = 5, .deleted = 6};
    EXPECT_THAT(pass(), AllOf(HasSubstr("cluster_safe_to_autoscale 1\n"),
                              HasSubstr("node_group_healthiness{node_group=\"a\"} 1\n"),
                              HasSubstr("capstan_node_group_unhealthy{node_group=\"a\"} 0\n"),
                              HasSubstr("nodes_count{state=\"ready\"} 1\n"),
                              HasSubstr("nodes_count{state=\"unready\"} 2\n"),
                              HasSubstr("nodes_count{state=\"notStarted\"} 3\n"),
                              HasSubstr("nodes_count{state=\"longNotStarted\"} 4\n"),
                              HasSubstr("nodes_count{state=\"suspended\"} 5\n"),
                              HasSubstr("nodes_count{state=\"deleted\"} 6\n"),
                              HasSubstr("nodes_count{state=\"unregistered\"} 2\n"),
                              HasSubstr("nodes_count{state=\"longUnregistered\"} 1\n")));
    health->groups.front().unhealthy_because = "3 of 5 nodes are missing";
    health->unhealthy_because = "60% of the nodes are not ready";
    EXPECT_THAT(pass(), AllOf(HasSubstr("cluster_safe_to_autoscale 0\n"),
                              HasSubstr("node_group_healthiness{node_group=\"a\"} 0\n"),
                              HasSubstr("capstan_node_group_unhealthy{node_group=\"a\"} 1\n")));
}

TEST_F(PassGaugesTest, CountControllersWithMoreThanTenKindsOfPendingPods) {
    struct Case {
        int kinds;
        const char *uid, *line;
    };
    for (const auto& [kinds, uid, line] : {Case{10, "u1", "overflowing_controllers_count 0\n"},
                                           Case{11, "u1", "overflowing_controllers_count 1\n"},
                                           Case{11, "", "overflowing_controllers_count 0\n"}}) {
        decision.schedulable = kinds_of_pods(kinds, uid);
        decision.unschedulable = {{.pods = decision.schedulable.front()}};  // counts once
        EXPECT_THAT(pass(), HasSubstr(line)) << kinds << " of controller \"" << uid << "\"";
    }
}

TEST_F(PassGaugesTest, CountSchedulableAndUnschedulablePodsTogether) {
    decision.schedulable = {
        {.equivalence_group = kinds_of_pods(1, "u1")[0].equivalence_group, .count = 5}};
    decision.unschedulable = {{.pods = {.count = 7}}};
    EXPECT_THAT(pass(), HasSubstr("unschedulable_pods_count{type=\"unschedulable\"} 12\n"));
    EXPECT_THAT(pass(), HasSubstr("unschedulable_pods_count{type=\"unschedulable\"} 0\n"));
}

TEST_F(PassGaugesTest, CountNoRemovalThatIsUndoneAsPending) {
    for (const RemovalPhase phase :
         {RemovalPhase::tainting, RemovalPhase::removed, RemovalPhase::undoing})
        memory.removals[std::string(engine::name_of(phase))].phase = phase;
    EXPECT_THAT(pass(), HasSubstr("pending_node_deletions 2\n"));
}

TEST_F(PassGaugesTest, CountUnremovableNodesByTheirCurrentReason) {
    using engine::Unremovable;
    decision.nodes = {{.node = "n1", .reason = Unremovable::not_underutilized},
                      {.node = "n2", .reason = Unremovable::not_underutilized},
                      {.node = "n3", .reason = Unremovable::none}};
    EXPECT_THAT(pass(), AllOf(HasSubstr("unremovable_nodes_count{reason=\"NotUnderutilized\"} 2\n"),
                              Not(HasSubstr("NoReason"))));
    decision.nodes = {{.node = "n1", .reason = Unremovable::blocked_by_pod}};
    EXPECT_THAT(pass(), AllOf(HasSubstr("unremovable_nodes_count{reason=\"BlockedByPod\"} 1\n"),
                              Not(HasSubstr("NotUnderutilized"))));
}

TEST_F(PassGaugesTest, ShowTheLimitsOfTheCluster) {
    EXPECT_THAT(pass(), AllOf(HasSubstr("max_nodes_count 0\n"),
                              HasSubstr("cpu_limits_cores{direction=\"minimum\"} 0\n"),
                              HasSubstr("cpu_limits_cores{direction=\"maximum\"} +Inf\n")));
    settings.nodes.max = 30;
    settings.cpu.max = 1500;
    settings.memory = {.min = 1024, .max = 4096};
    EXPECT_THAT(pass(), AllOf(HasSubstr("max_nodes_count 30\n"),
                              HasSubstr("cpu_limits_cores{direction=\"maximum\"} 1.5\n"),
                              HasSubstr("memory_limits_bytes{direction=\"minimum\"} 1024\n"),
                              HasSubstr("memory_limits_bytes{direction=\"maximum\"} 4096\n")));
}

TEST_F(PassGaugesTest, RemoveTheSeriesOfASettingThatHoldsNothingBack) {
    figures.held_back = {{"scale_down.delay_after_add", {.nodes = 2}},
                         {"scale_down.max_parallelism", {.nodes = 1}}};
    EXPECT_THAT(pass(), HasSubstr("{setting=\"scale_down.max_parallelism\"} 1\n"));
    figures.held_back = {{"scale_down.delay_after_add", {.nodes = 3}}};
    EXPECT_THAT(pass(), AllOf(HasSubstr("{setting=\"scale_down.delay_after_add\"} 3\n"),
                              Not(HasSubstr("max_parallelism"))));
}

TEST_F(PassGaugesTest, MeasureTheTimeWithoutEvaluationFromTheFirstPass) {
    EXPECT_THAT(pass(), HasSubstr("max_node_skip_eval_duration_seconds 0\n"));
    now += 90s;
    EXPECT_THAT(pass(), HasSubstr("max_node_skip_eval_duration_seconds 90\n"));
}

}  // namespace
}  // namespace capstan::autoscaler::pass_metrics
