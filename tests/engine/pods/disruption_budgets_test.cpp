#include "engine/pods/disruption_budgets.hpp"

#include <gmock/gmock.h>

#include "../drainability/drain_case.hpp"

namespace capstan::engine::pods {
namespace {

/// Pods web-a, web-b and web-c with app=web, and api with app=api.
class PodDisruptionBudgets : public ::testing::Test {
protected:
    PodDisruptionBudgets() {
        for (const char* name : {"web-a", "web-b", "web-c"}) labelled(name, "web");
        labelled("api", "api");
    }
    snapshot::PodObject& labelled(const char* name, const char* app) {
        snapshot::PodObject& pod = replica(test_cluster, name);
        pod.labels = {{"app", app}};
        return pod;
    }
    void build_cluster() { cluster.emplace(test_cluster.cluster()); }
    std::vector<PodIndex> pods(std::initializer_list<const char*> names) const {
        std::vector<PodIndex> out;
        for (const char* name : names) out.push_back(find_pod(*cluster, name).value());
        return out;
    }

    TestCluster test_cluster = one_node();
    std::optional<snapshot::Cluster> cluster;
};

TEST_F(PodDisruptionBudgets, AllowAllIfThereAreNone) {
    build_cluster();
    pods::DisruptionBudgets budgets(*cluster);
    budgets.take(pods({"web-a", "web-b"}));
    EXPECT_FALSE(budgets.find_shortage(pods({"web-a", "web-c", "api"})));
    EXPECT_TRUE(budgets.allow_at_once(pods({"web-a", "web-c", "api"})));
    EXPECT_TRUE(budgets.allow_at_once({}));
    EXPECT_FALSE(budgets.cover(cluster->equivalence_group_of(0)));
}

TEST_F(PodDisruptionBudgets, NameTheFirstPodWithAShortage) {
    test_cluster.budget("web", 0);
    build_cluster();
    const pods::DisruptionBudgets budgets(*cluster);
    const auto shortage = budgets.find_shortage(pods({"api", "web-b", "web-a"}));
    ASSERT_TRUE(shortage);
    EXPECT_EQ(shortage->pod, pods({"web-b"}).front());
    EXPECT_EQ(shortage->sentence, "budget default/web allows 0 disruptions");
    EXPECT_FALSE(budgets.find_shortage(pods({"api"})));
}

TEST_F(PodDisruptionBudgets, NameABoundThatNeverAllowsADisruption) {
    test_cluster.budget("web", 0).never_allows = "maxUnavailable 0";
    build_cluster();
    const pods::DisruptionBudgets budgets(*cluster);
    EXPECT_EQ(budgets.find_shortage(pods({"web-a"}))->sentence,
              "budget default/web allows 0 disruptions, ever (maxUnavailable 0)");
}

TEST_F(PodDisruptionBudgets, DistinguishOneByOneFromAllAtOnce) {
    test_cluster.budget("web", 2);
    build_cluster();
    const pods::DisruptionBudgets budgets(*cluster);
    EXPECT_FALSE(budgets.find_shortage(pods({"web-a", "web-b", "web-c"})));
    EXPECT_TRUE(budgets.allow_at_once(pods({"web-a", "web-b"})));
    EXPECT_FALSE(budgets.allow_at_once(pods({"web-a", "web-b", "web-c"})));
}

TEST_F(PodDisruptionBudgets, AreReducedByTakenPods) {
    test_cluster.budget("web", 2);
    build_cluster();
    const pods::DisruptionBudgets before(*cluster);
    pods::DisruptionBudgets after = before;
    after.take(pods({"web-a", "api"}));
    EXPECT_TRUE(after.allow_at_once(pods({"web-b"})));
    EXPECT_FALSE(after.allow_at_once(pods({"web-b", "web-c"})));
    after.take(pods({"web-b"}));
    EXPECT_EQ(after.find_shortage(pods({"web-c"})).value().sentence,
              "budget default/web allows 2 disruptions, used by other pods");
    EXPECT_TRUE(after.allow_at_once(pods({"api"})));
    EXPECT_TRUE(before.allow_at_once(pods({"web-b", "web-c"}))) << "a copy is independent";
}

TEST_F(PodDisruptionBudgets, CombineAllBudgetsOfAPod) {
    test_cluster.budget("web", 5);
    test_cluster.budget("all", 1).selector = LabelSelector{};
    build_cluster();
    const pods::DisruptionBudgets budgets(*cluster);
    EXPECT_TRUE(budgets.allow_at_once(pods({"web-a"})));
    EXPECT_FALSE(budgets.allow_at_once(pods({"web-a", "api"})));
}

TEST_F(PodDisruptionBudgets, MatchNothingWithoutASelector) {
    test_cluster.budget("none", 0).selector.reset();
    build_cluster();
    EXPECT_FALSE(pods::DisruptionBudgets(*cluster).find_shortage(pods({"web-a", "api"})));
}

TEST_F(PodDisruptionBudgets, MatchAllPodsOfTheirNamespaceWithAnEmptySelector) {
    snapshot::DisruptionBudgetObject& all = test_cluster.budget("all", 0);
    all.selector = LabelSelector{};
    all.ns = "other";
    labelled("elsewhere", "web").ns = "other";
    build_cluster();
    const pods::DisruptionBudgets budgets(*cluster);
    EXPECT_FALSE(budgets.find_shortage(pods({"web-a", "api"})));
    EXPECT_TRUE(budgets.find_shortage(pods({"elsewhere"})));
}

TEST_F(PodDisruptionBudgets, SupportMatchExpressions) {
    test_cluster.budget("web", 0).selector = LabelSelector{
        .match_expressions = {{.key = "app", .op = Operator::in, .values = {"web", "other"}}}};
    build_cluster();
    const pods::DisruptionBudgets budgets(*cluster);
    EXPECT_TRUE(budgets.find_shortage(pods({"web-a"})));
    EXPECT_FALSE(budgets.find_shortage(pods({"api"})));
}

TEST_F(PodDisruptionBudgets, AllowNothingWithAStaleStatus) {
    test_cluster.budget("web", 3).is_observed = false;
    build_cluster();
    EXPECT_EQ(pods::DisruptionBudgets(*cluster).find_shortage(pods({"web-a"})).value().sentence,
              "budget default/web has no status for its current selector");
}

TEST_F(PodDisruptionBudgets, IgnorePodsThatAreBeingDeleted) {
    test_cluster.budget("web", 0);
    labelled("going", "web").deleted = noon;
    build_cluster();
    pods::DisruptionBudgets budgets(*cluster);
    EXPECT_FALSE(budgets.find_shortage(pods({"going"})));
    EXPECT_TRUE(budgets.allow_at_once(pods({"going"})));
    EXPECT_TRUE(budgets.cover(cluster->equivalence_group_of(pods({"going"}).front())));
}

}  // namespace
}  // namespace capstan::engine::pods
