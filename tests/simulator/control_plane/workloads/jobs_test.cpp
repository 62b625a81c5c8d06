#include "../test_cluster.hpp"

#include "simulator/control_plane/workloads/jobs.hpp"

namespace capstan::simulator::control_plane {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct JobsTest : TestCluster {
    void SetUp() override {
        TestCluster::SetUp();
        add_nodes(2);
        advance(2s);
    }
    void add_job(const std::string& spec, const std::string& annotations = "",
                 const std::string& policy = "Never") {
        create("jobs.batch",
               "{'metadata':{'name':'sum'},'spec':{" + spec + "'template':" +
                   pod_template("100m", "'restartPolicy':'" + policy + "',", "web:1", annotations) +
                   "}}");
    }
};

TEST_F(JobsTest, AreCompleteAfterTheirPodSucceeded) {
    add_job("");
    advance(5s);
    EXPECT_EQ(phases(), "Running 1");
    EXPECT_EQ(number("jobs.batch", "sum", "status.active"), 1);
    advance(10s);
    EXPECT_EQ(phases(), "Succeeded 1");
    EXPECT_EQ(condition("jobs.batch", "sum", "Complete"),
              "True CompletionsReached: Reached expected number of succeeded pods");
    EXPECT_EQ(number("jobs.batch", "sum", "status.succeeded"), 1);
    EXPECT_EQ(number("jobs.batch", "sum", "status.active"), 0);
    EXPECT_NE(text("jobs.batch", "sum", "status.completionTime"), "");
}

TEST_F(JobsTest, RunUpToParallelismPodsAtOnce) {
    add_job("'completions':5,'parallelism':2,");
    advance(5s);
    EXPECT_EQ(phases(), "Running 2");
    advance(1min);
    EXPECT_EQ(phases(), "Succeeded 5");
    EXPECT_EQ(condition("jobs.batch", "sum", "Complete").substr(0, 4), "True");
}

TEST_F(JobsTest, FailAtTheirBackoffLimit) {
    add_job("'backoffLimit':2,", "'simulation.capstan.io/exit-code':'1'");
    advance(15s);
    EXPECT_EQ(phases(), "Failed 1");
    advance(5min);
    EXPECT_EQ(phases(), "Failed 3");
    EXPECT_EQ(condition("jobs.batch", "sum", "Failed"),
              "True BackoffLimitExceeded: Job has reached the specified backoff limit");
}

TEST_F(JobsTest, FailAtTheirActiveDeadline) {
    add_job("'activeDeadlineSeconds':30,", "'simulation.capstan.io/run-for':'1h'");
    advance(25s);
    EXPECT_EQ(phases(), "Running 1");
    advance(30s);
    EXPECT_EQ(phases(), "");
    EXPECT_EQ(condition("jobs.batch", "sum", "Failed").substr(0, 21), "True DeadlineExceeded");
}

TEST_F(JobsTest, RunNoPodsWhileSuspended) {
    add_job("'suspend':true,");
    advance(1min);
    EXPECT_EQ(phases(), "");
    set("jobs.batch", "sum", "spec.suspend", false);
    advance(1min);
    EXPECT_EQ(phases(), "Succeeded 1");
}

TEST_F(JobsTest, GiveEachCompletionIndexToOnePod) {
    add_job("'completions':3,'parallelism':3,'completionMode':'Indexed',");
    advance(1min);
    EXPECT_EQ(text("jobs.batch", "sum", "status.completedIndexes"), "0-2");
    std::vector<std::string> indexes;
    for (const api_server::ApiObject& pod : all("pods"))
        indexes.emplace_back(
            api_server::label_of(*pod, "batch.kubernetes.io/job-completion-index"));
    std::ranges::sort(indexes);
    EXPECT_THAT(indexes, ElementsAre("0", "1", "2"));
}

TEST_F(JobsTest, ReplaceAPodThatWasLostWithItsNode) {
    add_job("", "'simulation.capstan.io/run-for':'1m'");
    advance(5s);
    remove("nodes", std::string(api_server::text_at(*all("pods").at(0), "spec.nodeName")));
    advance(50s);
    EXPECT_EQ(number("jobs.batch", "sum", "status.failed"), 1);
    advance(2min);
    EXPECT_EQ(number("jobs.batch", "sum", "status.succeeded"), 1);
    EXPECT_EQ(phases(), "Succeeded 1");
}

TEST_F(JobsTest, DeleteTheirPodsWithThem) {
    add_job("", "'simulation.capstan.io/run-for':'1h'");
    advance(5s);
    remove("jobs.batch", "sum");
    advance(30s);
    EXPECT_EQ(phases(), "");
}

TEST_F(JobsTest, KeepOrphanedPodsThatCanBeDeletedLater) {
    add_job("", "'simulation.capstan.io/run-for':'1h'");
    advance(5s);
    remove("jobs.batch", "sum", {.propagation = "Orphan"});
    advance(5s);
    EXPECT_EQ(phases(), "Running 1");
    remove("pods", std::string(api_server::text_at(*all("pods").at(0), "metadata.name")));
    advance(30s);
    EXPECT_EQ(phases(), "");
}

TEST_F(JobsTest, AreDeletedAfterTheirTtl) {
    add_job("'ttlSecondsAfterFinished':60,");
    advance(30s);
    EXPECT_EQ(phases(), "Succeeded 1");
    advance(1min);
    EXPECT_THAT(all("jobs.batch"), IsEmpty());
    EXPECT_EQ(phases(), "");
}

TEST(JobProgress, ConvertsCompletedIndexes) {
    EXPECT_EQ(index_text({0, 2, 3, 4, 6, 7}), "0,2-4,6,7");
    EXPECT_THAT(parse_indexes("0,2-4,6,7"), ElementsAre(0, 2, 3, 4, 6, 7));
    EXPECT_EQ(index_text({}), "");
    EXPECT_THAT(parse_indexes(""), IsEmpty());
}

TEST(JobProgress, IsCompleteAfterOneSuccessWithoutCompletions) {
    EXPECT_FALSE(find_end({.parallelism = 2, .active = 1, .succeeded = 1}));
    EXPECT_EQ(wanted_pods({.parallelism = 2, .active = 1, .succeeded = 1}), 1);
    EXPECT_EQ(find_end({.parallelism = 2, .succeeded = 2})->type, "Complete");
}

}  // namespace
}  // namespace capstan::simulator::control_plane
