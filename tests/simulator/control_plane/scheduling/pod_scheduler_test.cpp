#include "../test_cluster.hpp"

namespace capstan::simulator::control_plane {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct PodSchedulerTest : TestCluster {};

TEST_F(PodSchedulerTest, BindsAPodAndRecordsAnEvent) {
    add_node("small", "1");
    add_node("large", "8");
    advance(2s);
    add_pod("web", "", "", "4");
    advance(0s);
    EXPECT_EQ(text("pods", "web", "spec.nodeName"), "large");
    EXPECT_EQ(condition("pods", "web", "PodScheduled"), "True ");
    EXPECT_THAT(event_messages("Scheduled"),
                ElementsAre("Successfully assigned default/web to large"));
}

TEST_F(PodSchedulerTest, ReportsUnschedulablePodsLikeKubeScheduler) {
    add_node("n1", "1");
    add_node("n2");
    add_node("n3");
    for (const char* node : {"n2", "n3"})
        set("nodes", node, "spec.taints",
            quoted_object("{'t':[{'key':'team','value':'blue','effect':'NoSchedule'}]}").at("t"));
    advance(2s);
    add_pod("web", "", "", "2");
    advance(0s);
    const std::string why =
        "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint "
        "{team: blue}.";
    EXPECT_EQ(condition("pods", "web", "PodScheduled"), "False Unschedulable: " + why);
    EXPECT_THAT(event_messages("FailedScheduling"), ElementsAre(why));
}

TEST_F(PodSchedulerTest, ReportsThatThereAreNoNodes) {
    add_pod("web");
    advance(0s);
    EXPECT_EQ(condition("pods", "web", "PodScheduled"),
              "False Unschedulable: no nodes available to schedule pods");
}

TEST_F(PodSchedulerTest, RetriesWhenANodeJoins) {
    add_pod("web");
    advance(1min);
    add_node("n1");
    advance(5s);
    EXPECT_EQ(text("pods", "web", "spec.nodeName"), "n1");
    EXPECT_EQ(phases(), "Running 1");
}

TEST_F(PodSchedulerTest, GivesANewNodeToTheOldestPod) {
    add_pod("oldest", "", "", "4");
    advance(1min);
    add_node("n1");
    advance(1s);
    add_pod("newest");
    advance(1s);
    EXPECT_EQ(text("pods", "oldest", "spec.nodeName"), "n1");
    EXPECT_EQ(text("pods", "newest", "spec.nodeName"), "");
}

TEST_F(PodSchedulerTest, RetriesWhenAPodEnds) {
    add_node("n1", "1");
    add_pod("first");
    add_pod("second");
    advance(5s);
    EXPECT_EQ(phases(), "Pending 1, Running 1");
    remove("pods", text("pods", "first", "spec.nodeName").empty() ? "second" : "first");
    advance(10s);
    EXPECT_EQ(phases(), "Running 1");
}

TEST_F(PodSchedulerTest, SchedulesHigherPriorityFirst) {
    add_pod("low");
    add_pod("high", "'priority':1000,");
    advance(0s);
    add_node("n1", "1");
    advance(5s);
    EXPECT_EQ(text("pods", "high", "spec.nodeName"), "n1");
    EXPECT_EQ(text("pods", "low", "spec.nodeName"), "");
}

TEST_F(PodSchedulerTest, SetsPriorityAndPreemptionPolicyFromThePriorityClass) {
    create("priorityclasses.scheduling.k8s.io", "{'metadata':{'name':'gold'},'value':500}");
    create("priorityclasses.scheduling.k8s.io",
           "{'metadata':{'name':'batch'},'value':0,'preemptionPolicy':'Never'}");
    add_pod("plain");
    add_pod("gold", "'priorityClassName':'gold',");
    add_pod("system", "'priorityClassName':'system-node-critical',");
    add_pod("batch", "'priorityClassName':'batch',");
    advance(0s);
    EXPECT_EQ(text("pods", "batch", "spec.preemptionPolicy"), "Never");
    EXPECT_EQ(number("pods", "gold", "spec.priority"), 500);
    EXPECT_EQ(number("pods", "system", "spec.priority"), 2'000'001'000);
    EXPECT_EQ(number("pods", "plain", "spec.priority"), 0);
}

TEST_F(PodSchedulerTest, ContinuesAfterACompaction) {
    add_node("n1");
    add_pod("gone");
    advance(5s);
    add_pod("web");
    remove("pods", "gone", {.grace_s = 0});
    store.compact(store.revision());
    advance(5s);
    EXPECT_EQ(phases(), "Running 1");
    EXPECT_EQ(text("pods", "web", "spec.nodeName"), "n1");
}

TEST_F(PodSchedulerTest, WaitsUntilTheNodeIsReady) {
    add_node("n1");
    add_pod("web");
    advance(0s);
    EXPECT_EQ(condition("pods", "web", "PodScheduled"),
              "False Unschedulable: 0/1 nodes are available: 1 node(s) had untolerated taint "
              "{node.kubernetes.io/not-ready: }.");
    advance(2s);
    EXPECT_EQ(text("pods", "web", "spec.nodeName"), "n1");
}

TEST_F(PodSchedulerTest, IgnoresPodsOfOtherSchedulers) {
    add_node("n1");
    add_pod("web", "'schedulerName':'mine',");
    advance(1min);
    EXPECT_EQ(text("pods", "web", "spec.nodeName"), "");
    EXPECT_EQ(condition("pods", "web", "PodScheduled"), "none");
}

TEST_F(PodSchedulerTest, HoldsGatedPods) {
    add_node("n1");
    add_pod("web", "'schedulingGates':[{'name':'quota'}],");
    advance(5s);
    EXPECT_EQ(condition("pods", "web", "PodScheduled"),
              "False SchedulingGated: Scheduling is blocked due to non-empty scheduling gates");
    set("pods", "web", "spec.schedulingGates", nullptr);
    advance(5s);
    EXPECT_EQ(text("pods", "web", "status.phase"), "Running");
    EXPECT_THAT(event_messages("FailedScheduling"), IsEmpty());
}

TEST_F(PodSchedulerTest, WritesAnUnchangedConditionOnce) {
    add_node("n1", "1");
    add_pod("web", "", "", "2");
    advance(10s);
    const auto before = text("pods", "web", "metadata.resourceVersion");
    set("nodes", "n1", "metadata.labels", json::object{{"touched", "yes"}});
    advance(10s);
    EXPECT_EQ(text("pods", "web", "metadata.resourceVersion"), before);
}

TEST_F(PodSchedulerTest, Schedules5000PodsOn1000Nodes) {
    for (int i = 0; i < 1000; ++i) add_node("n" + std::to_string(i));
    for (int i = 0; i < 5000; ++i) add_pod("p" + std::to_string(i), "", "", "500m");
    advance(10s);
    EXPECT_EQ(phases(), "Running 5000");
}

struct DefaultTopologySpread : TestCluster {
    DefaultTopologySpread() : TestCluster({.default_spread = {{.topology_key = "zone"}}}) {}

    /// Room for four pods in zone a, and for one in b.
    void add_zones() {
        add_node("a", "4", ",'labels':{'zone':'a'}");
        add_node("b", "1", ",'labels':{'zone':'b'}");
        advance(2s);
    }
};

TEST_F(DefaultTopologySpread, CountsPodsOfTheSameController) {
    add_zones();
    add_workload("replicasets.apps", "web", "'replicas':5,");
    advance(10s);
    EXPECT_EQ(phases(), "Pending 2, Running 3");
    EXPECT_THAT(event_messages("FailedScheduling"),
                ::testing::Contains("0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't "
                                    "match pod topology spread constraints."));
}

TEST_F(DefaultTopologySpread, CountsPodsOfTheSameService) {
    add_zones();
    for (const char* name : {"p1", "p2", "p3", "p4"}) add_pod(name, "", ",'labels':{'app':'web'}");
    advance(10s);
    EXPECT_EQ(phases(), "Running 4") << "no Service selects them";
    for (const char* name : {"p1", "p2", "p3", "p4"}) remove("pods", name);
    advance(1min);
    create("services",
           "{'metadata':{'name':'web'},'spec':{'selector':{'app':'web'},"
           "'ports':[{'port':80}]}}");
    for (const char* name : {"q1", "q2", "q3", "q4"}) add_pod(name, "", ",'labels':{'app':'web'}");
    advance(10s);
    EXPECT_EQ(phases(), "Pending 1, Running 3");
    remove("services", "web");
    advance(10s);
    EXPECT_EQ(phases(), "Running 4");
}

}  // namespace
}  // namespace capstan::simulator::control_plane
