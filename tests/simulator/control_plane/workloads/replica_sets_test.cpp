#include "../test_cluster.hpp"

#include "simulator/control_plane/context/object_fields.hpp"
#include "simulator/control_plane/workloads/replica_sets.hpp"

namespace capstan::simulator::control_plane {
namespace {

using ::testing::ElementsAre;

struct ReplicaSetsTest : TestCluster {
    void SetUp() override {
        TestCluster::SetUp();
        add_nodes(3);
        advance(2s);
    }
};

TEST_F(ReplicaSetsTest, ReplaceADeletedPod) {
    add_workload("replicasets.apps", "web", "'replicas':2,");
    advance(5s);
    remove("pods", std::string(api_server::text_at(*all("pods").at(0), "metadata.name")));
    advance(10s);
    EXPECT_EQ(phases(), "Running 2");
    EXPECT_EQ(number("replicasets.apps", "web", "status.availableReplicas"), 2);
}

TEST_F(ReplicaSetsTest, ReplaceAFailedPod) {
    add_workload("replicasets.apps", "web", "'replicas':1,");
    advance(5s);
    set("pods", std::string(api_server::text_at(*all("pods").at(0), "metadata.name")),
        "status.phase", "Failed");
    advance(5s);
    EXPECT_EQ(phases(), "Failed 1, Running 1");
}

TEST_F(ReplicaSetsTest, AdoptMatchingPodsWithoutAController) {
    add_pod("orphan", "", ",'labels':{'app':'web'}");
    add_pod("stranger", "", ",'labels':{'app':'other'}");
    add_workload("replicasets.apps", "web", "'replicas':1,");
    advance(5s);
    EXPECT_EQ(phases(), "Running 2");
    EXPECT_EQ(api_server::text_at(*find_controller(get("pods", "orphan")), "name"), "web");
    EXPECT_EQ(find_controller(get("pods", "stranger")), nullptr);
}

TEST_F(ReplicaSetsTest, ReleaseAPodWhoseLabelsNoLongerMatch) {
    add_workload("replicasets.apps", "web", "'replicas':1,");
    advance(5s);
    const std::string name(api_server::text_at(*all("pods").at(0), "metadata.name"));
    set("pods", name, "metadata.labels", json::object{{"app", "debug"}});
    advance(5s);
    EXPECT_EQ(find_controller(get("pods", name)), nullptr);
    EXPECT_EQ(phases(), "Running 2");
}

TEST_F(ReplicaSetsTest, IncludeReplicationControllers) {
    create("replicationcontrollers",
           "{'metadata':{'name':'old'},'spec':{'replicas':2,'selector':{'app':'web'},'template':" +
               pod_template() + "}}");
    advance(5s);
    EXPECT_EQ(phases(), "Running 2");
    EXPECT_EQ(number("replicationcontrollers", "old", "status.readyReplicas"), 2);
}

TEST_F(ReplicaSetsTest, CreateManyPodsInSeveralBatches) {
    add_workload("replicasets.apps", "web", "'replicas':1200,");
    advance(5s);
    EXPECT_EQ(number("replicasets.apps", "web", "status.replicas"), 1200);
    set("replicasets.apps", "web", "spec.replicas", 0);
    advance(10s);
    EXPECT_EQ(phases(), "");
}

std::vector<std::string> order_of(const std::vector<std::string>& pods) {
    std::vector<api_server::ApiObject> objects;
    for (const std::string& pod : pods)
        objects.push_back(std::make_shared<json::object>(quoted_object(pod)));
    std::vector<std::string> out;
    for (const api_server::ApiObject& pod : in_removal_order(objects))
        out.emplace_back(api_server::text_at(*pod, "metadata.name"));
    return out;
}

/// A pod that is ready since `minute`.
std::string ready_pod(const std::string& name, const std::string& node, int minute,
                      const std::string& metadata = "") {
    return "{'metadata':{'name':'" + name + "'" + metadata + "},'spec':{'nodeName':'" + node +
           "'},'status':{'phase':'Running','conditions':[{'type':'Ready','status':'True',"
           "'lastTransitionTime':'2026-11-21T10:0" +
           std::to_string(minute) + ":00Z'}]}}";
}

TEST(PodRemovalOrder, PutsUnboundAndUnreadyPodsFirst) {
    EXPECT_THAT(order_of({ready_pod("ready", "n1", 1),
                          "{'metadata':{'name':'unready'},'spec':{'nodeName':'n2'},"
                          "'status':{'phase':'Running'}}",
                          "{'metadata':{'name':'starting'},'spec':{'nodeName':'n3'},"
                          "'status':{'phase':'Pending'}}",
                          "{'metadata':{'name':'unbound'},'status':{'phase':'Pending'}}"}),
                ElementsAre("unbound", "starting", "unready", "ready"));
}

TEST(PodRemovalOrder, PutsLowDeletionCostBeforeYoungPods) {
    const std::string costly =
        ",'annotations':{'controller.kubernetes.io/pod-deletion-cost':'100'}";
    EXPECT_THAT(order_of({ready_pod("costly", "n1", 9, costly), ready_pod("old", "n2", 1),
                          ready_pod("young", "n3", 5)}),
                ElementsAre("young", "old", "costly"));
}

TEST(PodRemovalOrder, PutsPodsOnTheSameNodeFirst) {
    EXPECT_THAT(
        order_of({ready_pod("alone", "n1", 9), ready_pod("a", "n2", 1), ready_pod("b", "n2", 2)}),
        ElementsAre("b", "a", "alone"));
}

}  // namespace
}  // namespace capstan::simulator::control_plane
