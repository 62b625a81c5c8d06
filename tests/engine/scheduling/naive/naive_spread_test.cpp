// PodTopologySpread of the naive scheduler.
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

/// Zones 1, 2 and 3 with two, one and no pods of "web".
NaiveCluster zones() {
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
    NaiveCluster naive_cluster = zones();
    naive_cluster.nodes[3].labels.erase("zone");
    EXPECT_EQ(where(naive_cluster, spread_web()), "--F-");
    EXPECT_EQ(where(naive_cluster, spread({.selector = LabelSelector{}})), "FFF-");
}

TEST(NaiveSpread, CountsOnlyNodesWithAllKeys) {
    NaiveCluster naive_cluster = zones();
    Pod both = spread_web();
    both.spec.spread.push_back({.max_skew = 9, .topology_key = "rack", .selector = app("web")});
    for (const std::size_t i : {0, 2, 3}) naive_cluster.nodes[i].labels["rack"] = "r";
    EXPECT_EQ(where(naive_cluster, both), "---F");
    naive_cluster.nodes[0].labels.erase("rack");  // zone 1 no longer has an eligible node
    naive_cluster.nodes[3].labels.erase("rack");
    EXPECT_EQ(where(naive_cluster, both), "--F-");
}

TEST(NaiveSpread, HonoursMinDomains) {
    NaiveCluster naive_cluster = zones();
    naive_cluster.nodes.pop_back();
    EXPECT_EQ(where(naive_cluster, spread_web()), "--F");
    EXPECT_EQ(where(naive_cluster, spread_web({.min_domains = 2})), "--F");
    EXPECT_EQ(where(naive_cluster, spread_web({.min_domains = 3})), "---");
    EXPECT_EQ(where(naive_cluster, spread_web({.max_skew = 2, .min_domains = 3})), "--F");
}

TEST(NaiveSpread, HonoursNodeAffinityPolicy) {
    NaiveCluster naive_cluster = zones();
    naive_cluster.nodes[3].labels["disk"] = "hdd";
    Pod constrained = spread_web();
    constrained.spec.affinity_required = {{.labels = {{"disk", Operator::not_in, {"hdd"}}}}};
    EXPECT_EQ(where(naive_cluster, constrained), "--F-");
    constrained.spec.spread[0].honor_affinity = false;
    EXPECT_EQ(where(naive_cluster, constrained), "----");
}

TEST(NaiveSpread, HonoursNodeTaintsPolicy) {
    NaiveCluster naive_cluster = zones();
    naive_cluster.nodes[3].taints = {{"dedicated", "", Effect::no_schedule}};
    EXPECT_EQ(where(naive_cluster, spread_web()), "----");
    EXPECT_EQ(where(naive_cluster, spread_web({.honor_taints = true})), "--F-");
    naive_cluster.nodes[3].taints[0].effect = Effect::prefer_no_schedule;
    EXPECT_EQ(where(naive_cluster, spread_web({.honor_taints = true})), "---F");
}

TEST(NaiveSpread, IgnoresOtherNamespacesAndPodsThatAreBeingDeleted) {
    NaiveCluster naive_cluster = zones();
    naive_cluster.nodes[0].pods[0].terminating = true;
    EXPECT_EQ(where(naive_cluster, spread_web({.max_skew = 2})), "FFFF");
    naive_cluster = zones();
    naive_cluster.nodes[0].pods[0].ns = "other";
    EXPECT_EQ(where(naive_cluster, spread_web({.max_skew = 2})), "FFFF");
}

TEST(NaiveSpread, HonoursMatchLabelKeys) {
    NaiveCluster naive_cluster = zones();
    for (const std::size_t i : {0, 1}) naive_cluster.nodes[i].pods[0].labels["rev"] = "1";
    Pod next = spread_web({.match_label_keys = {"rev"}});
    EXPECT_EQ(where(naive_cluster, next), "---F");  // keys that the pod lacks are ignored
    next.labels["rev"] = "1";
    EXPECT_EQ(where(naive_cluster, next), "--FF");
    next.labels["rev"] = "2";
    EXPECT_EQ(where(naive_cluster, next), "FFFF");
}

TEST(NaiveSpread, HonoursMatchLabelKeysWithAnEmptySelector) {
    NaiveCluster naive_cluster = zones();
    for (const std::size_t i : {0, 1}) naive_cluster.nodes[i].pods[0].labels["rev"] = "1";
    Pod next = spread({.selector = LabelSelector{}, .match_label_keys = {"rev"}});
    EXPECT_EQ(where(naive_cluster, next), "FFFF");
    next.labels["rev"] = "1";
    EXPECT_EQ(where(naive_cluster, next), "--FF");
}

TEST(NaiveSpread, TreatsANewNodeAsADomain) {
    NaiveCluster naive_cluster = zones();
    EXPECT_EQ(where(naive_cluster, spread_web({.max_skew = 2})), "--FF");
    naive_cluster.nodes.push_back(node("", "4"));
    EXPECT_EQ(where(naive_cluster, spread_web({.max_skew = 2})), "--FFF");
    naive_cluster.nodes.erase(naive_cluster.nodes.begin() + 3);  // zones 1, 2 and 4
    EXPECT_EQ(where(naive_cluster, spread_web()), "---F");
}

}  // namespace
}  // namespace capstan::engine::scheduling::naive
