#include "../living_cluster.hpp"

#include "simulation/control_plane/nodes/node_object.hpp"

namespace capstan::simulation::control_plane {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct NodeTrouble : LivingCluster {
    void SetUp() override {
        LivingCluster::SetUp();
        add_node("n1");
        pass(2s);
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

TEST_F(NodeTrouble, TaintsACordonedNode) {
    set("nodes", "n1", "spec.unschedulable", true);
    pass(0s);
    EXPECT_THAT(taints(), ElementsAre("node.kubernetes.io/unschedulable:NoSchedule"));
    set("nodes", "n1", "spec.unschedulable", false);
    pass(0s);
    EXPECT_THAT(taints(), IsEmpty());
}

TEST_F(NodeTrouble, TaintsANodeUntilItIsReady) {
    set_ready("False");
    pass(0s);
    EXPECT_THAT(taints(), ElementsAre("node.kubernetes.io/not-ready:NoSchedule",
                                      "node.kubernetes.io/not-ready:NoExecute"));
    set_ready("True");
    pass(0s);
    EXPECT_THAT(taints(), IsEmpty());
}

TEST_F(NodeTrouble, KeepsTheTaintsThatOthersSet) {
    set("nodes", "n1", "spec.taints",
        quoted_object("{'t':[{'key':'team','value':'blue','effect':'NoSchedule'}]}").at("t"));
    set("nodes", "n1", "spec.unschedulable", true);
    pass(0s);
    EXPECT_THAT(taints(),
                ElementsAre("team:NoSchedule", "node.kubernetes.io/unschedulable:NoSchedule"));
}

TEST_F(NodeTrouble, GivesUpANodeThatFellSilent) {
    add_pod("web");
    pass(5s);
    stop_kubelet();
    pass(1min);
    EXPECT_EQ(condition("nodes", "n1", "Ready"),
              "Unknown NodeStatusUnknown: Kubelet stopped posting node status.");
    EXPECT_THAT(taints(), ElementsAre("node.kubernetes.io/unreachable:NoSchedule",
                                      "node.kubernetes.io/unreachable:NoExecute"));
    EXPECT_FALSE(is_ready(get("pods", "web")));
    start_kubelet();
    pass(5s);
    EXPECT_THAT(taints(), IsEmpty());
    EXPECT_TRUE(is_ready(get("pods", "web")));
}

TEST_F(NodeTrouble, EvictsPodsAfterAsLongAsTheyBearIt) {
    add_pod("patient");
    add_pod("hasty",
            "'tolerations':[{'key':'node.kubernetes.io/not-ready','operator':'Exists',"
            "'effect':'NoExecute','tolerationSeconds':10}],");
    add_pod("loyal", "'tolerations':[{'operator':'Exists'}],");
    pass(5s);
    set_ready("False");
    pass(9s);
    EXPECT_EQ(phases(), "Running 3");
    pass(1s);
    EXPECT_TRUE(is_terminating(get("pods", "hasty")));
    pass(5min);
    EXPECT_TRUE(is_terminating(get("pods", "patient")));
    EXPECT_FALSE(is_terminating(get("pods", "loyal")));
}

TEST_F(NodeTrouble, DoesNotEvictFromANodeThatCameBackInTime) {
    add_pod("web");
    pass(5s);
    set_ready("False");
    pass(4min);
    set_ready("True");
    pass(10min);
    EXPECT_EQ(phases(), "Running 1");
}

TEST_F(NodeTrouble, EvictsAtOnceForATaintThatIsNotBorne) {
    add_pod("web");
    pass(5s);
    set("nodes", "n1", "spec.taints",
        quoted_object("{'t':[{'key':'gone','effect':'NoExecute'}]}").at("t"));
    pass(10s);
    EXPECT_EQ(phases(), "");
}

TEST_F(NodeTrouble, RemovesThePodsOfANodeThatIsGone) {
    add_pod("web");
    pass(5s);
    remove("nodes", "n1");
    pass(39s);
    EXPECT_EQ(phases(), "Running 1");
    pass(2s);
    EXPECT_EQ(phases(), "");
}

TEST_F(NodeTrouble, RemovesPodsThatWereStoppingWhenTheirMachineWent) {
    add_pod("web");
    pass(5s);
    remove("pods", "web");
    remove("nodes", "n1");
    pass(2s);
    EXPECT_EQ(phases(), "leaving 1");
    pass(2s);
    EXPECT_EQ(phases(), "") << "a tenth of their thirty seconds";
}

TEST_F(NodeTrouble, BearsWhatIsBorneForAnAge) {
    add_pod("web",
            "'tolerations':[{'operator':'Exists','effect':'NoExecute',"
            "'tolerationSeconds':9000000000000000000}],");
    pass(5s);
    set_ready("False");
    pass(1h);
    EXPECT_EQ(phases(), "Running 1");
}

}  // namespace
}  // namespace capstan::simulation::control_plane
