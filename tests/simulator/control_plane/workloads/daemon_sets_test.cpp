#include "../test_cluster.hpp"

namespace capstan::simulator::control_plane {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct DaemonSetsTest : TestCluster {
    void add_set(const std::string& spec = "", const std::string& pod = pod_template("100m")) {
        add_workload("daemonsets.apps", "agent", spec, pod);
    }
    /// The nodes on which a pod is ready, sorted.
    std::vector<std::string> nodes() const {
        std::vector<std::string> out;
        for (const api_server::ApiObject& pod : all("pods"))
            if (is_ready(*pod)) out.emplace_back(api_server::text_at(*pod, "spec.nodeName"));
        std::ranges::sort(out);
        return out;
    }
};

TEST_F(DaemonSetsTest, RunOnEveryNodeAndOnNewNodes) {
    add_nodes(2);
    add_set();
    advance(10s);
    EXPECT_THAT(nodes(), ElementsAre("n1", "n2"));
    add_node("n3");
    advance(10s);
    EXPECT_THAT(nodes(), ElementsAre("n1", "n2", "n3"));
    EXPECT_EQ(number("daemonsets.apps", "agent", "status.desiredNumberScheduled"), 3);
    EXPECT_EQ(number("daemonsets.apps", "agent", "status.numberAvailable"), 3);
}

TEST_F(DaemonSetsTest, FollowNodeSelectorsAndTaints) {
    add_node("n1", "4", ",'labels':{'disk':'ssd'}");
    add_node("n2", "4", ",'labels':{'disk':'hdd'}");
    add_node("n3", "4", ",'labels':{'disk':'ssd'}");
    set("nodes", "n3", "spec.taints",
        quoted_object("{'t':[{'key':'team','value':'blue','effect':'NoSchedule'}]}").at("t"));
    add_set("", pod_template("100m", "'nodeSelector':{'disk':'ssd'},"));
    advance(10s);
    EXPECT_THAT(nodes(), ElementsAre("n1"));
    EXPECT_EQ(number("daemonsets.apps", "agent", "status.desiredNumberScheduled"), 1);
}

TEST_F(DaemonSetsTest, RunOnCordonedNodes) {
    add_node("n1");
    set("nodes", "n1", "spec.unschedulable", true);
    add_set();
    advance(10s);
    EXPECT_THAT(nodes(), ElementsAre("n1"));
}

TEST_F(DaemonSetsTest, LeaveANodeThatNoLongerMatches) {
    add_node("n1", "4", ",'labels':{'disk':'ssd'}");
    add_set("", pod_template("100m", "'nodeSelector':{'disk':'ssd'},"));
    advance(10s);
    set("nodes", "n1", "metadata.labels", json::object{{"disk", "hdd"}});
    advance(10s);
    EXPECT_THAT(nodes(), IsEmpty());
}

TEST_F(DaemonSetsTest, UpdateOneNodeAtATime) {
    add_nodes(3);
    add_set();
    advance(10s);
    set("daemonsets.apps", "agent", "spec.template",
        quoted_object(pod_template("100m", "", "web:2")));
    for (int i = 0; i < 300; ++i) {
        advance(100ms);
        EXPECT_GE(nodes().size(), 2U);
    }
    EXPECT_EQ(number("daemonsets.apps", "agent", "status.updatedNumberScheduled"), 3);
    EXPECT_EQ(number("daemonsets.apps", "agent", "status.numberAvailable"), 3);
}

TEST_F(DaemonSetsTest, WaitForFreeResourcesOnTheirNode) {
    add_node("n1", "1");
    add_node("n2", "4");
    add_pod("big", "'nodeName':'n1',");
    add_set();
    advance(10s);
    EXPECT_EQ(number("daemonsets.apps", "agent", "status.numberReady"), 1);
    remove("pods", "big");
    advance(20s);
    EXPECT_EQ(number("daemonsets.apps", "agent", "status.numberReady"), 2);
}

}  // namespace
}  // namespace capstan::simulator::control_plane
