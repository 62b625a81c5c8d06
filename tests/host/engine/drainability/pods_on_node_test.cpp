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

Sorted sorted(const World& world, Time now = noon) {
    const snapshot::Cluster cluster = world.cluster();
    const Settings settings;
    const pods::DisruptionBudgets budgets(cluster);
    drainability::DrainJudge judge({cluster, settings, budgets, now});
    const drainability::NodePods pods = judge.sort(0);
    const auto name = [&](std::optional<snapshot::PodIndex> pod) {
        return pod ? drainability::full_name(cluster, *pod) : "";
    };
    return {.moving = names(cluster, pods.moving),
            .daemons = names(cluster, pods.daemons),
            .waits_for = name(pods.waits_for),
            .blocked_by = name(pods.blocked_by),
            .changes_at = pods.changes_at};
}

TEST(PodsOnNode, AreSortedByNamespaceAndName) {
    World world = one_node();
    replica(world, "b");
    replica(world, "a");
    replica(world, "z").ns = "a-namespace";
    world.daemon("cni", "cni-1", "web-1");
    replica(world, "static").annotations = {{"kubernetes.io/config.mirror", "x"}};
    replica(world, "elsewhere", "web-2");
    const Sorted pods = sorted(world);
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
    World world = one_node();
    for (const char* name : {"b", "a"}) {
        annotate(replica(world, name), "safe-to-evict", "on-completion");
    }
    replica(world, "moves");
    EXPECT_EQ(sorted(world).waits_for, "default/a");
    EXPECT_THAT(sorted(world).moving, ElementsAre("moves"));
}

TEST(PodsOnNode, NameTheFirstPodThatBlocks) {
    World world = one_node();
    for (const char* name : {"b", "a", "c"}) replica(world, name).owner = {};
    replica(world, "moves");
    EXPECT_EQ(sorted(world).blocked_by, "default/a");
    EXPECT_THAT(sorted(world).moving, IsEmpty());
}

TEST(PodsOnNode, DependOnTheAgeOfEachPod) {
    World world = one_node();
    for (const char* name : {"old", "young", "older"}) {
        snapshot::PodObject& pod = replica(world, name);
        pod.ns = "kube-system";
        pod.created = name == std::string("young") ? noon - 10min : noon - 2h;
    }
    EXPECT_EQ(sorted(world).blocked_by, "kube-system/young");
    EXPECT_EQ(sorted(world).changes_at, noon + 50min + 1ns);
    EXPECT_THAT(sorted(world, noon + 50min + 1ns).moving, ElementsAre("old", "older", "young"));
}

TEST(PodsOnNode, DependOnTheDeletionOfEachPod) {
    World world = one_node();
    for (const char* name : {"a", "b", "c"}) replica(world, name).labels = {{"app", "web"}};
    world.budget("web", 0);
    for (int i = 0; i < 2; ++i) replica(world, "going-" + std::to_string(i)).deleted = noon;
    EXPECT_EQ(sorted(world).blocked_by, "default/a");

    World going = one_node();
    replica(going, "stuck").deleted = noon - 2min;
    replica(going, "going").deleted = noon - 10s;
    EXPECT_THAT(sorted(going).moving, ElementsAre("going"));
    EXPECT_EQ(sorted(going).changes_at, noon + 50s + 1ns);
}

}  // namespace
}  // namespace capstan::engine::drainability
