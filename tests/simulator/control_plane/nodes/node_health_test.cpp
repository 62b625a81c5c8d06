#include "../test_cluster.hpp"

#include "simulator/control_plane/nodes/node_object.hpp"

namespace capstan::simulator::control_plane {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct NodeHealthTest : TestCluster {
    void SetUp() override {
        TestCluster::SetUp();
        add_node("n1");
        advance(2s);
    }
    std::vector<std::string> taints() const {
        std::vector<std::string> out;
        const json::object node = get("nodes", "n1");
        if (const json::array* list = api_server::find_array(node, "spec.taints"))
            for (const json::value& taint : *list)
                out.push_back(std::string(api_server::text_at(taint.as_object(), "key")) + ":" +
                              std::string(api_server::text_at(taint.as_object(), "effect")));
        return out;
    }
    void stop_kubelet() {
        edit("nodes", "n1",
             [](json::object& node) { set_annotation(node, kubelet_annotation, "stopped"); });
    }
    void start_kubelet() {
        edit("nodes", "n1",
             [](json::object& node) { set_annotation(node, kubelet_annotation, ""); });
    }
    void set_ready(std::string_view status) {
        edit("nodes", "n1", [&](json::object& node) {
            set_condition(node, {"Ready", status, "Tested", ""}, store.now());
        });
    }
};

TEST_F(NodeHealthTest, TaintsACordonedNode) {
    set("nodes", "n1", "spec.unschedulable", true);
    advance(0s);
    EXPECT_THAT(taints(), ElementsAre("node.kubernetes.io/unschedulable:NoSchedule"));
    set("nodes", "n1", "spec.unschedulable", false);
    advance(0s);
    EXPECT_THAT(taints(), IsEmpty());
}

TEST_F(NodeHealthTest, TaintsANodeThatIsNotReady) {
    set_ready("False");
    advance(0s);
    EXPECT_THAT(taints(), ElementsAre("node.kubernetes.io/not-ready:NoSchedule",
                                      "node.kubernetes.io/not-ready:NoExecute"));
    set_ready("True");
    advance(0s);
    EXPECT_THAT(taints(), IsEmpty());
}

TEST_F(NodeHealthTest, KeepsOtherTaints) {
    set("nodes", "n1", "spec.taints",
        quoted_object("{'t':[{'key':'team','value':'blue','effect':'NoSchedule'}]}").at("t"));
    set("nodes", "n1", "spec.unschedulable", true);
    advance(0s);
    EXPECT_THAT(taints(),
                ElementsAre("team:NoSchedule", "node.kubernetes.io/unschedulable:NoSchedule"));
}

TEST_F(NodeHealthTest, MarksASilentNodeUnreachable) {
    add_pod("web");
    advance(5s);
    stop_kubelet();
    advance(1min);
    EXPECT_EQ(condition("nodes", "n1", "Ready"),
              "Unknown NodeStatusUnknown: Kubelet stopped posting node status.");
    EXPECT_THAT(taints(), ElementsAre("node.kubernetes.io/unreachable:NoSchedule",
                                      "node.kubernetes.io/unreachable:NoExecute"));
    EXPECT_FALSE(is_ready(get("pods", "web")));
    start_kubelet();
    advance(5s);
    EXPECT_THAT(taints(), IsEmpty());
    EXPECT_TRUE(is_ready(get("pods", "web")));
}

TEST_F(NodeHealthTest, IsIndependentOfTheSystemClock) {
    advance(10s);
    loop.step_wall(20min);
    advance(1min);
    EXPECT_THAT(condition("nodes", "n1", "Ready"), ::testing::StartsWith("True"));
    stop_kubelet();
    loop.step_wall(-2h);
    advance(1min);
    EXPECT_THAT(condition("nodes", "n1", "Ready"), ::testing::StartsWith("Unknown"));
}

TEST_F(NodeHealthTest, EvictsPodsAfterTheirTolerationSeconds) {
    add_pod("default-toleration");
    add_pod("short-toleration",
            "'tolerations':[{'key':'node.kubernetes.io/not-ready','operator':'Exists',"
            "'effect':'NoExecute','tolerationSeconds':10}],");
    add_pod("tolerant", "'tolerations':[{'operator':'Exists'}],");
    advance(5s);
    set_ready("False");
    advance(9s);
    EXPECT_EQ(phases(), "Running 3");
    advance(1s);
    EXPECT_TRUE(is_terminating(get("pods", "short-toleration")));
    advance(5min);
    EXPECT_TRUE(is_terminating(get("pods", "default-toleration")));
    EXPECT_FALSE(is_terminating(get("pods", "tolerant")));
}

TEST_F(NodeHealthTest, KeepsPodsIfTheNodeBecomesReadyInTime) {
    add_pod("web");
    advance(5s);
    set_ready("False");
    advance(4min);
    set_ready("True");
    advance(10min);
    EXPECT_EQ(phases(), "Running 1");
}

TEST_F(NodeHealthTest, EvictsAtOnceForATaintWithoutToleration) {
    add_pod("web");
    advance(5s);
    set("nodes", "n1", "spec.taints",
        quoted_object("{'t':[{'key':'gone','effect':'NoExecute'}]}").at("t"));
    advance(10s);
    EXPECT_EQ(phases(), "");
}

TEST_F(NodeHealthTest, RemovesPodsOfADeletedNode) {
    add_pod("web");
    advance(5s);
    remove("nodes", "n1");
    advance(39s);
    EXPECT_EQ(phases(), "Running 1");
    advance(2s);
    EXPECT_EQ(phases(), "");
}

TEST_F(NodeHealthTest, RemovesTerminatingPodsOfADeletedNode) {
    add_pod("web");
    advance(5s);
    remove("pods", "web");
    remove("nodes", "n1");
    advance(2s);
    EXPECT_EQ(phases(), "terminating 1");
    advance(2s);
    EXPECT_EQ(phases(), "") << "a tenth of the 30s grace period";
}

TEST_F(NodeHealthTest, AcceptsVeryLongTolerationSeconds) {
    add_pod("web",
            "'tolerations':[{'operator':'Exists','effect':'NoExecute',"
            "'tolerationSeconds':9000000000000000000}],");
    advance(5s);
    set_ready("False");
    advance(1h);
    EXPECT_EQ(phases(), "Running 1");
}

}  // namespace
}  // namespace capstan::simulator::control_plane
