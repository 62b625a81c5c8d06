#include "engine/drainability/candidates.hpp"

#include <gmock/gmock.h>

#include "drain_case.hpp"

namespace capstan::engine::drainability {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// One look at a world; borrowed by what it found.
struct Look {
    explicit Look(const World& world, Settings with = {},
                  std::map<std::string, health::Readiness> others = {}, Time now = noon)
        : settings(std::move(with)), snapshot(world.snapshot()) {
        for (snapshot::NodeIndex n = 0; n < snapshot.cluster.node_count(); ++n) {
            const auto at = others.find(name(n));
            health.readiness.push_back(at == others.end() ? health::Readiness::ready : at->second);
        }
        found = drainability::find_candidates(snapshot, templates::make_membership(snapshot),
                                              health, {}, pods::DisruptionBudgets(snapshot.cluster),
                                              settings, now);
    }
    std::string name(snapshot::NodeIndex n) const {
        return std::string(snapshot.cluster.text(snapshot.cluster.node(n).name));
    }
    std::vector<std::string> nodes() const {
        std::vector<std::string> out;
        for (const drainability::Candidate& node : found.nodes) out.push_back(name(node.node));
        return out;
    }
    const NodeVerdict& only_other() const { return found.others.at(0); }

    Settings settings;
    Snapshot snapshot;
    health::Health health;
    drainability::Candidates found;
};

/// A group with these nodes, ready and empty.
World nodes(std::initializer_list<const char*> names) {
    World world;
    world.group("web", static_cast<int>(names.size()));
    for (const char* name : names) world.node(name, "web");
    return world;
}

snapshot::PodObject& large(World& world, std::string name, std::string node, std::int64_t cpu) {
    snapshot::PodObject& pod = replica(world, std::move(name), std::move(node));
    pod.spec.requests = {{"cpu", cpu}};
    return pod;
}

TEST(Candidates, AreUnderutilizedNodesOfGroups) {
    World world = nodes({"a", "b", "c", "d"});
    world.node("mine");
    large(world, "p", "b", 2000);
    large(world, "q", "c", 2001);
    const Look look(world);
    EXPECT_THAT(look.nodes(), ElementsAre("a", "b", "d"));
    EXPECT_TRUE(look.found.nodes[0].is_empty());
    EXPECT_FALSE(look.found.nodes[1].is_empty());
    EXPECT_EQ(look.found.nodes[1].utilization, 0.5);

    ASSERT_THAT(look.found.others, SizeIs(2));
    EXPECT_EQ(look.found.others[0],
              (NodeVerdict{.node = "c",
                           .group = NodeGroupId("web"),
                           .reason = Unremovable::not_underutilized,
                           .utilization = 2001 / 4000.0,
                           .because = "cpu utilization is 50% (2001m of 4), above the threshold of "
                                      "50%"}));
    EXPECT_EQ(look.found.others[1], (NodeVerdict{.node = "mine",
                                                 .reason = Unremovable::not_autoscaled,
                                                 .because = "not in an autoscaled group"}));
}

TEST(Candidates, UseTheThresholdOfTheirGroup) {
    World world = nodes({"a"});
    large(world, "p", "a", 2400);
    EXPECT_THAT(Look(world).nodes(), IsEmpty());
    world.change_group("web").options.utilization_threshold = 0.6;
    EXPECT_THAT(Look(world).nodes(), ElementsAre("a"));
}

TEST(Candidates, IncludeUnreadyNodesUnlessDisabled) {
    const World world = nodes({"a", "b", "c"});
    const std::map<std::string, health::Readiness> others = {{"b", health::Readiness::unready},
                                                             {"c", health::Readiness::starting}};
    const Look look(world, {}, others);
    ASSERT_THAT(look.nodes(), ElementsAre("a", "b"));
    EXPECT_TRUE(look.found.nodes[0].ready);
    EXPECT_FALSE(look.found.nodes[1].ready);

    Settings settings;
    settings.scale_down.unready_enabled = false;
    const Look strict(world, settings, others);
    EXPECT_THAT(strict.nodes(), ElementsAre("a"));
    EXPECT_EQ(strict.only_other().reason, Unremovable::scale_down_unready_disabled);
}

TEST(Candidates, ExcludeNodesWithABlockingPod) {
    World world = nodes({"a"});
    replica(world, "free", "a");
    replica(world, "stays", "a").spec.local_volumes = {"data"};
    const Look look(world);
    EXPECT_THAT(look.nodes(), IsEmpty());
    EXPECT_EQ(look.only_other(),
              (NodeVerdict{.node = "a",
                           .group = NodeGroupId("web"),
                           .reason = Unremovable::blocked_by_pod,
                           .utilization = 0.05,
                           .pod = "default/stays",
                           .because = "pod default/stays uses local storage: volume data"}));
    EXPECT_EQ(look.found.wake_at, std::nullopt);
}

TEST(Candidates, ListMovingPodsAndTheirEquivalenceGroups) {
    World world = nodes({"a", "b"});
    replica(world, "q", "b").labels = {{"app", "q"}};
    replica(world, "p", "b").labels = {{"app", "p"}};
    replica(world, "p2", "a").labels = {{"app", "p"}};
    world.daemon("cni", "cni-b", "b");
    const Look look(world);
    ASSERT_THAT(look.nodes(), ElementsAre("a", "b"));
    const snapshot::Cluster& cluster = look.snapshot.cluster;
    EXPECT_THAT(names(cluster, look.found.nodes[1].moving), ElementsAre("p", "q"));
    EXPECT_THAT(names(cluster, look.found.nodes[1].daemons), ElementsAre("cni-b"));
    const std::vector<snapshot::PodGroupId> classes = look.found.moving_pod_groups();
    EXPECT_THAT(classes, SizeIs(2));
    EXPECT_TRUE(std::ranges::is_sorted(classes));
    EXPECT_THAT(drainability::Candidates{}.moving_pod_groups(), IsEmpty());
}

TEST(Candidates, IncludeNodesThatWaitForAPod) {
    World world = nodes({"a"});
    annotate(replica(world, "p", "a"), "safe-to-evict", "on-completion");
    const Look look(world);
    ASSERT_THAT(look.nodes(), ElementsAre("a"));
    EXPECT_FALSE(look.found.nodes[0].is_empty());
    EXPECT_EQ(look.found.nodes[0].waits_because,
              "pod default/p is waited for: annotation safe-to-evict is on-completion");
}

TEST(Candidates, AreRiskyIfABudgetCannotCoverAllPodsAtOnce) {
    World world = nodes({"a", "b"});
    for (const char* pod : {"p1", "p2"}) replica(world, pod, "a").labels = {{"app", "web"}};
    replica(world, "p3", "b").labels = {{"app", "web"}};
    world.budget("web", 1);
    const Look look(world);
    ASSERT_THAT(look.nodes(), ElementsAre("a", "b"));
    EXPECT_TRUE(look.found.nodes[0].is_risky);
    EXPECT_FALSE(look.found.nodes[1].is_risky);
}

TEST(Candidates, ApplyBudgetsToPodsThatAreSafeToEvict) {
    World world = nodes({"a"});
    snapshot::PodObject& pod = replica(world, "p", "a");
    pod.labels = {{"app", "web"}};
    annotate(pod, "safe-to-evict", "true");
    world.budget("web", 0);
    EXPECT_EQ(Look(world).only_other().because,
              "pod default/p cannot be evicted: budget default/web allows 0 disruptions");
    Settings settings;
    settings.scale_down.drain_rules_off = {"pdb"};
    EXPECT_THAT(Look(world, settings).nodes(), ElementsAre("a"));
}

TEST(Candidates, WakeThePassWhenTimeChangesThem) {
    World world = nodes({"a", "b"});
    snapshot::PodObject& pod = replica(world, "p", "a");
    pod.ns = "kube-system";
    pod.created = noon;
    world.change_node("b").taints = {
        {.key = "ToBeDeletedByClusterAutoscaler", .value = "1749999880"}};
    EXPECT_EQ(Look(world).found.wake_at, noon + 3min);
    EXPECT_EQ(Look(world, {}, {}, noon + 3min).found.wake_at, noon + 1h + 1ns);
    EXPECT_EQ(Look(world, {}, {}, noon + 1h + 1ns).found.wake_at, std::nullopt);
}

TEST(Candidates, ExcludeNodesWithoutReportedResources) {
    World world = nodes({"a"});
    world.change_node("a").allocatable = {};
    const Look look(world);
    EXPECT_EQ(look.only_other().reason, Unremovable::unexpected_error);
    EXPECT_EQ(look.only_other().because, "the node reports no allocatable cpu");
}

TEST(Candidates, AreEmptyForAnEmptyCluster) {
    const Look look(World{});
    EXPECT_THAT(look.found.nodes, IsEmpty());
    EXPECT_THAT(look.found.others, IsEmpty());
}

}  // namespace
}  // namespace capstan::engine::drainability
