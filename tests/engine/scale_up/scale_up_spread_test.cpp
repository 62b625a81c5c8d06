// Pods with spread constraints or anti-affinity are scheduled in one pass.
#include <gmock/gmock.h>

#include "../pass_case.hpp"

namespace capstan::engine::scale_up {
namespace {

using ::testing::HasSubstr;

/// One group with one full node in each of three zones.
PassCase three_zones(std::optional<int> max_in_c = 100) {
    PassCase c;
    c.group("a", 1, 100, amounts(4000), "za");
    c.group("b", 1, 100, amounts(4000), "zb");
    c.group("c", 1, max_in_c, amounts(4000), "zc");
    return c;
}

TEST(ScaleUpSpread, TakesOnePassOverZones) {
    PassCase c = three_zones();
    c.pods("web", 30, 1000, spread_over(zone_key));
    const Decision decision = c.decide();
    EXPECT_EQ(count(decision.schedulable), 30);
    EXPECT_EQ(growth(decision), (Growths{{"a", 3}, {"b", 3}, {"c", 3}}));
}

TEST(ScaleUpSpread, IsKeptOverZonesOfSimilarGroups) {
    PassCase c = three_zones();
    c.pods("web", 4, 3000, spread_over(zone_key));
    const Decision decision = c.decide();
    EXPECT_EQ(growth(decision), (Growths{{"a", 2}, {"b", 1}, {"c", 1}}));
    EXPECT_THAT(decision.options[0].left_out[0], HasSubstr("b: pod default/web-0 must be spread"));
}

TEST(ScaleUpSpread, TriesGroupsThatFailedLastTimeFirst) {
    PassCase c = three_zones();
    c.memory.backoffs[NodeGroupId("b")] = {.until = noon - 1s, .last_failure = noon - 10min};
    c.pods("web", 4, 3000, spread_over(zone_key));
    const Decision decision = c.decide();
    EXPECT_EQ(growth(decision), (Growths{{"b", 1}}));
    EXPECT_EQ(decision.unschedulable[0].groups.at(0).reason.sentence,
              "group b, which failed last time, is tried first");
    c.memory.last_by_group[NodeGroupId("b")].scale_up = noon;
    EXPECT_EQ(growth(c.decide()), (Growths{{"a", 2}, {"b", 1}, {"c", 1}})) << "it has grown since";
    c.memory.last_by_group.clear();
    c.test_cluster.change_group("b").group.target = 2;
    EXPECT_EQ(growth(c.decide()), (Growths{{"a", 2}, {"c", 1}}))
        << "while the node of b is upcoming";
}

TEST(ScaleUpSpread, DoesNotWaitForGroupsThatFailedLastTimeWithoutNeed) {
    PassCase c = three_zones();
    c.memory.backoffs[NodeGroupId("b")] = {.until = noon - 1s, .last_failure = noon - 10min};
    c.pods("other", 4, 3000);
    EXPECT_EQ(growth(c.decide()), (Growths{{"a", 2}, {"b", 1}, {"c", 1}}))
        << "no constraint holds these pods back";
}

TEST(ScaleUpSpread, TakesOnePassWithDefaultConstraints) {
    PassCase c = three_zones();
    c.settings.balance_similar = false;
    c.test_cluster.service("web");
    c.pods("web", 4, 3000);
    EXPECT_EQ(growth(c.decide()), (Growths{{"a", 4}}));
    c.settings.default_spread = {{.topology_key = zone_key}};
    EXPECT_EQ(growth(c.decide()), (Growths{{"a", 2}, {"b", 1}, {"c", 1}}));
}

TEST(ScaleUpSpread, NamesDefaultConstraintsThatLimitPods) {
    PassCase c = three_zones(1);
    c.settings.default_spread = {{.topology_key = zone_key}};
    c.test_cluster.service("web");
    c.pods("web", 9, 3000);
    const Decision decision = c.decide();
    EXPECT_EQ(growth(decision), (Growths{{"a", 1}, {"b", 1}}));
    EXPECT_EQ(count_unschedulable(decision), 7);
    EXPECT_EQ(decision.unschedulable[0].groups.at(0).reason.sentence,
              "max node group size reached (1)");
    EXPECT_THAT(
        decision.unschedulable[0].groups.at(1).reason.sentence,
        HasSubstr(
            "zone=za has 1, the minimum is 0, maxSkew 1 (default constraint of the scheduler)"));
}

TEST(ScaleUpSpread, UsesOneZoneWithOneOptionPerPass) {
    PassCase c = three_zones();
    c.settings.one_option_per_pass = true;
    c.pods("web", 30, 1000, spread_over(zone_key));
    const Decision decision = c.decide();
    EXPECT_EQ(decision.options.size(), 1u);
    EXPECT_EQ(count(decision.schedulable), 1);
}

TEST(ScaleUpSpread, IsLimitedByAZoneThatCannotGrow) {
    PassCase c = three_zones(1);
    c.pods("web", 30, 1000, spread_over(zone_key));
    const Decision decision = c.decide();
    EXPECT_EQ(count(decision.schedulable), 2);
    EXPECT_EQ(growth(decision), (Growths{{"a", 1}, {"b", 1}}));
    EXPECT_EQ(count_unschedulable(decision), 28);
}

TEST(ScaleUpSpread, IsLimitedByAZoneThatBecomesFull) {
    PassCase c = three_zones(2);
    c.pods("web", 30, 1000, spread_over(zone_key));
    const Decision decision = c.decide();
    // Four pods in zone c, five in each of the others.
    EXPECT_EQ(count(decision.schedulable), 14);
    EXPECT_EQ(growth(decision), (Growths{{"a", 2}, {"b", 2}, {"c", 1}}));
}

TEST(ScaleUpSpread, StaysEvenUnderAClusterLimit) {
    PassCase c = three_zones();
    c.settings.nodes.max = 6;
    c.pods("web", 30, 1000, spread_over(zone_key));
    const Decision decision = c.decide();
    EXPECT_EQ(growth(decision), (Growths{{"a", 1}, {"b", 1}, {"c", 1}}));
    EXPECT_EQ(count(decision.schedulable), 12);
}

TEST(ScaleUpSpread, UsesExistingNodesWhenOtherZonesGrow) {
    PassCase c = three_zones();
    c.test_cluster.node("spare").labels = {{zone_key, "za"}, {hostname_key, "spare"}};
    c.pods("web", 12, 1000, spread_over(zone_key));
    const Decision decision = c.decide();
    EXPECT_EQ(skipped(decision, "fit on existing or upcoming nodes") + count(decision.schedulable),
              12);
    EXPECT_EQ(growth(decision), (Growths{{"b", 1}, {"c", 1}}));
}

TEST(ScaleUpSpread, PlansEquivalenceGroupsOfOneSelectorTogether) {
    PassCase c = three_zones();
    c.pods("web", 5, 1000, spread_over(zone_key));
    c.pods("web", 0, 0);
    for (int n = 0; n < 4; ++n) {
        snapshot::PodObject& pod = c.test_cluster.pod("web-large-" + std::to_string(n));
        pod.labels = {{"app", "web"}};
        pod.spec.requests = {{"cpu", 2000}};
        spread_over(zone_key)(pod);
    }
    const Decision decision = c.decide();
    EXPECT_EQ(count(decision.schedulable), 9);
    EXPECT_EQ(decision.unschedulable.size(), 0u);
}

TEST(ScaleUpSpread, PlacesCountedPodsWithoutConstraintsFirst) {
    PassCase c = three_zones();
    c.pods("web", 9, 1000, spread_over(zone_key));
    for (int n = 0; n < 3; ++n) {
        snapshot::PodObject& pod = c.test_cluster.pod("loose-" + std::to_string(n));
        pod.labels = {{"app", "web"}};
        pod.spec.requests = {{"cpu", 3500}};
    }
    const Decision decision = c.decide();
    EXPECT_EQ(count(decision.schedulable), 12);
    EXPECT_EQ(count_unschedulable(decision), 0);
}

/// Adds a node with pods of app=web that request one core each.
void add_host(PassCase& c, const std::string& name, int pods) {
    c.test_cluster.node(name).labels = {{hostname_key, name}};
    for (int n = 0; n < pods; ++n) {
        snapshot::PodObject& pod = c.test_cluster.pod(name + "-web-" + std::to_string(n), name);
        pod.labels = {{"app", "web"}};
        pod.spec.requests = {{"cpu", 1000}};
    }
}

TEST(ScaleUpSpread, AddsTheFewestNodesOverHosts) {
    const struct {
        std::string what;
        std::vector<int> hosts;  // pods on existing nodes
        int pods, cpu, max_skew, min_domains, nodes;
    } cases[] = {
        {"small pods share one node", {}, 9, 100, 1, 1, 1},
        {"ten of a core fill nodes of four", {}, 10, 1000, 1, 1, 3},
        {"a larger skew needs no fewer", {}, 10, 1000, 5, 1, 3},
        {"new hosts catch up with full ones", {4, 4, 4}, 8, 1000, 1, 1, 2},
        {"the emptiest host is filled first", {2, 4, 4}, 8, 1000, 1, 1, 2},
        {"minDomains asks for three", {}, 12, 100, 1, 3, 3},
        {"minDomains is one short", {4, 4}, 5, 100, 1, 3, 1},
        {"minDomains above the number of pods", {}, 2, 100, 1, 3, 2},
        {"minDomains and a skew of two", {}, 12, 100, 2, 3, 3},
        {"one pod", {}, 1, 100, 1, 1, 1},
    };
    for (const auto& each : cases) {
        PassCase c;
        c.group("ng", 0, 100, amounts(4000));
        for (std::size_t n = 0; n < each.hosts.size(); ++n)
            add_host(c, "host-" + std::to_string(n), each.hosts[n]);
        c.pods("web", each.pods, each.cpu, [&](snapshot::PodObject& pod) {
            spread_over(hostname_key, each.max_skew)(pod);
            pod.spec.spread.front().min_domains = each.min_domains;
        });
        EXPECT_EQ(growth(c.decide()), (Growths{{"ng", each.nodes}})) << each.what;
    }
}

TEST(ScaleUpSpread, IsLimitedByAFullHost) {
    PassCase c;
    c.group("ng", 0, 100, amounts(4000));
    add_host(c, "full", 0);
    c.test_cluster.pod("large", "full").spec.requests = {{"cpu", 4000}};
    c.pods("web", 6, 1000, spread_over(hostname_key, 2));
    EXPECT_EQ(growth(c.decide()), (Growths{{"ng", 3}}));
}

TEST(ScaleUpSpread, BalancesSimilarGroupsOverHosts) {
    PassCase c = three_zones();
    c.pods("web", 20, 1000, spread_over(hostname_key));
    EXPECT_EQ(growth(c.decide()), (Growths{{"a", 2}, {"b", 2}, {"c", 1}}));
}

TEST(ScaleUpSpread, BalancesSimilarGroupsWithMinDomains) {
    PassCase c = three_zones();
    c.pods("web", 12, 100, [](snapshot::PodObject& pod) {
        spread_over(hostname_key)(pod);
        pod.spec.spread.front().min_domains = 3;
    });
    const Decision decision = c.decide();
    EXPECT_EQ(count(decision.schedulable), 12);
    EXPECT_EQ(growth(decision), (Growths{{"a", 1}, {"b", 1}, {"c", 1}}));
}

TEST(ScaleUpSpread, AddsANodePerPodWithAntiAffinityOnHosts) {
    PassCase c = three_zones();
    c.pods("web", 7, 100, apart_on(hostname_key));
    const Decision decision = c.decide();
    EXPECT_EQ(count(decision.schedulable), 7);
    EXPECT_EQ(growth(decision), (Growths{{"a", 3}, {"b", 2}, {"c", 2}}));
}

TEST(ScaleUpSpread, UsesAZonePerPodWithAntiAffinityOnZones) {
    PassCase c = three_zones();
    c.pods("web", 5, 100, apart_on(zone_key));
    const Decision decision = c.decide();
    EXPECT_EQ(count(decision.schedulable), 3);
    EXPECT_EQ(growth(decision), (Growths{{"a", 1}, {"b", 1}, {"c", 1}}));
}

TEST(ScaleUpSpread, UsesOneZoneWithAffinityOnZones) {
    PassCase c = three_zones();
    c.pods("web", 8, 1000, [](snapshot::PodObject& pod) {
        pod.spec.pod_affinity = {
            {.selector = LabelSelector{.match_labels = pod.labels}, .topology_key = zone_key}};
    });
    const Decision decision = c.decide();
    EXPECT_EQ(count(decision.schedulable), 8);
    EXPECT_EQ(growth(decision).size(), 1u);
}

TEST(ScaleUpSpread, SupportsZonesAndHosts) {
    PassCase c = three_zones();
    c.pods("web", 6, 100, [](snapshot::PodObject& pod) {
        spread_over(zone_key)(pod);
        spread_over(hostname_key)(pod);
    });
    const Decision decision = c.decide();
    EXPECT_EQ(count(decision.schedulable), 6);
    EXPECT_EQ(growth(decision), (Growths{{"a", 1}})) << "a single host is a single domain";
}

TEST(ScaleUpSpread, SupportsTwoKeysWiderThanANode) {
    PassCase c = three_zones();
    for (const char* id : {"a", "b", "c"}) {
        c.test_cluster.describe(id, amounts(4000)).labels = {{zone_key, std::string("z") + id},
                                                             {"rack", std::string("r") + id}};
    }
    c.pods("web", 6, 1000, [](snapshot::PodObject& pod) {
        spread_over(zone_key)(pod);
        spread_over("rack")(pod);
    });
    EXPECT_EQ(count(c.decide().schedulable), 6);
}

}  // namespace
}  // namespace capstan::engine::scale_up
