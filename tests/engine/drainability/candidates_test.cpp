#include "engine/drainability/candidates.hpp"

#include <gmock/gmock.h>

#include "drain_case.hpp"

namespace capstan::engine::drainability {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// The candidates of a cluster. They refer to its snapshot.
struct CandidatesCase {
    explicit CandidatesCase(const TestCluster& test_cluster, Settings with = {},
                            std::map<std::string, health::Readiness> others = {}, Time now = noon)
        : settings(std::move(with)), snapshot(test_cluster.snapshot()) {
        for (NodeIndex n = 0; n < snapshot.cluster.node_count(); ++n) {
            const auto at = others.find(name(n));
            health.readiness.push_back(at == others.end() ? health::Readiness::ready : at->second);
        }
        candidates = drainability::find_candidates(
            {snapshot, templates::make_membership(snapshot), {}, settings, now}, health,
            pods::DisruptionBudgets(snapshot.cluster));
    }
    std::string name(NodeIndex n) const {
        return std::string(snapshot.cluster.text(snapshot.cluster.node(n).name));
    }
    std::vector<std::string> nodes() const {
        std::vector<std::string> out;
        for (const drainability::Candidate& node : candidates.nodes) out.push_back(name(node.node));
        return out;
    }
    const NodeVerdict& only_other() const { return candidates.others.at(0); }

