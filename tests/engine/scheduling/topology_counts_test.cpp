#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/scheduling/placement.hpp"
#include "scheduling_cluster.hpp"

namespace capstan::engine::scheduling {
namespace {

TestPod spread_pod(std::vector<snapshot::SpreadConstraint> constraints) {
    return {.labels = {{"app", "web"}}, .spec = {.spread = std::move(constraints)}};
}
TestPod plain_pod() { return {.labels = {{"app", "web"}}}; }

/// Room on all nodes of each slot.
std::vector<int> rooms(const Placement& placement, PodGroupIndex pod_group, int wanted = 9) {
    std::vector<int> out;
    for (Slot slot = 0; slot < placement.slot_count(); ++slot)
        out.push_back(placement.room(pod_group, slot, wanted).in_all);
    return out;
}

/// One node in each of the zones 1, 2 and 3, with the given numbers of pods with app=web.
struct ThreeZones : SchedulingCluster {
    ThreeZones(int in_1, int in_2, int in_3) {
        const int counts[] = {in_1, in_2, in_3};
        for (int zone = 0; zone < 3; ++zone) {
            const std::string name = std::to_string(zone + 1);
            node(name, in_zone(name));
            for (int i = 0; i < counts[zone]; ++i)
                bound("web-" + name + "-" + std::to_string(i), name, plain_pod());
        }
    }
};

TEST(TopologySpread, LimitsADomainToMaxSkewAboveTheMinimum) {
    const struct {
        int existing[3];
        int max_skew;
        std::vector<int> room;
    } cases[] = {{{0, 0, 0}, 1, {1, 1, 1}}, {{1, 0, 0}, 1, {0, 1, 1}}, {{1, 1, 0}, 1, {0, 0, 2}},
                 {{3, 1, 2}, 1, {0, 2, 0}}, {{3, 1, 2}, 2, {0, 3, 1}}, {{0, 5, 5}, 1, {6, 0, 0}},
                 {{2, 2, 2}, 5, {5, 5, 5}}};
    for (const auto& c : cases) {
        ThreeZones cluster(c.existing[0], c.existing[1], c.existing[2]);
        const auto web = cluster.pod_group(spread_pod({over(zone_key, app("web"), c.max_skew)}));
        CompiledPredicates predicates = cluster.predicates();
        EXPECT_EQ(rooms(Placement(predicates), web), c.room)
            << ::testing::PrintToString(c.existing);
    }
}

TEST(TopologySpread, ReportsTheSkew) {
    ThreeZones cluster(3, 2, 2);
    cluster.node("4", {});
    const auto web = cluster.pod_group(spread_pod({over(zone_key, app("web"))}));
    CompiledPredicates predicates = cluster.predicates();
    const Placement placement(predicates);
    EXPECT_EQ(placement.why_not(web, 0),
              (Refusal{Predicate::pod_topology_spread,
                       "node(s) didn't match pod topology spread constraints: "
                       "topology.kubernetes.io/zone=1 has 3, the minimum is 2, maxSkew 1"}));
    EXPECT_EQ(placement.why_not(web, 3).sentence,
              "node(s) didn't match pod topology spread constraints (missing required label): "
              "topology.kubernetes.io/zone");
}

TEST(TopologySpread, UsesDefaultConstraintsForPodsWithoutTheirOwn) {
    ThreeZones cluster(3, 2, 2);
    cluster.node("4", {});
    const auto web = cluster.pod_group(plain_pod());
    const auto unselected = cluster.pod_group({.labels = {{"app", "db"}}});
    const auto own = cluster.pod_group(spread_pod({over(zone_key, app("web"), 5)}));
    cluster.builder.set(snapshot::ServiceObject{.name = "web", .selector = {{"app", "web"}}});
    cluster.defaults = {{.topology_key = zone_key}};
    CompiledPredicates predicates = cluster.predicates();
    const Placement placement(predicates);
    EXPECT_EQ(rooms(placement, web), (std::vector<int>{0, 1, 1, 0}));
    EXPECT_EQ(rooms(placement, unselected), (std::vector<int>{9, 9, 9, 9}));
    EXPECT_EQ(rooms(placement, own), (std::vector<int>{4, 5, 5, 0}));
    EXPECT_EQ(
        placement.why_not(web, 0),
        (Refusal{
            Predicate::pod_topology_spread,
            "node(s) didn't match pod topology spread constraints: topology.kubernetes.io/zone=1 "
            "has 3, the minimum is 2, maxSkew 1 (default constraint of the scheduler)"}));
    EXPECT_EQ(placement.why_not(web, 3).sentence,
              "node(s) didn't match pod topology spread constraints (missing required label): "
              "topology.kubernetes.io/zone (default constraint of the scheduler)");
}

TEST(TopologySpread, CountsEligibleNodesWithDefaultConstraints) {
    ThreeZones cluster(1, 0, 0);
    TestPod selective = plain_pod();
    selective.spec.affinity_required = {{.labels = {{zone_key, Operator::not_in, {"2"}}}}};
    const auto web = cluster.pod_group(selective);
    cluster.builder.set(snapshot::ServiceObject{.name = "web", .selector = {{"app", "web"}}});
    cluster.defaults = {{.topology_key = zone_key}, {.topology_key = hostname_key, .max_skew = 2}};
    CompiledPredicates predicates = cluster.predicates();
    EXPECT_EQ(rooms(Placement(predicates), web), (std::vector<int>{0, 0, 2}));
}

TEST(TopologySpread, IsUnlimitedInASingleDomain) {
    SchedulingCluster cluster;
    cluster.node("a", in_zone("1"));
    const auto web = cluster.pod_group(spread_pod({over(zone_key, app("web"))}));
    CompiledPredicates predicates = cluster.predicates();
    EXPECT_EQ(rooms(Placement(predicates), web), (std::vector<int>{9}));
}

TEST(TopologySpread, HonoursMinDomains) {
    snapshot::SpreadConstraint constraint = over(zone_key, app("web"), 2);
    for (const int min_domains : {1, 3, 4}) {
        ThreeZones cluster(1, 1, 1);
        constraint.min_domains = min_domains;
        const auto web = cluster.pod_group(spread_pod({constraint}));
        CompiledPredicates predicates = cluster.predicates();
        const int room = min_domains == 4 ? 1 : 2;
        EXPECT_EQ(rooms(Placement(predicates), web), (std::vector<int>{room, room, room}));
    }
}

TEST(TopologySpread, CountsANewZoneWhenANodeIsAdded) {
    ThreeZones cluster(1, 1, 1);
    const auto web = cluster.pod_group(spread_pod({over(zone_key, app("web"))}));
    const auto template_node = cluster.template_node(in_zone("4"));
    CompiledPredicates predicates = cluster.predicates();
    Placement placement(predicates);
    EXPECT_EQ(rooms(placement, web), (std::vector<int>{1, 1, 1}));
    const Slot slot = placement.add(template_node, 2);
    EXPECT_EQ(rooms(placement, web), (std::vector<int>{0, 0, 0, 2}));
    placement.place(web, slot, 1);
    EXPECT_EQ(rooms(placement, web), (std::vector<int>{1, 1, 1, 0}))
        << "one pod on each of two nodes";
    placement.undo(0);
    EXPECT_EQ(rooms(placement, web), (std::vector<int>{1, 1, 1}));
}

TEST(TopologySpread, CountsANewHostWhenAPodIsOnIt) {
    ThreeZones cluster(2, 2, 3);
    const auto web = cluster.pod_group(spread_pod({over(hostname_key, app("web"))}));
    const auto template_node = cluster.template_node({});
    CompiledPredicates predicates = cluster.predicates();
    Placement placement(predicates);
    const Slot slot = placement.add(template_node, 3);
    EXPECT_EQ(rooms(placement, web), (std::vector<int>{1, 1, 0, 9}));
    const Slot one = placement.split(slot, 1);
    EXPECT_EQ(placement.room(web, one, 9), (Room{3, 3}));
    const Placement::Mark mark = placement.mark();
    placement.place(web, one, 1);
    EXPECT_EQ(rooms(placement, web), (std::vector<int>{0, 0, 0, 4, 2}));
    placement.undo(mark);
    EXPECT_EQ(rooms(placement, web), (std::vector<int>{1, 1, 0, 6, 3}));
}

TEST(TopologySpread, ReportsHostsMissingForMinDomains) {
    ThreeZones cluster(1, 0, 0);
    snapshot::SpreadConstraint constraint = over(hostname_key, app("web"));
    constraint.min_domains = 5;
    const auto web = cluster.pod_group(spread_pod({constraint}));
    const auto unconstrained = cluster.pod_group({.labels = {{"app", "unconstrained"}}});
    const auto template_node = cluster.template_node({});
    CompiledPredicates predicates = cluster.predicates();
    Placement placement(predicates);
    EXPECT_EQ(placement.missing_hosts(web), 2);
    EXPECT_EQ(placement.missing_hosts(unconstrained), 0);
    const Slot slot = placement.add(template_node, 2);
    EXPECT_EQ(placement.missing_hosts(web), 2);
    placement.place(web, slot, 1);
    EXPECT_EQ(placement.missing_hosts(web), 0);
    EXPECT_EQ(placement.room(web, slot, 9), (Room{0, 0})) << "two existing nodes are empty";
}

TEST(TopologySpread, CountsEachHostSeparately) {
    ThreeZones cluster(1, 0, 1);
    const auto web = cluster.pod_group(spread_pod({over(hostname_key, app("web"))}));
    const auto template_node = cluster.template_node({});
    CompiledPredicates predicates = cluster.predicates();
    Placement placement(predicates);
    EXPECT_EQ(rooms(placement, web), (std::vector<int>{0, 2, 0}));
    const Slot slot = placement.add(template_node, 4);
    EXPECT_EQ(placement.room(web, slot, 9), (Room{1, 4}));
    placement.place(web, slot, 1);
    EXPECT_EQ(placement.room(web, slot, 9), (Room{0, 0}));
    EXPECT_EQ(placement.room(web, 1, 9), (Room{2, 2}));
    placement.place(web, 1, 1);
    EXPECT_EQ(placement.room(web, slot, 9), (Room{1, 4}));
    const Slot part = placement.split(slot, 1);
    placement.place(web, part, 1);
    EXPECT_EQ(placement.room(web, part, 9), (Room{0, 0}));
    EXPECT_EQ(placement.room(web, slot, 9), (Room{1, 3}));
    placement.undo(0);
    EXPECT_EQ(rooms(placement, web), (std::vector<int>{0, 2, 0}));
}

TEST(TopologySpread, IgnoresOtherNamespacesAndPodsThatAreBeingDeleted) {
    ThreeZones cluster(0, 0, 0);
    cluster.bound("elsewhere", "1", {.labels = {{"app", "web"}}, .ns = "other"});
    cluster.bound("going", "1", {.labels = {{"app", "web"}}, .deleted = Time{}});
    cluster.bound("unlike", "1", {.labels = {{"app", "db"}}});
    const auto web = cluster.pod_group(spread_pod({over(zone_key, app("web"))}));
    CompiledPredicates predicates = cluster.predicates();
    EXPECT_EQ(rooms(Placement(predicates), web), (std::vector<int>{1, 1, 1}));
}

TEST(TopologySpread, CountsNothingWithAnEmptyOrMissingSelector) {
    ThreeZones cluster(5, 0, 0);
    const auto empty = cluster.pod_group(spread_pod({over(zone_key, {})}));
    const auto none = cluster.pod_group(spread_pod({{.topology_key = zone_key}}));
    CompiledPredicates predicates = cluster.predicates();
    EXPECT_EQ(rooms(Placement(predicates), empty), (std::vector<int>{9, 9, 9}));
    EXPECT_EQ(rooms(Placement(predicates), none), (std::vector<int>{9, 9, 9}));
}

TEST(TopologySpread, AppliesToPodsThatDoNotMatchTheSelector) {
    ThreeZones cluster(2, 1, 0);
    const auto other = cluster.pod_group(
        {.labels = {{"app", "other"}}, .spec = {.spread = {over(zone_key, app("web"))}}});
    CompiledPredicates predicates = cluster.predicates();
    EXPECT_EQ(rooms(Placement(predicates), other), (std::vector<int>{0, 9, 9}));
}

TEST(TopologySpread, HonoursMatchLabelKeys) {
    snapshot::SpreadConstraint constraint = over(zone_key, app("web"));
    constraint.match_label_keys = {"hash", "absent"};
    ThreeZones cluster(4, 0, 0);
    const auto web = cluster.pod_group(
        {.labels = {{"app", "web"}, {"hash", "2"}}, .spec = {.spread = {constraint}}});
    CompiledPredicates predicates = cluster.predicates();
    EXPECT_EQ(rooms(Placement(predicates), web), (std::vector<int>{1, 1, 1}));
}

TEST(TopologySpread, HonoursNodeInclusionPolicies) {
    snapshot::SpreadConstraint by_default = over(zone_key, app("web"));
    snapshot::SpreadConstraint all_nodes = by_default;
    all_nodes.honor_affinity = false;
    snapshot::SpreadConstraint by_taints = by_default;
    by_taints.honor_taints = true;
    const struct {
        const char* name;
        snapshot::SpreadConstraint constraint;
        bool selects;
        std::vector<int> room;
    } cases[] = {{"honours its selector", by_default, true, {9, 0, 0, 0}},
                 {"ignores its selector", all_nodes, true, {1, 0, 0, 0}},
                 {"counts tainted nodes", by_default, false, {0, 0, 0, 0}},
                 {"honours taints", by_taints, false, {1, 1, 1, 0}}};
    for (const auto& c : cases) {
        ThreeZones cluster(0, 0, 0);
        for (const char* zone : {"1", "2", "3"}) {
            if (!c.selects) cluster.bound(std::string("web-") + zone, zone, plain_pod());
        }
        TestNode tainted = in_zone("4");
        tainted.taints = {{.key = "dedicated"}};
        cluster.node("4", tainted);
        TestPod pod = spread_pod({c.constraint});
        if (c.selects) pod.spec.node_selector = {{zone_key, "1"}};
        const auto web = cluster.pod_group(pod);
        CompiledPredicates predicates = cluster.predicates();
        EXPECT_EQ(rooms(Placement(predicates), web, 9), c.room) << c.name;
    }
}

TEST(TopologySpread, CombinesSeveralConstraints) {
    ThreeZones cluster(0, 0, 0);
    const auto web = cluster.pod_group(
        spread_pod({over(zone_key, app("web"), 2), over(hostname_key, app("web"))}));
    const auto template_node = cluster.template_node(in_zone("1"));
    CompiledPredicates predicates = cluster.predicates();
    Placement placement(predicates);
    const Slot slot = placement.add(template_node, 5);
    EXPECT_EQ(placement.room(web, slot, 9), (Room{1, 2}));
}

TEST(TopologySpread, IgnoresRemovedNodes) {
    ThreeZones cluster(1, 1, 0);
    const auto web = cluster.pod_group(spread_pod({over(zone_key, app("web"))}));
    CompiledPredicates predicates = cluster.predicates();
    Placement placement(predicates);
    EXPECT_EQ(rooms(placement, web), (std::vector<int>{0, 0, 2}));
    placement.close(2);
    EXPECT_EQ(rooms(placement, web), (std::vector<int>{1, 1, 0}));
    placement.undo(0);
    EXPECT_EQ(rooms(placement, web), (std::vector<int>{0, 0, 2}));
}

TEST(SpreadDomains, IncludeDomainsOfEligibleNodesAndTemplates) {
    ThreeZones cluster(2, 0, 1);
    const auto web = cluster.pod_group(spread_pod({over(zone_key, app("web"), 3)}));
    const auto in_4 = cluster.template_node(in_zone("4"));
    const auto in_2 = cluster.template_node(in_zone("2"));
    const auto nowhere = cluster.template_node({});
    CompiledPredicates predicates = cluster.predicates();
    Placement placement(predicates);
    const auto domains = placement.spread(web);
    ASSERT_TRUE(domains);
    EXPECT_EQ(domains->topology_key, zone_key);
    EXPECT_EQ(domains->max_skew, 3);
    EXPECT_EQ(domains->min_domains, 1);
    EXPECT_TRUE(domains->counts_itself);
    std::string text;
    for (const auto& domain : domains->domains)
        text += domain.value + ":" + std::to_string(domain.count) + (domain.exists ? " " : "? ");
    EXPECT_EQ(text, "1:2 2:0 3:1 4:0? ");
    EXPECT_EQ(placement.domain_of(web, in_4), 3u);
    EXPECT_EQ(placement.domain_of(web, in_2), 1u);
    EXPECT_EQ(placement.domain_of(web, nowhere), std::nullopt);
    placement.add(in_4, 1);
    EXPECT_TRUE(placement.spread(web)->domains[3].exists);
}

TEST(SpreadDomains, RequireExactlyOneConstraintWiderThanANode) {
    ThreeZones cluster(0, 0, 0);
    const auto web = app("web");
    const auto none = cluster.pod_group(plain_pod());
    const auto by_node = cluster.pod_group(spread_pod({over(hostname_key, web)}));
    const auto both = cluster.pod_group(spread_pod({over(hostname_key, web), over(zone_key, web)}));
    const auto two = cluster.pod_group(spread_pod({over("region", web), over(zone_key, web)}));
    const auto same = cluster.pod_group(
        {.labels = {{"app", "web"}, {"x", "y"}}, .spec = {.spread = {over(zone_key, web)}}});
    CompiledPredicates predicates = cluster.predicates();
    const Placement placement(predicates);
    EXPECT_FALSE(placement.spread(none));
    EXPECT_FALSE(placement.spread(by_node));
    EXPECT_TRUE(placement.spread(both));
    EXPECT_FALSE(placement.spread(two));
    EXPECT_EQ(placement.spread(both)->counter, placement.spread(same)->counter);
}

TEST(SpreadQuota, ReplacesTheConstraintUntilItIsRemoved) {
    ThreeZones cluster(0, 0, 0);
    const auto web = cluster.pod_group(spread_pod({over(zone_key, app("web"))}));
    CompiledPredicates predicates = cluster.predicates();
    Placement placement(predicates);
    placement.allow(web, 0, 5);
    EXPECT_EQ(rooms(placement, web), (std::vector<int>{5, 0, 0}));
    placement.allow(web, 2, 1);
    EXPECT_EQ(rooms(placement, web), (std::vector<int>{5, 0, 1}));
    const auto before = placement.mark();
    placement.place(web, 0, 3);
    EXPECT_EQ(rooms(placement, web), (std::vector<int>{2, 0, 1}));
    EXPECT_EQ(placement.why_not(web, 1).predicate, Predicate::pod_topology_spread);
    placement.disallow(web);
    EXPECT_EQ(rooms(placement, web), (std::vector<int>{0, 1, 1}));
    placement.undo(before);
    EXPECT_EQ(rooms(placement, web), (std::vector<int>{5, 0, 1}));
    placement.undo(0);
    EXPECT_EQ(rooms(placement, web), (std::vector<int>{1, 1, 1}));
    placement.allow(web, 1, 0);
    EXPECT_EQ(rooms(placement, web), (std::vector<int>{0, 0, 0}));
}

}  // namespace
}  // namespace capstan::engine::scheduling
