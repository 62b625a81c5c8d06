#include "engine/drainability/pods_on_node.hpp"

#include <gmock/gmock.h>

#include "drain_case.hpp"

namespace capstan::engine::drainability {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Sorted {
    std::vector<std::string> moving, daemons;
    std::string waits_for, blocked_by;
    std::optional<Time> changes_at;
};

Sorted sorted(const TestCluster& test_cluster, Time now = noon) {
    const snapshot::Cluster cluster = test_cluster.cluster();
    const Settings settings;
    const pods::DisruptionBudgets budgets(cluster);
    drainability::DrainJudge judge({cluster, settings, budgets, now});
    const drainability::NodePods pods = judge.sort(0);
    const auto name = [&](std::optional<PodIndex> pod) {
        return pod ? drainability::full_name(cluster, *pod) : "";
    };
    return {.moving = names(cluster, pods.moving),
            .daemons = names(cluster, pods.daemons),
            .waits_for = name(pods.waits_for),
            .blocked_by = name(pods.blocked_by),
            .changes_at = pods.changes_at};
}

TEST(PodsOnNode, AreSortedByNamespaceAndName) {
    TestCluster test_cluster = one_node();
    replica(test_cluster, "b");
    replica(test_cluster, "a");
    replica(test_cluster, "z").ns = "a-namespace";
    test_cluster.daemon("cni", "cni-1", "web-1");
    replica(test_cluster, "static").annotations = {{"kubernetes.io/config.mirror", "x"}};
    replica(test_cluster, "elsewhere", "web-2");
    const Sorted pods = sorted(test_cluster);
    EXPECT_THAT(pods.moving, ElementsAre("z", "a", "b"));
    EXPECT_THAT(pods.daemons, ElementsAre("cni-1"));
    EXPECT_EQ(pods.waits_for + pods.blocked_by, "");
    EXPECT_EQ(pods.changes_at, std::nullopt);
}

TEST(PodsOnNode, AreEmptyForAnEmptyNode) {
    const Sorted pods = sorted(one_node());
    EXPECT_THAT(pods.moving, IsEmpty());
    EXPECT_THAT(pods.daemons, IsEmpty());
}

TEST(PodsOnNode, NameTheFirstPodThatIsWaitedFor) {
    TestCluster test_cluster = one_node();
    for (const char* name : {"b", "a"}) {
        annotate(replica(test_cluster, name), "safe-to-evict", "on-completion");
    }
    replica(test_cluster, "moves");
    EXPECT_EQ(sorted(test_cluster).waits_for, "default/a");
    EXPECT_THAT(sorted(test_cluster).moving, ElementsAre("moves"));
}

TEST(PodsOnNode, NameTheFirstPodThatBlocks) {
    TestCluster test_cluster = one_node();
    for (const char* name : {"b", "a", "c"}) replica(test_cluster, name).owner = {};
    replica(test_cluster, "moves");
    EXPECT_EQ(sorted(test_cluster).blocked_by, "default/a");
    EXPECT_THAT(sorted(test_cluster).moving, IsEmpty());
}

TEST(PodsOnNode, DependOnTheAgeOfEachPod) {
    TestCluster test_cluster = one_node();
    for (const char* name : {"old", "young", "older"}) {
        snapshot::PodObject& pod = replica(test_cluster, name);
        pod.ns = "kube-system";
        pod.created = name == std::string("young") ? noon - 10min : noon - 2h;
    }
    EXPECT_EQ(sorted(test_cluster).blocked_by, "kube-system/young");
    EXPECT_EQ(sorted(test_cluster).changes_at, noon + 50min + 1ns);
    EXPECT_THAT(sorted(test_cluster, noon + 50min + 1ns).moving,
                ElementsAre("old", "older", "young"));
}

TEST(PodsOnNode, DependOnTheDeletionOfEachPod) {
    TestCluster test_cluster = one_node();
    for (const char* name : {"a", "b", "c"}) replica(test_cluster, name).labels = {{"app", "web"}};
    test_cluster.budget("web", 0);
    for (int i = 0; i < 2; ++i)
        replica(test_cluster, "terminating-" + std::to_string(i)).deleted = noon;
    EXPECT_EQ(sorted(test_cluster).blocked_by, "default/a");

    TestCluster terminating = one_node();
    replica(terminating, "stuck").deleted = noon - 2min;
    replica(terminating, "terminating").deleted = noon - 10s;
    EXPECT_THAT(sorted(terminating).moving, ElementsAre("terminating"));
    EXPECT_EQ(sorted(terminating).changes_at, noon + 50s + 1ns);
}

}  // namespace
}  // namespace capstan::engine::drainability
