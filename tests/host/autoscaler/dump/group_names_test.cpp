#include "autoscaler/dump/group_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::autoscaler::dump {
namespace {

using ::testing::ElementsAre;

/// A node of a pool in a zone, named after both unless it has a name.
engine::snapshot::NodeObject pool_node(const std::string& pool, const std::string& zone,
                                       const std::string& name = {}) {
    const std::string own = name.empty() ? pool + zone : name;
    return {
        .name = own,
        .provider_id = "gce://shop/" + zone + "/" + own,
        .labels = {{"eks.amazonaws.com/nodegroup", pool}, {"topology.kubernetes.io/zone", zone}},
        .capacity = {{"cpu", 2_cpu}},
        .allocatable = {{"cpu", 2_cpu}}};
}

std::vector<std::string> names(const std::vector<engine::snapshot::NodeObject>& nodes,
                               const std::vector<std::string>& status) {
    std::vector<StatusGroup> groups;
    for (const std::string& name : status) groups.push_back({.name = name, .target = 1});
    std::vector<std::string> out;
    for (const NamedGroup& named : name_groups(guess_groups(nodes, {}, {}), nodes, groups))
        out.push_back(named.group.id + (named.zones > 1 ? " *" : ""));
    return out;
}

TEST(GroupNames, AreThoseOfTheStatus) {
    const std::vector pools{pool_node("web", "eu-1a"), pool_node("web", "eu-1b"),
                            pool_node("web-gpu", "eu-1a")};
    const std::vector gke{pool_node("web", "us-a", "gke-prod-web-1a2b-x"),
                          pool_node("web", "us-b", "gke-prod-web-3c4d-y")};
    struct Case {
        const char* what;
        const std::vector<engine::snapshot::NodeObject>& nodes;
        std::vector<std::string> status, names;
    };
    const Case cases[]{
        {"no status", pools, {}, {"web-eu-1a", "web-eu-1b", "web-gpu-eu-1a"}},
        {"one group in all zones; the longer pool counts",
         pools,
         {"eks-web-34c1", "eks-web-gpu-9cc0"},
         {"eks-web-34c1 *", "eks-web-gpu-9cc0"}},
        {"a group for each zone",
         pools,
         {"web.eu-1a.prod", "web.eu-1b.prod"},
         {"web-gpu-eu-1a", "web.eu-1a.prod", "web.eu-1b.prod"}},
        {"two groups that fit equally well",
         pools,
         {"blue-web", "green-web"},
         {"web-eu-1a", "web-eu-1b", "web-gpu-eu-1a"}},
        {"part of a word is no pool",
         pools,
         {"webinar"},
         {"web-eu-1a", "web-eu-1b", "web-gpu-eu-1a"}},
        {"by the names of nodes, not by the pool",
         gke,
         {"shop/us-a/gke-prod-web-1a2b-grp", "shop/us-b/gke-prod-web-3c4d-grp"},
         {"shop/us-a/gke-prod-web-1a2b-grp", "shop/us-b/gke-prod-web-3c4d-grp"}},
        {"a group of another zone",
         gke,
         {"shop/us-c/gke-prod-web-9999-grp"},
         {"web-us-a", "web-us-b"}},
    };
    for (const Case& c : cases) EXPECT_EQ(names(c.nodes, c.status), c.names) << c.what;
}

TEST(GroupNames, KeepTheTemplateOfTheLargestPart) {
    const std::vector nodes{pool_node("web", "a"), pool_node("web", "b", "n2"),
                            pool_node("web", "b", "n3")};
    const auto named = name_groups(guess_groups(nodes, {}, {}), nodes,
                                   {{.name = "asg-web", .max = 9, .target = 3}});
    ASSERT_EQ(named.size(), 1u);
    EXPECT_EQ(named[0].group.node.zone, "b");
    EXPECT_EQ(named[0].group.node.name, "asg-web");
    EXPECT_THAT(named[0].group.nodes, ElementsAre(0u, 1u, 2u));
    EXPECT_EQ(named[0].status->max, 9);
}

TEST(GroupNames, OfGoogleCloudAreTheIdsOfTheCloudPlugin) {
    const std::string api = "https://www.googleapis.com/compute/v1/projects/";
    EXPECT_EQ(group_id_of_link(api + "shop/zones/us-a/instanceGroups/web"), "shop/us-a/web");
    EXPECT_EQ(group_id_of_link(api + "shop/regions/us/instanceGroupManagers/web"), "shop/us/web");
    EXPECT_EQ(group_id_of_link("eks-web-34c1"), "eks-web-34c1");
    const std::vector nodes{pool_node("web", "us-a", "gke-prod-web-1a2b-x"),
                            pool_node("web", "us-a", "gke-prod-web-1a2b-y"),
                            pool_node("mix", "us-a", "gke-prod-mix-1a2b-x"),
                            pool_node("mix", "us-a", "gke-prod-mix-3c4d-x"),
                            pool_node("own", "us-a", "worker-1")};
    const auto guessed = guess_groups(nodes, {}, {});
    ASSERT_EQ(guessed.size(), 3u);
    EXPECT_EQ(find_gke_group(guessed[0], nodes), std::nullopt) << "nodes of two groups";
    EXPECT_EQ(find_gke_group(guessed[1], nodes), std::nullopt);
    EXPECT_EQ(find_gke_group(guessed[2], nodes), "shop/us-a/gke-prod-web-1a2b-grp");
}

}  // namespace
}  // namespace capstan::autoscaler::dump
