#include "../test_cluster.hpp"

#include <capstan/time_text.hpp>

namespace capstan::simulator::control_plane {
namespace {

using ::testing::SizeIs;
using ::testing::StartsWith;

struct Kubelet : TestCluster {};

TEST_F(Kubelet, MakesANewNodeReadyAndFillsItsStatus) {
    add_node("n1");
    advance(900ms);
    EXPECT_EQ(condition("nodes", "n1", "Ready"), "none");
    advance(100ms);
    EXPECT_EQ(condition("nodes", "n1", "Ready"),
              "True KubeletReady: kubelet is posting ready status");
    const json::object node = get("nodes", "n1");
    EXPECT_EQ(api_server::text_at(node, "status.allocatable.cpu"), "4");
    EXPECT_EQ(api_server::text_at(node, "status.nodeInfo.kubeletVersion"), "v1.33.0");
    EXPECT_EQ(api_server::label_of(node, "kubernetes.io/hostname"), "n1");
    EXPECT_THAT(*api_server::find_array(node, "status.addresses"), SizeIs(2));
}

TEST_F(Kubelet, KeepsAReadyConditionThatAnotherClientSet) {
    create("nodes",
           "{'metadata':{'name':'n1'},'status':{'conditions':"
           "[{'type':'Ready','status':'False','reason':'Broken'}]}}");
    advance(10min);
    EXPECT_EQ(condition("nodes", "n1", "Ready"), "False Broken");
}

TEST_F(Kubelet, RenewsTheLeaseOfEachNodeWithin20Seconds) {
    add_nodes(2);
    advance(2s);
    const auto renewed = [&](const std::string& node) {
        const api_server::ApiObject lease =
            find("leases.coordination.k8s.io", node, "kube-node-lease");
        return find_rfc3339(api_server::text_at(*lease, "spec.renewTime")).value_or(Time{});
    };
    for (int i = 0; i < 10; ++i) {
        advance(7s);
        EXPECT_LE(store.now() - renewed("n1"), 20s);
        EXPECT_LE(store.now() - renewed("n2"), 20s);
    }
    EXPECT_NE(renewed("n1"), renewed("n2"));
}

TEST_F(Kubelet, StartsAPodInSteps) {
    add_node("n1");
    advance(2s);
    add_pod("web");
    advance(1s);
    json::object pod = get("pods", "web");
    EXPECT_EQ(api_server::text_at(pod, "status.phase"), "Pending");
    EXPECT_EQ(json::serialize(*api_server::find_array(pod, "status.containerStatuses")
                                   ->at(0)
                                   .as_object()
                                   .if_contains("state")),
              R"({"waiting":{"reason":"ContainerCreating"}})");
    EXPECT_FALSE(is_ready(pod));
    advance(1s);
    pod = get("pods", "web");
    EXPECT_EQ(api_server::text_at(pod, "status.phase"), "Running");
    EXPECT_TRUE(is_ready(pod));
    EXPECT_THAT(api_server::text_at(pod, "status.podIP"), StartsWith("10."));
    EXPECT_THAT(api_server::text_at(pod, "status.hostIP"), StartsWith("172."));
}

TEST_F(Kubelet, StartsAPodAfterItsStartUpTime) {
    add_node("n1");
    add_pod("web", "", ",'annotations':{'simulation.capstan.io/start-up':'1m'}");
    advance(1min);
    EXPECT_EQ(phases(), "Pending 1");
    advance(2s);
    EXPECT_EQ(phases(), "Running 1");
}

TEST_F(Kubelet, EndsAPodAfterItsRunTime) {
    add_node("n1");
    add_pod("good", "'restartPolicy':'Never',",
            ",'annotations':{'simulation.capstan.io/run-for':'30s'}");
    add_pod("bad", "'restartPolicy':'Never',",
            ",'annotations':{'simulation.capstan.io/run-for':'30s',"
            "'simulation.capstan.io/exit-code':'3'}");
    add_pod("endless", "'restartPolicy':'Never',");
    advance(20s);
    EXPECT_EQ(phases(), "Running 3");
    advance(20s);
    EXPECT_EQ(phases(), "Failed 1, Running 1, Succeeded 1");
    EXPECT_EQ(text("pods", "bad", "status.phase"), "Failed");
}

TEST_F(Kubelet, RestartsContainersWithRestartPolicyAlways) {
    add_node("n1");
    add_pod("web", "", ",'annotations':{'simulation.capstan.io/run-for':'10s'}");
    advance(1min);
    EXPECT_EQ(phases(), "Running 1");
    EXPECT_GE(number_or(api_server::find_array(get("pods", "web"), "status.containerStatuses")
                            ->at(0)
                            .as_object(),
                        "restartCount", 0),
              5);
}

TEST_F(Kubelet, StopsAPodAfterATenthOfItsGracePeriod) {
    add_node("n1");
    add_pod("web", "'terminationGracePeriodSeconds':100,");
    advance(5s);
    remove("pods", "web");
    advance(9s);
    EXPECT_EQ(phases(), "terminating 1");
    advance(1s);
    EXPECT_EQ(phases(), "");
}

TEST_F(Kubelet, RemovesAtOnceAPodThatNeverStarted) {
    add_node("n1");
    advance(2s);
    add_pod("web");
    advance(1s);
    remove("pods", "web");
    advance(0s);
    EXPECT_EQ(phases(), "");
}

struct KubeletWithoutHeartbeats : TestCluster {
    KubeletWithoutHeartbeats() : TestCluster({.heartbeat = 0s}) {}
};

TEST_F(KubeletWithoutHeartbeats, HasAReadyNodeWithoutALease) {
    add_node("n1");
    advance(10min);
    EXPECT_EQ(condition("nodes", "n1", "Ready"),
              "True KubeletReady: kubelet is posting ready status");
    EXPECT_EQ(find("leases.coordination.k8s.io", "n1", "kube-node-lease"), nullptr);
}

struct FastKubelet : TestCluster {
    FastKubelet() : TestCluster({.speed = 10}) {}
};

TEST_F(FastKubelet, IsTenTimesAsFastAtSpeed10) {
    add_node("n1");
    advance(100ms);
    EXPECT_EQ(condition("nodes", "n1", "Ready"),
              "True KubeletReady: kubelet is posting ready status");
    add_pod("web", "'terminationGracePeriodSeconds':100,");
    advance(200ms);
    EXPECT_EQ(phases(), "Running 1");
    remove("pods", "web");
    advance(1s);
    EXPECT_EQ(phases(), "");
}

}  // namespace
}  // namespace capstan::simulator::control_plane
