// InterPodAffinity of the naive scheduler.
#include <gtest/gtest.h>

#include "naive/naive_objects.hpp"
#include "naive/naive_scheduler.hpp"

namespace capstan::engine::scheduling::naive {
namespace {

Pod near(const std::string& app_name, const std::string& key = "zone") {
    Pod out = pod("web");
    out.spec.pod_affinity = {{.selector = app(app_name), .topology_key = key}};
    return out;
}

Pod far(const std::string& app_name, const std::string& key = "zone") {
    Pod out = pod("web");
    out.spec.pod_anti_affinity = {{.selector = app(app_name), .topology_key = key}};
    return out;
}

NaiveCluster three() { return {{node("a", "1", {pod("db")}), node("b", "1"), node("c", "2")}, {}}; }

TEST(NaiveAffinity, RequiresAMatchingPodInTheDomain) {
    EXPECT_EQ(where(three(), near("db")), "FF-");
    EXPECT_EQ(where(three(), near("db", "kubernetes.io/hostname")), "F--");
    EXPECT_EQ(where(three(), near("none")), "---");
}

TEST(NaiveAffinity, RequiresTheTopologyKeyOnTheNode) {
    NaiveCluster naive_cluster = three();
    naive_cluster.nodes[1].labels.erase("zone");
    EXPECT_EQ(where(naive_cluster, near("db")), "F--");
    EXPECT_EQ(where(three(), near("db", "absent")), "---");
}

TEST(NaiveAffinity, AllowsTheFirstPodOnAnyNodeWithTheKey) {
    NaiveCluster naive_cluster = three();
    naive_cluster.nodes[2].labels.erase("zone");
    EXPECT_EQ(where(naive_cluster, near("web")), "FF-");
    naive_cluster.nodes[1].pods = {pod("web")};
    EXPECT_EQ(where(naive_cluster, near("web")), "FF-");
    naive_cluster.nodes[2].labels["zone"] = "2";
    EXPECT_EQ(where(naive_cluster, near("web")), "FF-");
}

TEST(NaiveAffinity, IgnoresPodsOutsideOfAllDomains) {
    NaiveCluster naive_cluster = three();
    naive_cluster.nodes[2].labels.erase("zone");
    naive_cluster.nodes[2].pods = {pod("web")};
    EXPECT_EQ(where(naive_cluster, near("web")), "FF-");
}

TEST(NaiveAffinity, RequiresOnePodThatMatchesAllTerms) {
    Pod both = near("db");
    both.spec.pod_affinity.push_back(
        {.selector = LabelSelector{.match_labels = {{"tier", "x"}}}, .topology_key = "zone"});
    EXPECT_EQ(where(three(), both), "---");
    NaiveCluster naive_cluster = three();
    naive_cluster.nodes[0].pods[0].labels["tier"] = "x";
    EXPECT_EQ(where(naive_cluster, both), "FF-");
    NaiveCluster apart = three();  // two pods match one term each
    apart.nodes[1].pods = {pod("other")};
    apart.nodes[1].pods[0].labels["tier"] = "x";
    EXPECT_EQ(where(apart, both), "---");
}

TEST(NaiveAffinity, ExcludesDomainsWithMatchingPods) {
    EXPECT_EQ(where(three(), far("db")), "--F");
    EXPECT_EQ(where(three(), far("db", "kubernetes.io/hostname")), "-FF");
    EXPECT_EQ(where(three(), far("db", "absent")), "FFF");
    EXPECT_EQ(where(three(), far("web")), "FFF");
}

TEST(NaiveAffinity, HonoursAntiAffinityOfExistingPods) {
    NaiveCluster naive_cluster = three();
    naive_cluster.nodes[0].pods = {far("db")};
    EXPECT_EQ(where(naive_cluster, pod("db")), "--F");
    EXPECT_EQ(where(naive_cluster, pod("web")), "FFF");
    naive_cluster.nodes[0].labels.erase("zone");
    EXPECT_EQ(where(naive_cluster, pod("db")), "FFF");
    naive_cluster.nodes[0].labels["zone"] = "1";
    naive_cluster.nodes[0].pods[0].terminating = true;
    EXPECT_EQ(where(naive_cluster, pod("db")), "--F");
    naive_cluster.nodes[0].gone = true;
    EXPECT_EQ(where(naive_cluster, pod("db")), "-FF");
}

TEST(NaiveAffinity, HonoursNamespacesAndNamespaceSelector) {
    NaiveCluster naive_cluster = three();
    naive_cluster.nodes[0].pods[0].ns = "shop";
    naive_cluster.objects.namespaces = {{"default", {}}, {"shop", {{"team", "a"}}}};
    struct Case {
        std::vector<std::string> namespaces;
        std::optional<LabelSelector> selector;
        std::string where;
    };
    const LabelSelector team_a{.match_labels = {{"team", "a"}}},
        team_b{.match_labels = {{"team", "b"}}};
    const Case cases[] = {
        {{}, std::nullopt, "FFF"},
        {{"shop"}, std::nullopt, "--F"},
        {{"other"}, std::nullopt, "FFF"},
        {{}, team_a, "--F"},
        {{}, team_b, "FFF"},
        {{}, LabelSelector{}, "--F"},
        {{"other"}, team_a, "--F"},
        {{"shop"}, team_b, "--F"},
    };
    for (const Case& c : cases) {
        Pod constrained = far("db");
        constrained.spec.pod_anti_affinity[0].namespaces = c.namespaces;
        constrained.spec.pod_anti_affinity[0].namespace_selector = c.selector;
        EXPECT_EQ(where(naive_cluster, constrained), c.where);
    }
}

TEST(NaiveAffinity, MatchesNoPodWithoutASelectorAndAllWithAnEmptyOne) {
    Pod constrained = far("db");
    constrained.spec.pod_anti_affinity[0].selector = std::nullopt;
    EXPECT_EQ(where(three(), constrained), "FFF");
    constrained.spec.pod_anti_affinity[0].selector = LabelSelector{};
    EXPECT_EQ(where(three(), constrained), "--F");
}

TEST(NaiveAffinity, HonoursMatchAndMismatchLabelKeys) {
    NaiveCluster naive_cluster = three();
    naive_cluster.nodes[0].pods[0].labels["rev"] = "1";
    Pod same = far("db"), other = far("db");
    same.spec.pod_anti_affinity[0].match_label_keys = {"rev"};
    other.spec.pod_anti_affinity[0].mismatch_label_keys = {"rev"};
    EXPECT_EQ(where(naive_cluster, same), "--F");  // keys that the pod lacks are ignored
    EXPECT_EQ(where(naive_cluster, other), "--F");
    same.labels["rev"] = other.labels["rev"] = "1";
    EXPECT_EQ(where(naive_cluster, same), "--F");
    EXPECT_EQ(where(naive_cluster, other), "FFF");
    same.labels["rev"] = other.labels["rev"] = "2";
    EXPECT_EQ(where(naive_cluster, same), "FFF");
    EXPECT_EQ(where(naive_cluster, other), "--F");
}

}  // namespace
}  // namespace capstan::engine::scheduling::naive
