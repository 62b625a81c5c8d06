#include "engine/templates/reserves.hpp"

#include <gmock/gmock.h>

#include "../test_cluster.hpp"

namespace capstan::engine::templates {
namespace {

constexpr const char* type_label = "node.kubernetes.io/instance-type";

/// Type, capacity and allocatable resources of a node.
struct LiveNode {
    const char* type;
    Resources capacity, allocatable;
};

Reserves learn_from(const std::vector<LiveNode>& nodes) {
    TestCluster test_cluster;
    for (const LiveNode& live : nodes) {
        snapshot::NodeObject& node = test_cluster.node("n" + std::to_string(&live - nodes.data()));
        node.labels = {{type_label, live.type}};
        node.capacity = live.capacity;
        node.allocatable = live.allocatable;
    }
    return learn_reserves(test_cluster.cluster());
}

/// A template for which the cloud reports only the capacity.
NodeTemplate machine(const char* type, Resources capacity) {
    return {.machine_type = type, .capacity = capacity, .allocatable = capacity};
}

NodeTemplate applied(const Reserves& reserves, NodeTemplate node) {
    apply_reserves(reserves, node);
    return node;
}

const LiveNode p2_small{"p2.xlarge", amounts(4000, 62000, 100), amounts(3700, 61800, 100)};
const LiveNode p2_smaller{"p2.xlarge", amounts(4000, 61700, 99), amounts(3800, 61600, 99)};

TEST(Reserves, ApplyTheSmallestResourcesOfNodesOfAKnownType) {
    NodeTemplate cloud = machine("p2.xlarge", amounts(4000, 62464));
    cloud.capacity.set("nvidia.com/gpu", 1);
    cloud.allocatable.set("nvidia.com/gpu", 1);
    const NodeTemplate node = applied(learn_from({p2_small, p2_smaller}), cloud);
    Resources capacity = amounts(4000, 61700, 99), allocatable = amounts(3700, 61600, 99);
    capacity.set("nvidia.com/gpu", 1);
    allocatable.set("nvidia.com/gpu", 1);
    EXPECT_EQ(node.capacity, capacity);
    EXPECT_EQ(node.allocatable, allocatable);
}

// The numbers are from Zalando's tests. There, the result depends on the order of the nodes: in the
// other order, 100Mi of memory are reserved instead of 200Mi.
TEST(Reserves, AreTheLargestOfAnyNodeForAnUnknownType) {
    NodeTemplate cloud = machine("p2.16xlarge", amounts(64000, 732 << 10));
    cloud.allocatable.set("nvidia.com/gpu", 16);
    for (const auto& nodes : {std::vector{p2_small, p2_smaller}, {p2_smaller, p2_small}}) {
        const NodeTemplate node = applied(learn_from(nodes), cloud);
        EXPECT_EQ(node.capacity, amounts(64000, 732 << 10));
        Resources allocatable = amounts(63700, 749368);
        allocatable.set("nvidia.com/gpu", 16);
        EXPECT_EQ(node.allocatable, allocatable);
    }
}

TEST(Reserves, AreZeroInAnEmptyCluster) {
    const NodeTemplate cloud = machine("p2.xlarge", amounts(4000, 62464));
    EXPECT_EQ(applied(learn_from({}), cloud), cloud);
}

TEST(Reserves, CompareEachNodeWithItsOwnCapacity) {
    // Each node reserves 200m. The capacity of one node less the allocatable of the other, 1200m,
    // does not count.
    const Reserves reserves =
        learn_from({{"odd", amounts(4000), amounts(3800)}, {"odd", amounts(3000), amounts(2800)}});
    EXPECT_EQ(reserves.reserved.amount("cpu"), 200);
}

TEST(Reserves, KeepAllocatableThatTheCloudReportsForAnUnknownType) {
    NodeTemplate cloud = machine("new", amounts(8000));
    cloud.allocatable = amounts(7900);
    const Reserves reserves = learn_from({p2_small});
    EXPECT_EQ(applied(reserves, cloud), cloud);
    cloud.machine_type = "p2.xlarge";
    EXPECT_EQ(applied(reserves, cloud).allocatable, amounts(3700, 61800, 100));
}

TEST(Reserves, NeverLeaveNegativeAmounts) {
    const Reserves reserves = learn_from({{"big", amounts(64000, 9000), amounts(60000, 1000)}});
    const NodeTemplate node = applied(reserves, machine("tiny", amounts(2000, 4000)));
    EXPECT_EQ(node.allocatable, amounts(0, 0));
    EXPECT_EQ(node.capacity, amounts(2000, 4000));
}

TEST(Reserves, AreZeroIfAllocatableExceedsCapacity) {
    const Reserves reserves = learn_from({{"odd", amounts(4000), amounts(5000)}});
    EXPECT_EQ(applied(reserves, machine("new", amounts(8000))).allocatable, amounts(8000));
}

TEST(Reserves, IgnoreExtendedResources) {
    LiveNode live = p2_small;
    live.capacity.set("acme.example/fpga", 2);
    live.allocatable.set("acme.example/fpga", 2);
    live.capacity.set("ephemeral-storage", 100);
    live.allocatable.set("ephemeral-storage", 90);
    const NodeTemplate node = applied(learn_from({live}), machine("p2.xlarge", amounts(4000)));
    EXPECT_EQ(node.allocatable.find("acme.example/fpga"), std::nullopt);
    EXPECT_EQ(node.allocatable.find("ephemeral-storage"), 90);
}

TEST(Reserves, IgnoreNodesWithoutReportedResources) {
    const Reserves reserves = learn_from({p2_small, {"p2.xlarge", {}, {}}});
    EXPECT_EQ(applied(reserves, machine("p2.xlarge", amounts(4000))).allocatable,
              amounts(3700, 61800, 100));
}

TEST(Reserves, UseTheBetaInstanceTypeLabelAsAFallback) {
    TestCluster test_cluster;
    test_cluster.node("old").labels = {{"beta.kubernetes.io/instance-type", "m5"}};
    test_cluster.node("both").labels = {{"beta.kubernetes.io/instance-type", "m5"},
                                        {type_label, "m6"}};
    test_cluster.node("none");
    const Reserves reserves = learn_reserves(test_cluster.cluster());
    EXPECT_EQ(reserves.types.size(), 2u);
    EXPECT_EQ(reserves.types.at("m5").nodes, 1);
    EXPECT_EQ(reserves.types.at("m6").nodes, 1);
}

TEST(Reserves, IncludeTheSmallestAttachLimitsOfTheType) {
    TestCluster test_cluster;
    for (const char* name : {"a", "b", "c"}) test_cluster.node(name).labels = {{type_label, "m5"}};
    test_cluster.csi_node({.name = "a", .limits = {{"ebs", 25}, {"nfs", std::nullopt}}});
    test_cluster.csi_node({.name = "b", .limits = {{"ebs", 20}, {"nfs", 5}}, .migrated = {"ebs"}});
    const Reserves reserves = learn_reserves(test_cluster.cluster());
    EXPECT_EQ(reserves.types.at("m5").csi_limits,
              (std::map<std::string, std::optional<int>>{{"ebs", 20}, {"nfs", 5}}));
    EXPECT_EQ(reserves.types.at("m5").csi_migrated, (std::set<std::string>{"ebs"}));
}

TEST(Reserves, DescribeTheirEffect) {
    const Reserves reserves = learn_from({p2_small, p2_smaller});
    NodeTemplate seen = machine("p2.xlarge", amounts(4000));
    EXPECT_EQ(apply_reserves(reserves, seen), "with resources as on 2 nodes of type p2.xlarge");
    NodeTemplate unseen = machine("new", amounts(4000));
    EXPECT_EQ(apply_reserves(reserves, unseen),
              "minus 300m of cpu and 200Mi of memory reserved for the system on other nodes");
}

}  // namespace
}  // namespace capstan::engine::templates
