// The slow scheduler's view of a cluster, and what one node decides.
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
    const snapshot::PodGroupId daemon =
        builder.add_equivalence_group({.ns = "kube-system", .labels = {{"app", "log"}}});
    const snapshot::Cluster cluster = builder.build();
    World world = make_world(cluster);
    ASSERT_EQ(world.nodes.size(), 1u);
    EXPECT_EQ(world.nodes[0].labels, (Labels{{"zone", "1"}}));
    EXPECT_EQ(world.nodes[0].attach_limits.at("ebs"), 3);
    ASSERT_EQ(world.nodes[0].pods.size(), 1u);
    EXPECT_TRUE(world.nodes[0].pods[0].terminating);
    EXPECT_EQ(world.nodes[0].pods[0].claims, (std::vector<std::string>{"c"}));

    const TemplateNode shape{.labels = {{"kubernetes.io/hostname", "template"}},
                             .daemons = {daemon}};
    EXPECT_EQ(add_node(world, cluster, shape), 1u);
    EXPECT_EQ(add_node(world, cluster, shape), 2u);
    EXPECT_NE(world.nodes[1].labels, world.nodes[2].labels);
    EXPECT_EQ(world.nodes[2].pods[0].ns, "kube-system");
}

TEST(NaiveScheduler, ReportsTheFirstFailedPredicate) {
    struct Case {
        Predicate expected;
        void (*change)(Pod&, World&);
    };
    const Case cases[] = {
        {Predicate::none, [](Pod&, World&) {}},
        {Predicate::node_unschedulable, [](Pod&, World& w) { w.nodes[0].unschedulable = true; }},
        {Predicate::taint_toleration, [](Pod&, World& w) { w.nodes[0].taints = {{"k", "", {}}}; }},
        {Predicate::node_affinity, [](Pod& p, World&) { p.spec.node_selector = {{"k", "v"}}; }},
        {Predicate::node_ports,
         [](Pod& p, World& w) {
             p.spec.ports = {{.port = 80}};
             w.nodes[0].pods[0].spec.ports = {{.ip = "10.0.0.1", .port = 80}};
         }},
        {Predicate::node_resources_fit, [](Pod& p, World&) { p.spec.requests = {{"cpu", 4001}}; }},
        {Predicate::node_resources_fit,
         [](Pod&, World& w) { w.nodes[0].allocatable.set("pods", 1); }},
        {Predicate::volume_binding, [](Pod& p, World&) { p.claims = {"c"}; }},
        {Predicate::dynamic_resources, [](Pod& p, World&) { p.spec.uses_resource_claims = true; }},
    };
    for (const Case& c : cases) {
        World world{{node("a", "1", {pod("db")})}, {}};
        Pod web = pod("web");
        c.change(web, world);
        EXPECT_EQ(why_not(world, web, 0).predicate, c.expected) << name_of(c.expected);
    }
}

TEST(NaiveScheduler, IgnoresResourcesThatAreNotRequested) {
    World world{{node("a", "1", {pod("db")})}, {}};
    world.nodes[0].pods[0].spec.requests = {{"cpu", 9000}};
    Pod web = pod("web");
    EXPECT_TRUE(fits(world, web, 0));
    web.spec.requests = {{"cpu", 0}, {"gpu", 0}};
    EXPECT_TRUE(fits(world, web, 0));
    web.spec.requests = {{"cpu", 1}};
    EXPECT_FALSE(fits(world, web, 0));
}

TEST(NaiveScheduler, HonoursVolumes) {
    World world{{node("a", "1"), node("b", "2")}, {}};
    world.objects.claims["default/c"] = {.name = "c", .volume = "pv"};
    snapshot::VolumeObject& volume = world.objects.volumes["pv"] = {.name = "pv", .driver = "ebs"};
    Pod web = pod("web");
    web.claims = {"c"};
    EXPECT_EQ(where(world, web), "FF");
    volume.node_affinity = {{.labels = {{"zone", Operator::in, {"2"}}}}};
    EXPECT_EQ(where(world, web), "-F");
    world.nodes[1].attach_limits = {{"ebs", 0}};
    EXPECT_EQ(why_not(world, web, 1).predicate, Predicate::node_volume_limits);
    world.objects.claims["default/c"].access_modes = {"ReadWriteOncePod"};
    world.nodes[0].pods = {web};
    EXPECT_EQ(why_not(world, web, 1).predicate, Predicate::volume_restrictions);
}

TEST(NaiveScheduler, FindsTheFirstNodeWithRoom) {
    World world{{node("a", "1"), node("b", "2")}, {}};
    Pod web = pod("web");
    EXPECT_EQ(find_room(world, web), 0u);
    world.nodes[0].gone = true;
    EXPECT_EQ(find_room(world, web), 1u);
    world.nodes[1].unschedulable = true;
    EXPECT_EQ(find_room(world, web), std::nullopt);
}

}  // namespace
}  // namespace capstan::engine::scheduling::naive
