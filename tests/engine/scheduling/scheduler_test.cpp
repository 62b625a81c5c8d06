#include "engine/scheduling/scheduler.hpp"

#include <gtest/gtest.h>

#include <string>

#include "engine/snapshot/cluster_builder.hpp"

namespace capstan::engine::scheduling {
namespace {

using snapshot::ClusterBuilder;

snapshot::NodeObject zone_node(const std::string& name, MilliCpu cpu,
                               const std::string& zone = "") {
    const Resources resources{{"cpu", cpu}, {"memory", 16_GiB}, {"pods", 110}};
    snapshot::NodeObject out{.name = name, .capacity = resources, .allocatable = resources};
    out.labels["kubernetes.io/hostname"] = name;
    if (!zone.empty()) out.labels["topology.kubernetes.io/zone"] = zone;
    return out;
}

snapshot::PodObject pod(const std::string& name, MilliCpu cpu) {
    return {.name = name,
            .spec = {.requests = {{"cpu", cpu}}, .priority = 0},
            .labels = {{"app", "web"}}};
}

/// The nodes of `count` pods of one equivalence group, "-" for a pending pod.
std::string nodes_of(ClusterBuilder& builder, const snapshot::PodObject& of, int count) {
    const PodGroupId id = builder.add_equivalence_group(of);
    const snapshot::Cluster cluster = builder.build();
    std::string out;
    for (const auto& n : find_nodes(cluster, std::vector<PodGroupId>(std::size_t(count), id)))
        out +=
            (out.empty() ? "" : " ") + (n ? std::string(cluster.text(cluster.node(*n).name)) : "-");
    return out;
}

TEST(SimulatedScheduler, PrefersTheLeastAllocatedNode) {
    ClusterBuilder builder;
    builder.set(zone_node("a", 4_cpu));
    builder.set(zone_node("b", 16_cpu));
    EXPECT_EQ(nodes_of(builder, pod("web", 1_cpu), 3), "b b b");
}

TEST(SimulatedScheduler, AvoidsNodesThatPreferNoPods) {
    ClusterBuilder builder;
    builder.set(zone_node("a", 2_cpu));
    auto tainted = zone_node("b", 64_cpu);
    tainted.taints = {{.key = "leaving", .effect = Effect::prefer_no_schedule}};
    builder.set(tainted);
    EXPECT_EQ(nodes_of(builder, pod("web", 1_cpu), 3), "a a b");
    auto tolerant = pod("job", 1_cpu);
    tolerant.spec.tolerations = {{.key = "leaving", .op = Toleration::Op::exists}};
    EXPECT_EQ(nodes_of(builder, tolerant, 1), "b");
}

TEST(SimulatedScheduler, PrefersTheFirstNodeByNameIfEqual) {
    ClusterBuilder builder;
    builder.set(zone_node("b", 4_cpu));
    builder.set(zone_node("a", 4_cpu));
    EXPECT_EQ(nodes_of(builder, pod("web", 1_cpu), 4), "a b a b");
}

TEST(SimulatedScheduler, BalancesZonesBeforeNodes) {
    ClusterBuilder builder;
    builder.set(zone_node("a1", 64_cpu, "a"));
    builder.set(zone_node("b1", 4_cpu, "b"));
    EXPECT_EQ(nodes_of(builder, pod("web", 1_cpu), 4), "a1 b1 a1 b1");
}

TEST(SimulatedScheduler, CountsExistingPods) {
    ClusterBuilder builder;
    builder.set(zone_node("a1", 8_cpu, "a"));
    builder.set(zone_node("b1", 8_cpu, "b"));
    for (const char* name : {"web-1", "web-2"}) {
        snapshot::PodObject there = pod(name, 1_cpu);
        there.node_name = "a1";
        builder.set(there);
    }
    EXPECT_EQ(nodes_of(builder, pod("web", 1_cpu), 3), "b1 b1 a1");
}

TEST(SimulatedScheduler, LeavesPodsPendingIfAllNodesAreFull) {
    ClusterBuilder builder;
    builder.set(zone_node("a", 2_cpu));
    builder.set(zone_node("b", 1_cpu));
    EXPECT_EQ(nodes_of(builder, pod("web", 1_cpu), 5), "a a b - -");
    EXPECT_EQ(nodes_of(builder, pod("big", 3_cpu), 1), "-");
}

TEST(SimulatedScheduler, AppliesSpreadConstraintsPodByPod) {
    ClusterBuilder builder;
    builder.set(zone_node("a1", 64_cpu, "a"));
    builder.set(zone_node("b1", 2_cpu, "b"));
    snapshot::PodObject web = pod("web", 1_cpu);
    web.spec.spread = {{.topology_key = "topology.kubernetes.io/zone",
                        .selector = LabelSelector{.match_labels = {{"app", "web"}}}}};
    EXPECT_EQ(nodes_of(builder, web, 7), "a1 b1 a1 b1 a1 - -");
}

TEST(SimulatedScheduler, RetriesAPodOnceItsAffinityTargetIsPlaced) {
    ClusterBuilder builder;
    builder.set(zone_node("a", 8_cpu));
    builder.set(zone_node("b", 8_cpu));
    snapshot::PodObject follower = pod("follower", 1_cpu);
    follower.spec.pod_affinity = {{.selector = LabelSelector{.match_labels = {{"app", "leader"}}},
                                   .topology_key = "kubernetes.io/hostname"}};
    snapshot::PodObject leader = pod("leader", 1_cpu);
    leader.labels = {{"app", "leader"}};
    const std::vector<PodGroupId> pods{builder.add_equivalence_group(follower),
                                       builder.add_equivalence_group(leader)};
    const auto nodes = find_nodes(builder.build(), pods);
    ASSERT_TRUE(nodes[0] && nodes[1]);
    EXPECT_EQ(*nodes[0], *nodes[1]);
}

TEST(SimulatedScheduler, HandlesNoNodesAndNoPods) {
    ClusterBuilder builder;
    EXPECT_EQ(nodes_of(builder, pod("web", 1_cpu), 2), "- -");
    builder.set(zone_node("a", 1_cpu));
    EXPECT_EQ(nodes_of(builder, pod("web", 1_cpu), 0), "");
}

}  // namespace
}  // namespace capstan::engine::scheduling
