#include "observed_pass.hpp"

namespace capstan::autoscaler::pass_metrics {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

struct GrowthMetricsTest : ObservedPass {
    GrowthMetricsTest() : ObservedPass(&make_growth_metrics) {}

    void fail_now(ErrorCode code, const NodeGroupId& group = group_a) {
        memory.backoffs[group] = {.until = now + 5min, .last_failure = now, .code = code};
    }
    /// The exposition after a cloud was asked to remove m1, m2 and m3, which never joined.
    std::string remove_unjoined(std::vector<Error> errors) {
        decision.removals = {{.group = group_a,
                              .machines = {MachineId("m1"), MachineId("m2"), MachineId("m3")},
                              .cause = engine::RemovalCause::never_joined}};
        results.removals = {std::move(errors)};
        return pass();
    }
};

TEST_F(GrowthMetricsTest, CountWhatTheCloudAgreedToAndWhatItRefused) {
    pass();
    decision.increases = {{.group = group_a, .from = 2, .by = 5}};
    results.increases = {std::nullopt};
    results.answered_targets = {5};
    results.shortfalls = {Error{ErrorCode::quota, "quota of 5", "QuotaExceeded"}};
    fail_now(ErrorCode::quota);
    EXPECT_THAT(
        pass(),
        AllOf(HasSubstr("scaled_up_nodes_total{dra_drivers=\"\",gpu_name=\"\",gpu_resource_name="
                        "\"\"} 3\n"),
              HasSubstr("failed_node_creations_total{reason=\"QuotaExceeded\"} 2\n"),
              HasSubstr("failed_scale_ups_total{dra_drivers=\"\",gpu_name=\"\",gpu_resource_name="
                        "\"\",reason=\"QuotaExceeded\"} 1\n")));
}

TEST_F(GrowthMetricsTest, CountSeveralRefusalsOfOneGroupAsOneFailureOfAllMachines) {
    pass();
    decision.increases = {{.group = group_a, .by = 3}, {.group = group_a, .by = 2}};
    results.increases = {Error{ErrorCode::quota, "full", "First"},
                         Error{ErrorCode::quota, "full", "Last"}};
    fail_now(ErrorCode::quota);
    EXPECT_THAT(pass(), AllOf(HasSubstr("reason=\"Last\"} 1\n"), Not(HasSubstr("\"First\"")),
                              HasSubstr("failed_node_creations_total{reason=\"Last\"} 5\n")));
}

TEST_F(GrowthMetricsTest, CountNothingInADryRun) {
    decision.increases = {{.group = group_a, .by = 3}};
    decision.removals = {{.group = group_a,
                          .machines = {MachineId("m1")},
                          .cause = engine::RemovalCause::never_joined}};
    EXPECT_THAT(pass(), AllOf(Not(HasSubstr("scaled_up_nodes_total{")),
                              HasSubstr("old_unregistered_nodes_removed_count 0\n")));
}

TEST_F(GrowthMetricsTest, CountOnlyRemovedMachinesThatNeverJoined) {
    EXPECT_THAT(
        remove_unjoined({Error{.code = ErrorCode::conflict, .message = "", .subject = "m2"}}),
        HasSubstr("old_unregistered_nodes_removed_count 2\n"));
    EXPECT_THAT(remove_unjoined({Error{ErrorCode::unavailable, "no answer"}}),
                HasSubstr("old_unregistered_nodes_removed_count 2\n"))
        << "an error without a subject is about all machines";
    decision.removals = {{.group = group_a,
                          .machines = {MachineId("n1")},
                          .nodes = {"n1"},
                          .cause = engine::RemovalCause::empty}};
    results.removals = {{}};
    EXPECT_THAT(pass(), HasSubstr("old_unregistered_nodes_removed_count 2\n"));
}

TEST_F(GrowthMetricsTest, CountMachinesOfLateResultsOnce) {
    pass();
    decision.increases = {{.group = group_a, .by = 4}};
    results.increases = {std::nullopt};
    late_results();
    EXPECT_THAT(pass(), HasSubstr("gpu_resource_name=\"\"} 4\n"));
    EXPECT_THAT(pass(), HasSubstr("gpu_resource_name=\"\"} 4\n"));
}

TEST_F(GrowthMetricsTest, CountAFailureOfAGroupThatNoLongerExists) {
    pass();
    fail_now(ErrorCode::deadline, NodeGroupId("gone"));
    EXPECT_THAT(pass(), AllOf(HasSubstr("gpu_resource_name=\"\",reason=\"timeout\"} 1\n"),
                              HasSubstr("failed_node_creations_total{reason=\"timeout\"} 0\n")));
}

TEST_F(GrowthMetricsTest, CountEachNewFailureOfAGroup) {
    pass();
    for (int failures = 1; failures <= 3; ++failures) {
        now += 1min;
        fail_now(ErrorCode::unavailable);
        const std::string line = "reason=\"apiCallError\"} " + std::to_string(failures) + "\n";
        EXPECT_THAT(pass(), HasSubstr(line));
        EXPECT_THAT(pass(), HasSubstr(line)) << "not again while the group is backed off";
    }
    memory.backoffs.clear();
    EXPECT_THAT(pass(), HasSubstr("reason=\"apiCallError\"} 3\n"));
}

TEST_F(GrowthMetricsTest, HaveTheSeriesOfUpstreamsReasonsFromTheStart) {
    const std::string exposition = pass();
    for (const char* const reason : {"cloudProviderError", "apiCallError", "timeout"})
        EXPECT_THAT(
            exposition,
            AllOf(HasSubstr("failed_scale_ups_total{dra_drivers=\"\",gpu_name=\"\",gpu_resource_"
                            "name=\"\",reason=\"" +
                            std::string(reason) + "\"} 0\n"),
                  HasSubstr("failed_node_creations_total{reason=\"" + std::string(reason) +
                            "\"} 0\n")));
}

}  // namespace
}  // namespace capstan::autoscaler::pass_metrics
