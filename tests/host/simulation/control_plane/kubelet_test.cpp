#include "living_cluster.hpp"

#include <capstan/time_text.hpp>

namespace capstan::simulation::control_plane {
namespace {

using ::testing::SizeIs;
using ::testing::StartsWith;

struct Kubelet : LivingCluster {};

TEST_F(Kubelet, MakesANewNodeReadyAndCompletesIt) {
    add_node("n1");
    pass(900ms);
    EXPECT_EQ(condition("nodes", "n1", "Ready"), "none");
    pass(100ms);
    EXPECT_EQ(condition("nodes", "n1", "Ready"),
              "True KubeletReady: kubelet is posting ready status");
    const json::object node = get("nodes", "n1");
    EXPECT_EQ(api_server::text_at(node, "status.allocatable.cpu"), "4");
    EXPECT_EQ(api_server::text_at(node, "status.nodeInfo.kubeletVersion"), "v1.33.0");
    EXPECT_EQ(api_server::label_of(node, "kubernetes.io/hostname"), "n1");
    EXPECT_THAT(*api_server::find_array(node, "status.addresses"), SizeIs(2));
}

TEST_F(Kubelet, LeavesANodeNotReadyThatSomebodySaysIs) {
    create("nodes",
           "{'metadata':{'name':'n1'},'status':{'conditions':"
           "[{'type':'Ready','status':'False','reason':'Broken'}]}}");
    pass(10min);
    EXPECT_EQ(condition("nodes", "n1", "Ready"), "False Broken");
}

TEST_F(Kubelet, RenewsEachNodesLeaseEveryTwentySecondsAtATimeOfItsOwn) {
    add_nodes(2);
    pass(2s);
    const auto renewed = [&](const std::string& node) {
        const api_server::ApiObject lease =
            find("leases.coordination.k8s.io", node, "kube-node-lease");
        return find_rfc3339(api_server::text_at(*lease, "spec.renewTime")).value_or(Time{});
    };
    for (int i = 0; i < 10; ++i) {
        pass(7s);
        EXPECT_LE(store.now() - renewed("n1"), 20s);
        EXPECT_LE(store.now() - renewed("n2"), 20s);
    }
    EXPECT_NE(renewed("n1"), renewed("n2"));
}

TEST_F(Kubelet, StartsAPodStepByStep) {
    add_node("n1");
    pass(2s);
    add_pod("web");
    pass(1s);
    json::object pod = get("pods", "web");
    EXPECT_EQ(api_server::text_at(pod, "status.phase"), "Pending");
    EXPECT_EQ(json::serialize(*api_server::find_array(pod, "status.containerStatuses")
                                   ->at(0)
                                   .as_object()
                                   .if_contains("state")),
              R"({"waiting":{"reason":"ContainerCreating"}})");
    EXPECT_FALSE(is_ready(pod));
    pass(1s);
    pod = get("pods", "web");
    EXPECT_EQ(api_server::text_at(pod, "status.phase"), "Running");
    EXPECT_TRUE(is_ready(pod));
    EXPECT_THAT(api_server::text_at(pod, "status.podIP"), StartsWith("10."));
    EXPECT_THAT(api_server::text_at(pod, "status.hostIP"), StartsWith("172."));
}

TEST_F(Kubelet, TakesAsLongToStartAPodAsItsAnnotationSays) {
    add_node("n1");
    add_pod("web", "", ",'annotations':{'simulation.capstan.io/start-up':'1m'}");
    pass(1min);
    EXPECT_EQ(phases(), "Pending 1");
    pass(2s);
    EXPECT_EQ(phases(), "Running 1");
}

TEST_F(Kubelet, EndsAPodThatRunsForSomeTime) {
    add_node("n1");
    add_pod("good", "'restartPolicy':'Never',",
            ",'annotations':{'simulation.capstan.io/run-for':'30s'}");
    add_pod("bad", "'restartPolicy':'Never',",
            ",'annotations':{'simulation.capstan.io/run-for':'30s',"
            "'simulation.capstan.io/exit-code':'3'}");
    add_pod("endless", "'restartPolicy':'Never',");
    pass(20s);
    EXPECT_EQ(phases(), "Running 3");
    pass(20s);
    EXPECT_EQ(phases(), "Failed 1, Running 1, Succeeded 1");
    EXPECT_EQ(text("pods", "bad", "status.phase"), "Failed");
}

TEST_F(Kubelet, RestartsWhatEndsAndIsToRunAlways) {
    add_node("n1");
    add_pod("web", "", ",'annotations':{'simulation.capstan.io/run-for':'10s'}");
    pass(1min);
    EXPECT_EQ(phases(), "Running 1");
    EXPECT_GE(number_or(api_server::find_array(get("pods", "web"), "status.containerStatuses")
                            ->at(0)
                            .as_object(),
                        "restartCount", 0),
              5);
}

TEST_F(Kubelet, TakesAPartOfTheGraceToStopAPod) {
    add_node("n1");
    add_pod("web", "'terminationGracePeriodSeconds':100,");
    pass(5s);
    remove("pods", "web");
    pass(9s);
    EXPECT_EQ(phases(), "leaving 1");
    pass(1s);
    EXPECT_EQ(phases(), "");
}

TEST_F(Kubelet, RemovesAPodThatNeverRanAtOnce) {
    add_node("n1");
    pass(2s);
    add_pod("web");
    pass(1s);
    remove("pods", "web");
    pass(0s);
    EXPECT_EQ(phases(), "");
}

struct FastKubelet : LivingCluster {
    FastKubelet() : LivingCluster({.speed = 10}) {}
};

TEST_F(FastKubelet, DoesEverythingTenTimesAsFast) {
    add_node("n1");
    pass(100ms);
    EXPECT_EQ(condition("nodes", "n1", "Ready"),
              "True KubeletReady: kubelet is posting ready status");
    add_pod("web", "'terminationGracePeriodSeconds':100,");
    pass(200ms);
    EXPECT_EQ(phases(), "Running 1");
    remove("pods", "web");
    pass(1s);
    EXPECT_EQ(phases(), "");
}

}  // namespace
}  // namespace capstan::simulation::control_plane
