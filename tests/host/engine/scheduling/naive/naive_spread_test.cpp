// PodTopologySpread of the slow scheduler, by the letter of its definition.
#include <gtest/gtest.h>

#include "naive/naive_objects.hpp"
#include "naive/naive_scheduler.hpp"

namespace capstan::engine::scheduling::naive {
namespace {

Pod spread(snapshot::SpreadConstraint constraint = {}) {
    Pod out = pod("web");
    constraint.topology_key = "zone";
    out.spec.spread = {constraint};
    return out;
}
Pod spread_web(snapshot::SpreadConstraint constraint = {}) {
    constraint.selector = app("web");
    return spread(constraint);
}

/// Two, one and no pods of "web" in zones 1, 2 and 3.
World zones() {
    return {{node("a", "1", {pod("web"), pod("db")}), node("b", "1", {pod("web")}),
             node("c", "2", {pod("web")}), node("d", "3")},
            {}};
}

TEST(NaiveSpread, LimitsTheSkew) {
    EXPECT_EQ(where(zones(), spread_web()), "---F");
    EXPECT_EQ(where(zones(), spread_web({.max_skew = 2})), "--FF");
    EXPECT_EQ(where(zones(), spread_web({.max_skew = 3})), "FFFF");
}

TEST(NaiveSpread, CountsThePodItselfOnlyIfItMatches) {
    EXPECT_EQ(where(zones(), spread({.selector = app("db")})), "FFFF");
    EXPECT_EQ(
        where(zones(),
              spread({.selector =
                          LabelSelector{.match_expressions = {{"app", Operator::exists, {}}}}})),
        "---F");
}

TEST(NaiveSpread, CountsNothingWithAnEmptyOrMissingSelector) {
    EXPECT_EQ(where(zones(), spread({.selector = LabelSelector{}})), "FFFF");
    EXPECT_EQ(where(zones(), spread({.selector = std::nullopt})), "FFFF");
}

TEST(NaiveSpread, RequiresTheTopologyKeyOnTheNode) {
    World world = zones();
    world.nodes[3].labels.erase("zone");
    EXPECT_EQ(where(world, spread_web()), "--F-");
    EXPECT_EQ(where(world, spread({.selector = LabelSelector{}})), "FFF-");
}

TEST(NaiveSpread, CountsOnlyNodesWithAllKeys) {
    World world = zones();
    Pod both = spread_web();
    both.spec.spread.push_back({.max_skew = 9, .topology_key = "rack", .selector = app("web")});
    for (const std::size_t i : {0, 2, 3}) world.nodes[i].labels["rack"] = "r";
    EXPECT_EQ(where(world, both), "---F");
    world.nodes[0].labels.erase("rack");  // now zone 1 is no domain, and counts zero
    world.nodes[3].labels.erase("rack");
    EXPECT_EQ(where(world, both), "--F-");
}

TEST(NaiveSpread, HonoursMinDomains) {
    World world = zones();
    world.nodes.pop_back();
    EXPECT_EQ(where(world, spread_web()), "--F");
    EXPECT_EQ(where(world, spread_web({.min_domains = 2})), "--F");
    EXPECT_EQ(where(world, spread_web({.min_domains = 3})), "---");
    EXPECT_EQ(where(world, spread_web({.max_skew = 2, .min_domains = 3})), "--F");
}

TEST(NaiveSpread, HonoursNodeAffinityPolicy) {
    World world = zones();
    world.nodes[3].labels["disk"] = "hdd";
    Pod picky = spread_web();
    picky.spec.affinity_required = {{.labels = {{"disk", Operator::not_in, {"hdd"}}}}};
    EXPECT_EQ(where(world, picky), "--F-");
    picky.spec.spread[0].honor_affinity = false;
    EXPECT_EQ(where(world, picky), "----");
}

TEST(NaiveSpread, HonoursNodeTaintsPolicy) {
    World world = zones();
    world.nodes[3].taints = {{"dedicated", "", Effect::no_schedule}};
    EXPECT_EQ(where(world, spread_web()), "----");
    EXPECT_EQ(where(world, spread_web({.honor_taints = true})), "--F-");
    world.nodes[3].taints[0].effect = Effect::prefer_no_schedule;
    EXPECT_EQ(where(world, spread_web({.honor_taints = true})), "---F");
}

TEST(NaiveSpread, IgnoresOtherNamespacesAndPodsThatAreBeingDeleted) {
    World world = zones();
    world.nodes[0].pods[0].terminating = true;
    EXPECT_EQ(where(world, spread_web({.max_skew = 2})), "FFFF");
    world = zones();
    world.nodes[0].pods[0].ns = "other";
    EXPECT_EQ(where(world, spread_web({.max_skew = 2})), "FFFF");
}

TEST(NaiveSpread, HonoursMatchLabelKeys) {
    World world = zones();
    for (const std::size_t i : {0, 1}) world.nodes[i].pods[0].labels["rev"] = "1";
    Pod next = spread_web({.match_label_keys = {"rev"}});
    EXPECT_EQ(where(world, next), "---F");  // a key that the pod lacks is skipped
    next.labels["rev"] = "1";
    EXPECT_EQ(where(world, next), "--FF");
    next.labels["rev"] = "2";
    EXPECT_EQ(where(world, next), "FFFF");
}

TEST(NaiveSpread, HonoursMatchLabelKeysWithAnEmptySelector) {
    World world = zones();
    for (const std::size_t i : {0, 1}) world.nodes[i].pods[0].labels["rev"] = "1";
    Pod next = spread({.selector = LabelSelector{}, .match_label_keys = {"rev"}});
    EXPECT_EQ(where(world, next), "FFFF");
    next.labels["rev"] = "1";
    EXPECT_EQ(where(world, next), "--FF");
}

TEST(NaiveSpread, TreatsANewNodeAsADomain) {
    World world = zones();
    EXPECT_EQ(where(world, spread_web({.max_skew = 2})), "--FF");
    world.nodes.push_back(node("", "4"));
    EXPECT_EQ(where(world, spread_web({.max_skew = 2})), "--FFF");
    world.nodes.erase(world.nodes.begin() + 3);  // zones 1, 2 and 4
    EXPECT_EQ(where(world, spread_web()), "---F");
}

}  // namespace
}  // namespace capstan::engine::scheduling::naive