    Settings settings;
    Snapshot snapshot;
    health::Health health;
    drainability::Candidates candidates;
};

/// A group with ready, empty nodes of these names.
TestCluster nodes(std::initializer_list<const char*> names) {
    TestCluster test_cluster;
    test_cluster.group("web", static_cast<int>(names.size()));
    for (const char* name : names) test_cluster.node(name, "web");
    return test_cluster;
}

snapshot::PodObject& large(TestCluster& test_cluster, std::string name, std::string node,
                           std::int64_t cpu) {
    snapshot::PodObject& pod = replica(test_cluster, std::move(name), std::move(node));
    pod.spec.requests = {{"cpu", cpu}};
    return pod;
}

TEST(Candidates, AreUnderutilizedNodesOfGroups) {
    TestCluster test_cluster = nodes({"a", "b", "c", "d"});
    test_cluster.node("mine");
    large(test_cluster, "p", "b", 2000);
    large(test_cluster, "q", "c", 2001);
    const CandidatesCase c(test_cluster);
    EXPECT_THAT(c.nodes(), ElementsAre("a", "b", "d"));
    EXPECT_TRUE(c.candidates.nodes[0].is_empty());
    EXPECT_FALSE(c.candidates.nodes[1].is_empty());
    EXPECT_EQ(c.candidates.nodes[1].utilization, 0.5);

    ASSERT_THAT(c.candidates.others, SizeIs(2));
    EXPECT_EQ(c.candidates.others[0],
              (NodeVerdict{.node = "c",
                           .group = NodeGroupId("web"),
                           .reason = Unremovable::not_underutilized,
                           .utilization = 2001 / 4000.0,
                           .because = "cpu utilization is 50% (2001m of 4), above the threshold of "
                                      "50%"}));
    EXPECT_EQ(c.candidates.others[1], (NodeVerdict{.node = "mine",
                                                   .reason = Unremovable::not_autoscaled,
                                                   .because = "not in an autoscaled group"}));
}

TEST(Candidates, UseTheThresholdOfTheirGroup) {
    TestCluster test_cluster = nodes({"a"});
    large(test_cluster, "p", "a", 2400);
    EXPECT_THAT(CandidatesCase(test_cluster).nodes(), IsEmpty());
    test_cluster.change_group("web").options.utilization_threshold = 0.6;
    EXPECT_THAT(CandidatesCase(test_cluster).nodes(), ElementsAre("a"));
}

TEST(Candidates, IncludeUnreadyNodesUnlessDisabled) {
    const TestCluster test_cluster = nodes({"a", "b", "c"});
    const std::map<std::string, health::Readiness> others = {{"b", health::Readiness::unready},
                                                             {"c", health::Readiness::starting}};
    const CandidatesCase c(test_cluster, {}, others);
    ASSERT_THAT(c.nodes(), ElementsAre("a", "b"));
    EXPECT_TRUE(c.candidates.nodes[0].ready);
    EXPECT_FALSE(c.candidates.nodes[1].ready);

    Settings settings;
    settings.scale_down.unready_enabled = false;
    const CandidatesCase strict(test_cluster, settings, others);
    EXPECT_THAT(strict.nodes(), ElementsAre("a"));
    EXPECT_EQ(strict.only_other().reason, Unremovable::scale_down_unready_disabled);
}

TEST(Candidates, ExcludeNodesWithABlockingPod) {
    TestCluster test_cluster = nodes({"a"});
    replica(test_cluster, "free", "a");
    replica(test_cluster, "stays", "a").spec.local_volumes = {"data"};
    const CandidatesCase c(test_cluster);
    EXPECT_THAT(c.nodes(), IsEmpty());
    EXPECT_EQ(c.only_other(),
              (NodeVerdict{.node = "a",
                           .group = NodeGroupId("web"),
                           .reason = Unremovable::blocked_by_pod,
                           .utilization = 0.05,
                           .pod = "default/stays",
                           .because = "pod default/stays uses local storage: volume data"}));
    EXPECT_EQ(c.candidates.wake_at, std::nullopt);
}

TEST(Candidates, ListMovingPodsAndTheirEquivalenceGroups) {
    TestCluster test_cluster = nodes({"a", "b"});
    replica(test_cluster, "q", "b").labels = {{"app", "q"}};
    replica(test_cluster, "p", "b").labels = {{"app", "p"}};
    replica(test_cluster, "p2", "a").labels = {{"app", "p"}};
    test_cluster.daemon("cni", "cni-b", "b");
    const CandidatesCase c(test_cluster);
    ASSERT_THAT(c.nodes(), ElementsAre("a", "b"));
    const snapshot::Cluster& cluster = c.snapshot.cluster;
    EXPECT_THAT(names(cluster, c.candidates.nodes[1].moving), ElementsAre("p", "q"));
    EXPECT_THAT(names(cluster, c.candidates.nodes[1].daemons), ElementsAre("cni-b"));
    const std::vector<PodGroupId> pod_groups = c.candidates.moving_pod_groups();
    EXPECT_THAT(pod_groups, SizeIs(2));
    EXPECT_TRUE(std::ranges::is_sorted(pod_groups));
    EXPECT_THAT(drainability::Candidates{}.moving_pod_groups(), IsEmpty());
}

TEST(Candidates, IncludeNodesThatWaitForAPod) {
    TestCluster test_cluster = nodes({"a"});
    annotate(replica(test_cluster, "p", "a"), "safe-to-evict", "on-completion");
    const CandidatesCase c(test_cluster);
    ASSERT_THAT(c.nodes(), ElementsAre("a"));
    EXPECT_FALSE(c.candidates.nodes[0].is_empty());
    EXPECT_EQ(c.candidates.nodes[0].waits_because,
              "pod default/p is waited for: annotation safe-to-evict is on-completion");
}

TEST(Candidates, AreRiskyIfABudgetCannotCoverAllPodsAtOnce) {
    TestCluster test_cluster = nodes({"a", "b"});
    for (const char* pod : {"p1", "p2"}) replica(test_cluster, pod, "a").labels = {{"app", "web"}};
    replica(test_cluster, "p3", "b").labels = {{"app", "web"}};
    test_cluster.budget("web", 1);
    const CandidatesCase c(test_cluster);
    ASSERT_THAT(c.nodes(), ElementsAre("a", "b"));
    EXPECT_TRUE(c.candidates.nodes[0].is_risky);
    EXPECT_FALSE(c.candidates.nodes[1].is_risky);
}

TEST(Candidates, ApplyBudgetsToPodsThatAreSafeToEvict) {
    TestCluster test_cluster = nodes({"a"});
    snapshot::PodObject& pod = replica(test_cluster, "p", "a");
    pod.labels = {{"app", "web"}};
    annotate(pod, "safe-to-evict", "true");
    test_cluster.budget("web", 0);
    EXPECT_EQ(CandidatesCase(test_cluster).only_other().because,
              "pod default/p cannot be evicted: budget default/web allows 0 disruptions");
    Settings settings;
    settings.scale_down.drain_rules_off = {"pdb"};
    EXPECT_THAT(CandidatesCase(test_cluster, settings).nodes(), ElementsAre("a"));
}

TEST(Candidates, WakeThePassWhenTimeChangesThem) {
    TestCluster test_cluster = nodes({"a", "b"});
    snapshot::PodObject& pod = replica(test_cluster, "p", "a");
    pod.ns = "kube-system";
    pod.created = noon;
    test_cluster.change_node("b").taints = {
        {.key = "ToBeDeletedByClusterAutoscaler", .value = "1749999880"}};
    EXPECT_EQ(CandidatesCase(test_cluster).candidates.wake_at, noon + 3min);
    EXPECT_EQ(CandidatesCase(test_cluster, {}, {}, noon + 3min).candidates.wake_at,
              noon + 1h + 1ns);
    EXPECT_EQ(CandidatesCase(test_cluster, {}, {}, noon + 1h + 1ns).candidates.wake_at,
              std::nullopt);
}

TEST(Candidates, ExcludeNodesWithoutReportedResources) {
    TestCluster test_cluster = nodes({"a"});
    test_cluster.change_node("a").allocatable = {};
    const CandidatesCase c(test_cluster);
    EXPECT_EQ(c.only_other().reason, Unremovable::unexpected_error);
    EXPECT_EQ(c.only_other().because, "the node reports no allocatable cpu");
}

TEST(Candidates, AreEmptyForAnEmptyCluster) {
    const CandidatesCase c(TestCluster{});
    EXPECT_THAT(c.candidates.nodes, IsEmpty());
    EXPECT_THAT(c.candidates.others, IsEmpty());
}

}  // namespace
}  // namespace capstan::engine::drainability
