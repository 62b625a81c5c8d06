#include "test_cluster.hpp"

#include <capstan/time_text.hpp>

namespace capstan::simulator::control_plane {
namespace {

struct DisruptionControllerTest : TestCluster {
    void SetUp() override {
        TestCluster::SetUp();
        add_nodes(3);
        advance(2s);
    }
    void add_budget(const std::string& rule) {
        create("poddisruptionbudgets.policy", "{'metadata':{'name':'web'},'spec':{" + rule +
                                                  ",'selector':{'matchLabels':{'app':'web'}}}}");
    }
    /// "allowed 1, healthy 3 of 2 desired, expected 3"
    std::string counts() const {
        const auto count = [&](const char* path) {
            return std::to_string(number("poddisruptionbudgets.policy", "web", path));
        };
        return "allowed " + count("status.disruptionsAllowed") + ", healthy " +
               count("status.currentHealthy") + " of " + count("status.desiredHealthy") +
               " desired, expected " + count("status.expectedPods");
    }
    std::string allowed() const {
        return condition("poddisruptionbudgets.policy", "web", "DisruptionAllowed");
    }
};

TEST_F(DisruptionControllerTest, ComputesDisruptionsAllowedFromMinAvailable) {
    add_workload("deployments.apps", "web", "'replicas':3,");
    add_budget("'minAvailable':2");
    advance(1s);
    EXPECT_EQ(counts(), "allowed 0, healthy 0 of 2 desired, expected 3");
    EXPECT_EQ(allowed(), "False InsufficientPods");
    advance(5s);
    EXPECT_EQ(counts(), "allowed 1, healthy 3 of 2 desired, expected 3");
    EXPECT_EQ(allowed(), "True SufficientPods");
    EXPECT_EQ(number("poddisruptionbudgets.policy", "web", "status.observedGeneration"), 1);
}

TEST_F(DisruptionControllerTest, ComputesMaxUnavailableFromTheDesiredReplicas) {
    add_workload("deployments.apps", "web", "'replicas':10,");
    add_budget("'maxUnavailable':'25%'");
    advance(5s);
    EXPECT_EQ(counts(), "allowed 3, healthy 10 of 7 desired, expected 10");
    set("deployments.apps", "web", "spec.replicas", 4);
    advance(10s);
    EXPECT_EQ(counts(), "allowed 1, healthy 4 of 3 desired, expected 4");
}

TEST_F(DisruptionControllerTest, RoundsMinAvailableUp) {
    add_workload("statefulsets.apps", "web", "'replicas':3,'podManagementPolicy':'Parallel',");
    add_budget("'minAvailable':'50%'");
    advance(5s);
    EXPECT_EQ(counts(), "allowed 1, healthy 3 of 2 desired, expected 3");
}

TEST_F(DisruptionControllerTest, IgnoresTerminatingPods) {
    add_workload("deployments.apps", "web", "'replicas':3,");
    add_budget("'minAvailable':1");
    advance(5s);
    remove("pods", std::string(api_server::text_at(*all("pods").at(0), "metadata.name")));
    advance(0s);
    EXPECT_EQ(counts(), "allowed 1, healthy 2 of 1 desired, expected 4");
}

TEST_F(DisruptionControllerTest, AllowsNoDisruptionWithoutAScaleOfTheController) {
    add_workload("daemonsets.apps", "web", "");
    add_budget("'maxUnavailable':1");
    advance(5s);
    EXPECT_EQ(counts().substr(0, 9), "allowed 0");
    EXPECT_EQ(allowed().substr(0, 49), "False SyncFailed: found no controllers for pod \"w");
}

TEST_F(DisruptionControllerTest, CountsADisruptedPodForTwoMinutes) {
    add_pod("a", "", ",'labels':{'app':'web'}");
    add_pod("b", "", ",'labels':{'app':'web'}");
    add_budget("'minAvailable':1");
    advance(5s);
    set("poddisruptionbudgets.policy", "web", "status.disruptedPods",
        json::object{{"a", format_rfc3339(store.now(), 0)}});
    advance(1min);
    EXPECT_EQ(counts(), "allowed 0, healthy 1 of 1 desired, expected 2");
    advance(1min);
    EXPECT_EQ(counts(), "allowed 1, healthy 2 of 1 desired, expected 2");
}

}  // namespace
}  // namespace capstan::simulator::control_plane
