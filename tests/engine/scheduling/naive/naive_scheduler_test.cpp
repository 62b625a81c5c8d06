// The naive scheduler's copy of a cluster, and its predicates about nodes and volumes.
#include "naive/naive_scheduler.hpp"

#include <gtest/gtest.h>

#include "engine/snapshot/cluster_builder.hpp"
#include "naive/naive_objects.hpp"

namespace capstan::engine::scheduling::naive {
namespace {

TEST(NaiveScheduler, CopiesTheClusterAndAddsNodes) {
    snapshot::ClusterBuilder builder;
    builder.set(
        snapshot::NodeObject{.name = "a", .labels = {{"zone", "1"}}, .allocatable = {{"pods", 2}}});
    builder.set(snapshot::CsiNodeObject{.name = "a", .limits = {{"ebs", 3}}});
    builder.set(snapshot::PodObject{.name = "there",
                                    .spec = {.requests = {{"cpu", 5}}},
                                    .claims = {"c"},
                                    .node_name = "a",
                                    .deleted = Time{}});
    const PodGroupId daemon =
        builder.add_equivalence_group({.ns = "kube-system", .labels = {{"app", "log"}}});
    const snapshot::Cluster cluster = builder.build();
    NaiveCluster naive_cluster = make_naive_cluster(cluster);
    ASSERT_EQ(naive_cluster.nodes.size(), 1u);
    EXPECT_EQ(naive_cluster.nodes[0].labels, (Labels{{"zone", "1"}}));
    EXPECT_EQ(naive_cluster.nodes[0].attach_limits.at("ebs"), 3);
    ASSERT_EQ(naive_cluster.nodes[0].pods.size(), 1u);
    EXPECT_TRUE(naive_cluster.nodes[0].pods[0].terminating);
    EXPECT_EQ(naive_cluster.nodes[0].pods[0].claims, (std::vector<std::string>{"c"}));

    const TemplateNode template_node{.labels = {{"kubernetes.io/hostname", "template"}},
                                     .daemons = {daemon}};
    EXPECT_EQ(add_node(naive_cluster, cluster, template_node), 1u);
    EXPECT_EQ(add_node(naive_cluster, cluster, template_node), 2u);
    EXPECT_NE(naive_cluster.nodes[1].labels, naive_cluster.nodes[2].labels);
    EXPECT_EQ(naive_cluster.nodes[2].pods[0].ns, "kube-system");
}

TEST(NaiveScheduler, ReportsTheFailedPredicate) {
    struct Case {
        Predicate expected;
        void (*change)(Pod&, NaiveCluster&);
    };
    const Case cases[] = {
        {Predicate::none, [](Pod&, NaiveCluster&) {}},
        {Predicate::node_unschedulable,
         [](Pod&, NaiveCluster& w) { w.nodes[0].unschedulable = true; }},
        {Predicate::taint_toleration,
         [](Pod&, NaiveCluster& w) { w.nodes[0].taints = {{"k", "", {}}}; }},
        {Predicate::node_affinity,
         [](Pod& p, NaiveCluster&) { p.spec.node_selector = {{"k", "v"}}; }},
        {Predicate::node_ports,
         [](Pod& p, NaiveCluster& w) {
             p.spec.ports = {{.port = 80}};
             w.nodes[0].pods[0].spec.ports = {{.ip = "10.0.0.1", .port = 80}};
         }},
        {Predicate::node_resources_fit,
         [](Pod& p, NaiveCluster&) { p.spec.requests = {{"cpu", 4001}}; }},
        {Predicate::node_resources_fit,
         [](Pod&, NaiveCluster& w) { w.nodes[0].allocatable.set("pods", 1); }},
        {Predicate::volume_binding, [](Pod& p, NaiveCluster&) { p.claims = {"c"}; }},
        {Predicate::dynamic_resources,
         [](Pod& p, NaiveCluster&) { p.spec.uses_resource_claims = true; }},
    };
    for (const Case& c : cases) {
        NaiveCluster naive_cluster{{node("a", "1", {pod("db")})}, {}};
        Pod web = pod("web");
        c.change(web, naive_cluster);
        EXPECT_EQ(why_not(naive_cluster, web, 0).predicate, c.expected) << name_of(c.expected);
    }
}

TEST(NaiveScheduler, IgnoresResourcesThatAreNotRequested) {
    NaiveCluster naive_cluster{{node("a", "1", {pod("db")})}, {}};
    naive_cluster.nodes[0].pods[0].spec.requests = {{"cpu", 9000}};
    Pod web = pod("web");
    EXPECT_TRUE(fits(naive_cluster, web, 0));
    web.spec.requests = {{"cpu", 0}, {"gpu", 0}};
    EXPECT_TRUE(fits(naive_cluster, web, 0));
    web.spec.requests = {{"cpu", 1}};
    EXPECT_FALSE(fits(naive_cluster, web, 0));
}

TEST(NaiveScheduler, HonoursVolumes) {
    NaiveCluster naive_cluster{{node("a", "1"), node("b", "2")}, {}};
    naive_cluster.objects.claims["default/c"] = {.name = "c", .volume = "pv"};
    snapshot::VolumeObject& volume =
        naive_cluster.objects.volumes["pv"] = {.name = "pv", .driver = "ebs"};
    Pod web = pod("web");
    web.claims = {"c"};
    EXPECT_EQ(where(naive_cluster, web), "FF");
    volume.node_affinity = {{.labels = {{"zone", Operator::in, {"2"}}}}};
    EXPECT_EQ(where(naive_cluster, web), "-F");
    naive_cluster.nodes[1].attach_limits = {{"ebs", 0}};
    EXPECT_EQ(why_not(naive_cluster, web, 1).predicate, Predicate::node_volume_limits);
    naive_cluster.objects.claims["default/c"].access_modes = {"ReadWriteOncePod"};
    naive_cluster.nodes[0].pods = {web};
    EXPECT_EQ(why_not(naive_cluster, web, 1).predicate, Predicate::volume_restrictions);
}

TEST(NaiveScheduler, FindsTheFirstNodeWithRoom) {
    NaiveCluster naive_cluster{{node("a", "1"), node("b", "2")}, {}};
    Pod web = pod("web");
    EXPECT_EQ(find_room(naive_cluster, web), 0u);
    naive_cluster.nodes[0].gone = true;
    EXPECT_EQ(find_room(naive_cluster, web), 1u);
    naive_cluster.nodes[1].unschedulable = true;
    EXPECT_EQ(find_room(naive_cluster, web), std::nullopt);
}

}  // namespace
}  // namespace capstan::engine::scheduling::naive
