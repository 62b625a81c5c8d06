#include "engine/snapshot/cluster.hpp"

#include <algorithm>

#include <gmock/gmock.h>

#include "snapshot_objects.hpp"

namespace capstan::engine::snapshot {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

TEST(Cluster, IsEmptyWithoutObjects) {
    const Cluster cluster = ClusterBuilder().build();
    EXPECT_EQ(cluster.node_count(), 0u);
    EXPECT_EQ(cluster.pod_count(), 0u);
    EXPECT_EQ(cluster.pod_group_count(), 0u);
    EXPECT_THAT(cluster.unbound(), SizeIs(0));
    EXPECT_THAT(cluster.daemon_sets(), SizeIs(0));
    EXPECT_EQ(cluster.find_node("a"), std::nullopt);
    EXPECT_TRUE(cluster.objects().claims.empty());
}

TEST(Cluster, NumbersCommonResourcesFirstAndOthersInOrderOfAppearance) {
    ClusterBuilder builder;
    builder.set(node("a", {{"nvidia.com/gpu", 8}}));
    builder.set(pod("train", "a", {{"nvidia.com/gpu", 3}, {"example.com/fpga", 1}}));
    const Cluster cluster = builder.build();
    EXPECT_EQ(cluster.resource_name(cpu_index), "cpu");
    EXPECT_EQ(cluster.resource_name(memory_index), "memory");
    EXPECT_EQ(cluster.resource_name(storage_index), "ephemeral-storage");
    EXPECT_EQ(cluster.resource_name(pods_index), "pods");
    EXPECT_EQ(cluster.find_resource("nvidia.com/gpu"), 4u);
    EXPECT_EQ(cluster.find_resource("example.com/fpga"), 5u);
    EXPECT_EQ(cluster.find_resource("example.com/tpu"), std::nullopt);
    EXPECT_THAT(cluster.allocatable(0), ElementsAre(0, 0, 0, 0, 8, 0));
    EXPECT_THAT(cluster.requested(0), ElementsAre(0, 0, 0, 1, 3, 1));
}

TEST(Cluster, FindsNodesByName) {
    ClusterBuilder builder;
    for (const char* name : {"c", "a", "b"}) builder.set(node(name));
    const Cluster cluster = builder.build();
    for (NodeIndex i = 0; i < 3; ++i)
        EXPECT_EQ(cluster.find_node(cluster.text(cluster.node(i).name)), i);
    EXPECT_EQ(cluster.text(cluster.node(0).name), "a");
    EXPECT_EQ(cluster.find_node("bb"), std::nullopt);
    EXPECT_EQ(cluster.find_node("z"), std::nullopt);
}

TEST(Cluster, KeepsTheFieldsOfANode) {
    NodeObject object = node("a");
    object.provider_id = "aws:///eu-1a/i-1";
    object.labels = {{"zone", "a"}, {"arch", "arm64"}};
    object.taints = {{.key = "dedicated", .value = "db"}};
    object.capacity = {{"cpu", 8000}};
    object.unschedulable = true;
    object.ready = false;
    object.ready_since = time_from_unix_ns(5);
    object.created = time_from_unix_ns(3);
    ClusterBuilder builder;
    builder.set(object);
    const Cluster cluster = builder.build();
    const NodeRow& row = cluster.node(0);
    EXPECT_EQ(cluster.text(row.provider_id), "aws:///eu-1a/i-1");
    EXPECT_EQ(to_labels(cluster, row.labels), object.labels);
    EXPECT_EQ(cluster.text(row.labels[0].key), "arch");
    EXPECT_THAT(row.taints, ElementsAre(object.taints[0]));
    EXPECT_EQ(*row.capacity, object.capacity);
    EXPECT_EQ(*row.allocatable, object.allocatable);
    EXPECT_TRUE(row.unschedulable);
    EXPECT_FALSE(row.ready);
    EXPECT_EQ(row.ready_since, object.ready_since);
    EXPECT_EQ(row.created, object.created);
}

TEST(Cluster, KeepsTheFieldsOfAPod) {
    PodObject object = pod("web");
    object.nominated_node = "b";
    object.unscheduled_reason = "Unschedulable";
    object.phase = PodPhase::running;
    object.gated = true;
    object.deleted = time_from_unix_ns(9);
    object.created = time_from_unix_ns(7);
    ClusterBuilder builder;
    builder.set(object);
    const Cluster cluster = builder.build();
    const PodRow row = cluster.pod(0);
    EXPECT_EQ(cluster.text(row.name), "web");
    EXPECT_EQ(cluster.text(row.nominated_node), "b");
    EXPECT_EQ(cluster.text(row.unscheduled_reason), "Unschedulable");
    EXPECT_EQ(row.phase, PodPhase::running);
    EXPECT_TRUE(row.gated);
    EXPECT_TRUE(row.deleted);
    EXPECT_EQ(row.deleted_at, *object.deleted);
    EXPECT_EQ(row.created, object.created);
    EXPECT_EQ(row.node, no_node);
    EXPECT_THAT(cluster.unbound(), ElementsAre(0));
}

TEST(Cluster, ListsPodsThatAreBeingDeleted) {
    ClusterBuilder builder;
    EXPECT_THAT(builder.build().deleted_pods(), SizeIs(0));
    // More than one block of pods.
    constexpr std::size_t count = 600;
    for (std::size_t i = 0; i < count; ++i) {
        PodObject object = pod("web-" + std::to_string(i), "a");
        if (i % 100 == 0 || i == count - 1) object.deleted = time_from_unix_ns(9);
        builder.set(object);
    }
    const Cluster cluster = builder.build();
    const std::vector<PodIndex> deleted = cluster.deleted_pods();
    EXPECT_THAT(deleted, SizeIs(7));
    EXPECT_TRUE(std::ranges::is_sorted(deleted));
    EXPECT_TRUE(std::ranges::all_of(deleted, [&](PodIndex p) { return cluster.is_deleted(p); }));
}

TEST(Cluster, KeepsOnlyAnnotationsThatAnAutoscalerReads) {
    const Labels annotations = {{"cluster-autoscaler.kubernetes.io/safe-to-evict", "false"},
                                {"kubectl.kubernetes.io/last-applied-configuration", "{...}"},
                                {"kubernetes.io/config.mirror", "1f"},
                                {"zalando.org/x", "y"}};
    Labels kept = annotations;
    kept.erase("kubectl.kubernetes.io/last-applied-configuration");
    PodObject on_pod = pod("web");
    on_pod.annotations = annotations;
    NodeObject on_node = node("a");
    on_node.annotations = annotations;
    ClusterBuilder builder;
    builder.set(on_pod);
    builder.set(on_node);
    const Cluster cluster = builder.build();
    EXPECT_EQ(to_labels(cluster, cluster.equivalence_group(0).annotations), kept);
    EXPECT_EQ(to_labels(cluster, cluster.node(0).annotations), kept);
}

TEST(Cluster, FindsLabelsByKey) {
    PodObject object = pod("web");
    object.labels = {{"app", "web"}, {"tier", ""}, {"version", "2"}};
    ClusterBuilder builder;
    builder.set(object);
    const Cluster cluster = builder.build();
    const auto labels = cluster.equivalence_group(0).labels;
    for (const auto& [key, value] : object.labels)
        EXPECT_EQ(cluster.text(find_label(cluster, labels, key).value()), value);
    EXPECT_EQ(find_label(cluster, labels, "apps"), std::nullopt);
    EXPECT_EQ(find_label(cluster, {}, "app"), std::nullopt);
}

TEST(Cluster, DescribesAnEquivalenceGroupForPlugins) {
    PodObject object = pod("web-1", "", {{"cpu", 100}, {"memory", 5}, {"pods", 3}});
    object.ns = "shop";
    object.labels = {{"app", "web"}};
    object.annotations = {{"capstan.io/delay", "5m"}, {"note", "dropped"}};
    object.owner = {.kind = "ReplicaSet", .name = "web-5d9c", .uid = "u"};
    object.spec.scheduler = "volcano";
    object.spec.priority = -5;
    object.spec.node_selector = {{"disk", "ssd"}};
    object.spec.tolerations = {{.key = "dedicated", .value = "web"}};
    object.spec.affinity_required = {{.labels = {{.key = "zone", .op = Operator::exists}}}};
    object.spec.affinity_preferred = {{.labels = {{.key = "spot"}}, .weight = 3}};
    ClusterBuilder builder;
    const PodGroupId id = builder.add_equivalence_group(object);
    EXPECT_EQ(describe(builder.build(), id, "web-1", 7),
              (PodEquivalenceGroup{.ns = "shop",
                                   .example = "web-1",
                                   .owner_kind = "ReplicaSet",
                                   .owner_name = "web-5d9c",
                                   .scheduler = "volcano",
                                   .requests = object.spec.requests,
                                   .labels = object.labels,
                                   .annotations = {{"capstan.io/delay", "5m"}},
                                   .node_selector = object.spec.node_selector,
                                   .affinity_required = object.spec.affinity_required,
                                   .affinity_preferred = object.spec.affinity_preferred,
                                   .tolerations = object.spec.tolerations,
                                   .priority = -5,
                                   .count = 7}));
}

TEST(Cluster, ListsTheRequestsOfOnePodOfAnEquivalenceGroup) {
    ClusterBuilder builder;
    const PodGroupId id = builder.add_equivalence_group(
        pod("a", "", {{"pods", 1}, {"memory", 7}, {"cpu", 0}, {"a.example/card", 2}}));
    const Cluster cluster = builder.build();
    EXPECT_THAT(cluster.equivalence_group(id).requests,
                ElementsAre(Request{memory_index, 7}, Request{4, 2}));
}

TEST(Cluster, ReportsMemoryInProportionToItsPods) {
    ClusterBuilder builder;
    const std::size_t empty = builder.build().bytes();
    for (int i = 0; i < 3000; ++i) builder.set(pod("pod-" + std::to_string(i)));
    const std::size_t full = builder.build().bytes();
    EXPECT_GT(full - empty, 3000u * 40);
    EXPECT_LT(full - empty, 3000u * 200);
}

}  // namespace
}  // namespace capstan::engine::snapshot
