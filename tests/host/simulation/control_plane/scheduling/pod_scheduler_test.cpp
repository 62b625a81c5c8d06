#include "../living_cluster.hpp"

namespace capstan::simulation::control_plane {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Scheduling : LivingCluster {};

TEST_F(Scheduling, BindsAPodToTheNodeThatHasRoomAndTellsOfIt) {
    add_node("small", "1");
    add_node("large", "8");
    pass(2s);
    add_pod("web", "", "", "4");
    pass(0s);
    EXPECT_EQ(text("pods", "web", "spec.nodeName"), "large");
    EXPECT_EQ(condition("pods", "web", "PodScheduled"), "True ");
    EXPECT_THAT(told("Scheduled"), ElementsAre("Successfully assigned default/web to large"));
}

TEST_F(Scheduling, SaysInKubeSchedulersWordsWhyAPodFitsNowhere) {
    add_node("n1", "1");
    add_node("n2");
    add_node("n3");
    for (const char* node : {"n2", "n3"})
        set("nodes", node, "spec.taints",
            quoted_object("{'t':[{'key':'team','value':'blue','effect':'NoSchedule'}]}").at("t"));
    pass(2s);
    add_pod("web", "", "", "2");
    pass(0s);
    const std::string why =
        "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint "
        "{team: blue}.";
    EXPECT_EQ(condition("pods", "web", "PodScheduled"), "False Unschedulable: " + why);
    EXPECT_THAT(told("FailedScheduling"), ElementsAre(why));
}

TEST_F(Scheduling, SaysThatThereAreNoNodes) {
    add_pod("web");
    pass(0s);
    EXPECT_EQ(condition("pods", "web", "PodScheduled"),
              "False Unschedulable: no nodes available to schedule pods");
}

TEST_F(Scheduling, TriesAgainWhenANodeComes) {
    add_pod("web");
    pass(1min);
    add_node("n1");
    pass(5s);
    EXPECT_EQ(text("pods", "web", "spec.nodeName"), "n1");
    EXPECT_EQ(phases(), "Running 1");
}

TEST_F(Scheduling, TriesAgainWhenAPodGoes) {
    add_node("n1", "1");
    add_pod("first");
    add_pod("second");
    pass(5s);
    EXPECT_EQ(phases(), "Pending 1, Running 1");
    remove("pods", text("pods", "first", "spec.nodeName").empty() ? "second" : "first");
    pass(10s);
    EXPECT_EQ(phases(), "Running 1");
}

TEST_F(Scheduling, GivesTheLastRoomToTheHigherPriority) {
    add_pod("low");
    add_pod("high", "'priority':1000,");
    pass(0s);
    add_node("n1", "1");
    pass(5s);
    EXPECT_EQ(text("pods", "high", "spec.nodeName"), "n1");
    EXPECT_EQ(text("pods", "low", "spec.nodeName"), "");
}

TEST_F(Scheduling, TakesAPodsPriorityFromItsClass) {
    create("priorityclasses.scheduling.k8s.io", "{'metadata':{'name':'gold'},'value':500}");
    add_pod("plain");
    add_pod("gold", "'priorityClassName':'gold',");
    add_pod("system", "'priorityClassName':'system-node-critical',");
    pass(0s);
    EXPECT_EQ(number("pods", "gold", "spec.priority"), 500);
    EXPECT_EQ(number("pods", "system", "spec.priority"), 2'000'001'000);
    EXPECT_EQ(number("pods", "plain", "spec.priority"), 0);
}

TEST_F(Scheduling, GoesOnAfterAHistoryThatWasForgotten) {
    add_node("n1");
    add_pod("gone");
    pass(5s);
    add_pod("web");
    remove("pods", "gone", {.grace_s = 0});
    store.compact(store.revision());
    pass(5s);
    EXPECT_EQ(phases(), "Running 1");
    EXPECT_EQ(text("pods", "web", "spec.nodeName"), "n1");
}

TEST_F(Scheduling, WaitsForANodeToBeReady) {
    add_node("n1");
    add_pod("web");
    pass(0s);
    EXPECT_EQ(condition("pods", "web", "PodScheduled"),
              "False Unschedulable: 0/1 nodes are available: 1 node(s) had untolerated taint "
              "{node.kubernetes.io/not-ready: }.");
    pass(2s);
    EXPECT_EQ(text("pods", "web", "spec.nodeName"), "n1");
}

TEST_F(Scheduling, LeavesPodsOfOtherSchedulersAlone) {
    add_node("n1");
    add_pod("web", "'schedulerName':'mine',");
    pass(1min);
    EXPECT_EQ(text("pods", "web", "spec.nodeName"), "");
    EXPECT_EQ(condition("pods", "web", "PodScheduled"), "none");
}

TEST_F(Scheduling, HoldsGatedPodsBackUntilTheirGatesGo) {
    add_node("n1");
    add_pod("web", "'schedulingGates':[{'name':'quota'}],");
    pass(5s);
    EXPECT_EQ(condition("pods", "web", "PodScheduled"),
              "False SchedulingGated: Scheduling is blocked due to non-empty scheduling gates");
    set("pods", "web", "spec.schedulingGates", nullptr);
    pass(5s);
    EXPECT_EQ(text("pods", "web", "status.phase"), "Running");
    EXPECT_THAT(told("FailedScheduling"), IsEmpty());
}

TEST_F(Scheduling, SaysTheSameReasonOnce) {
    add_node("n1", "1");
    add_pod("web", "", "", "2");
    pass(10s);
    const auto before = text("pods", "web", "metadata.resourceVersion");
    set("nodes", "n1", "metadata.labels", json::object{{"touched", "yes"}});
    pass(10s);
    EXPECT_EQ(text("pods", "web", "metadata.resourceVersion"), before);
}

TEST_F(Scheduling, PlacesFiveThousandPodsOnAThousandNodes) {
    for (int i = 0; i < 1000; ++i) add_node("n" + std::to_string(i));
    for (int i = 0; i < 5000; ++i) add_pod("p" + std::to_string(i), "", "", "500m");
    pass(10s);
    EXPECT_EQ(phases(), "Running 5000");
}

struct Spreading : LivingCluster {
    Spreading() : LivingCluster({.default_spread = {{.topology_key = "zone"}}}) {}

    /// Room for four pods in zone a, and for one in b.
    void add_zones() {
        add_node("a", "4", ",'labels':{'zone':'a'}");
        add_node("b", "1", ",'labels':{'zone':'b'}");
        pass(2s);
    }
};

TEST_F(Spreading, CountsThePodsOfAController) {
    add_zones();
    add_workload("replicasets.apps", "web", "'replicas':5,");
    pass(10s);
    EXPECT_EQ(phases(), "Pending 2, Running 3");
    EXPECT_THAT(told("FailedScheduling"),
                ::testing::Contains("0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't "
                                    "match pod topology spread constraints."));
}

TEST_F(Spreading, CountsThePodsOfAService) {
    add_zones();
    for (const char* name : {"p1", "p2", "p3", "p4"}) add_pod(name, "", ",'labels':{'app':'web'}");
    pass(10s);
    EXPECT_EQ(phases(), "Running 4") << "nobody selects them";
    for (const char* name : {"p1", "p2", "p3", "p4"}) remove("pods", name);
    pass(1min);
    create("services",
           "{'metadata':{'name':'web'},'spec':{'selector':{'app':'web'},"
           "'ports':[{'port':80}]}}");
    for (const char* name : {"q1", "q2", "q3", "q4"}) add_pod(name, "", ",'labels':{'app':'web'}");
    pass(10s);
    EXPECT_EQ(phases(), "Pending 1, Running 3");
    remove("services", "web");
    pass(10s);
    EXPECT_EQ(phases(), "Running 4");
}

}  // namespace
}  // namespace capstan::simulation::control_plane
