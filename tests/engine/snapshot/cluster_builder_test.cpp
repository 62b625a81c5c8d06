#include "engine/snapshot/cluster_builder.hpp"

#include <algorithm>
#include <limits>

#include <gmock/gmock.h>

#include "snapshot_objects.hpp"

namespace capstan::engine::snapshot {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

TEST(ClusterBuilder, GroupsEquivalentPods) {
    ClusterBuilder builder;
    builder.set(pod("a"));
    builder.set(pod("b"));
    builder.set(pod("c", "", {{"cpu", 200}}));
    const Cluster cluster = builder.build();
    EXPECT_EQ(cluster.pod_group_count(), 2u);
    EXPECT_EQ(cluster.equivalence_group_of(find_pod(cluster, "a")),
              cluster.equivalence_group_of(find_pod(cluster, "b")));
    EXPECT_NE(cluster.equivalence_group_of(find_pod(cluster, "a")),
              cluster.equivalence_group_of(find_pod(cluster, "c")));
}

TEST(ClusterBuilder, SeparatesPodsThatDifferInAFieldOfTheEquivalenceGroup) {
    const std::vector<void (*)(PodObject&)> changes = {
        [](PodObject& p) { p.ns = "other"; },
        [](PodObject& p) { p.labels["app"] = "web"; },
        [](PodObject& p) { p.owner.uid = "2"; },
        [](PodObject& p) { p.claims = {"data"}; },
        [](PodObject& p) { p.claims = {"data", "log"}; },
        [](PodObject& p) { p.claims = {"log", "data"}; },
        [](PodObject& p) { p.annotations["zalando.org/x"] = "1"; },
        [](PodObject& p) { p.spec.priority = 0; },
    };
    ClusterBuilder builder;
    const PodGroupId plain = builder.add_equivalence_group(pod("a"));
    std::vector<PodGroupId> seen = {plain};
    for (const auto change : changes) {
        PodObject object = pod("a");
        change(object);
        const PodGroupId id = builder.add_equivalence_group(object);
        EXPECT_EQ(std::count(seen.begin(), seen.end(), id), 0);
        EXPECT_EQ(builder.add_equivalence_group(object), id);
        seen.push_back(id);
    }
    EXPECT_EQ(builder.add_equivalence_group(pod("a")), plain);
}

TEST(ClusterBuilder, SharesOneSpecAmongPodsOfAStatefulSet) {
    ClusterBuilder builder;
    for (int i = 0; i < 50; ++i) {
        PodObject object = pod("db-" + std::to_string(i));
        object.labels = {{"app", "db"}, {"statefulset.kubernetes.io/pod-name", object.name}};
        object.claims = {"data-" + object.name};
        builder.set(object);
    }
    const Cluster cluster = builder.build();
    EXPECT_EQ(cluster.pod_group_count(), 50u);
    for (PodGroupId id = 0; id < 50; ++id) {
        EXPECT_EQ(cluster.equivalence_group(id).spec, cluster.equivalence_group(0).spec);
        EXPECT_THAT(cluster.equivalence_group(id).claims, SizeIs(1));
    }
}

TEST(ClusterBuilder, ReplacesObjectsWithTheSameName) {
    ClusterBuilder builder;
    builder.set(node("a"));
    builder.set(node("a", {{"cpu", 8000}}));
    builder.set(pod("web", "a"));
    builder.set(pod("web", "a", {{"cpu", 300}, {"memory", 5}}));
    const Cluster cluster = builder.build();
    EXPECT_EQ(cluster.node_count(), 1u);
    EXPECT_EQ(cluster.pod_count(), 1u);
    EXPECT_THAT(cluster.allocatable(0), ElementsAre(8000, 0, 0, 0));
    EXPECT_THAT(cluster.requested(0), ElementsAre(300, 5, 0, 1));
}

TEST(ClusterBuilder, DistinguishesPodsByNamespace) {
    ClusterBuilder builder;
    PodObject object = pod("web");
    builder.set(object);
    object.ns = "other";
    builder.set(object);
    EXPECT_EQ(builder.build().pod_count(), 2u);
    EXPECT_TRUE(builder.remove_pod("other", "web"));
    EXPECT_FALSE(builder.remove_pod("other", "web"));
    EXPECT_FALSE(builder.remove_pod("nowhere", "web"));
    EXPECT_EQ(builder.build().pod_count(), 1u);
}

TEST(ClusterBuilder, FreesTheRequestsOfRemovedPods) {
    ClusterBuilder builder;
    builder.set(node("a"));
    for (int i = 0; i < 600; ++i) builder.set(pod("p" + std::to_string(i), "a"));
    for (int i = 0; i < 600; ++i) {
        EXPECT_TRUE(i % 7 == 0 || builder.remove_pod("default", "p" + std::to_string(i)));
    }
    const Cluster cluster = builder.build();
    EXPECT_EQ(cluster.pod_count(), 86u);
    EXPECT_THAT(cluster.pods_on(0), SizeIs(86));
    EXPECT_THAT(cluster.requested(0), ElementsAre(8600, 0, 0, 86));
    for (int i = 0; i < 600; i += 7) EXPECT_LT(find_pod(cluster, "p" + std::to_string(i)), 86u);
}

TEST(ClusterBuilder, KeepsThePodsOfARemovedNode) {
    ClusterBuilder builder;
    builder.set(node("a"));
    builder.set(node("b"));
    builder.set(pod("web", "a"));
    EXPECT_TRUE(builder.remove_node("a"));
    EXPECT_FALSE(builder.remove_node("a"));
    const Cluster cluster = builder.build();
    EXPECT_EQ(cluster.node_count(), 1u);
    EXPECT_EQ(cluster.find_node("a"), std::nullopt);
    EXPECT_EQ(cluster.pod(0).node, no_node);
    builder.set(node("a"));
    EXPECT_THAT(builder.build().pods_on(0), ElementsAre(0));
}

TEST(ClusterBuilder, DoesNotCountAPodOnAnUnknownNodeAsUnbound) {
    ClusterBuilder builder;
    builder.set(node("b"));
    builder.set(pod("lost", "gone"));
    builder.set(pod("new"));
    const Cluster cluster = builder.build();
    const PodRow row = cluster.pod(find_pod(cluster, "lost"));
    EXPECT_EQ(row.node, no_node);
    EXPECT_EQ(cluster.text(row.node_name), "gone");
    EXPECT_THAT(cluster.unbound(), ElementsAre(find_pod(cluster, "new")));
    EXPECT_THAT(cluster.pods_on(0), SizeIs(0));
    EXPECT_THAT(cluster.requested(0), ElementsAre(0, 0, 0, 0));
}

TEST(ClusterBuilder, BindsPods) {
    ClusterBuilder builder;
    builder.set(node("a"));
    builder.set(node("b"));
    PodObject object = pod("web");
    object.unscheduled_reason = "Unschedulable";
    builder.set(object);
    EXPECT_TRUE(builder.bind_pod("default", "web", "b"));
    EXPECT_FALSE(builder.bind_pod("default", "other", "b"));
    EXPECT_FALSE(builder.bind_pod("other", "web", "b"));
    const Cluster bound = builder.build();
    EXPECT_EQ(bound.pod(0).node, 1u);
    EXPECT_EQ(bound.pod(0).unscheduled_reason, Symbol::empty);
    EXPECT_THAT(bound.requested(1), ElementsAre(100, 0, 0, 1));
    EXPECT_THAT(bound.unbound(), SizeIs(0));
    EXPECT_TRUE(builder.bind_pod("default", "web", "a"));
    EXPECT_EQ(to_text(builder.build()), "web@a \na 100/4000 0/0 1/110\nb 0/4000 0/0 0/110");
}

TEST(ClusterBuilder, DropsTerminatedPods) {
    ClusterBuilder builder;
    builder.set(node("a"));
    PodObject object = pod("job", "a");
    builder.set(object);
    for (const PodPhase phase : {PodPhase::succeeded, PodPhase::failed}) {
        object.phase = phase;
        builder.set(object);
        const Cluster cluster = builder.build();
        EXPECT_EQ(cluster.pod_count(), 0u);
        EXPECT_THAT(cluster.pods_on(0), SizeIs(0));
        EXPECT_THAT(cluster.requested(0), ElementsAre(0, 0, 0, 0));
    }
    EXPECT_FALSE(builder.bind_pod("default", "job", "a"));
    EXPECT_TRUE(builder.remove_pod("default", "job"));
    EXPECT_FALSE(builder.remove_pod("default", "job"));
}

TEST(ClusterBuilder, AcceptsANewPodWithTheNameOfATerminatedOne) {
    ClusterBuilder builder;
    PodObject object = pod("job");
    object.phase = PodPhase::failed;
    builder.set(object);
    object.phase = PodPhase::pending;
    builder.set(object);
    EXPECT_EQ(builder.build().pod_count(), 1u);
    EXPECT_TRUE(builder.remove_pod("default", "job"));
    EXPECT_FALSE(builder.remove_pod("default", "job"));
}

TEST(ClusterBuilder, DoesNotDependOnTheOrderOfObjects) {
    std::vector<NodeObject> nodes;
    std::vector<PodObject> pods;
    for (int i = 0; i < 40; ++i) nodes.push_back(node("n" + std::to_string(i)));
    for (int i = 0; i < 400; ++i) {
        pods.push_back(pod("p" + std::to_string(i), i % 5 == 0 ? "" : "n" + std::to_string(i % 45),
                           {{"cpu", i}, {i % 2 == 0 ? "memory" : "nvidia.com/gpu", 1}}));
    }
    ClusterBuilder forwards, backwards;
    for (const NodeObject& object : nodes) forwards.set(object);
    for (const PodObject& object : pods) forwards.set(object);
    std::reverse(nodes.begin(), nodes.end());
    std::rotate(pods.begin(), pods.begin() + 123, pods.end());
    for (const PodObject& object : pods) backwards.set(object);
    backwards.build();
    for (const NodeObject& object : nodes) backwards.set(object);
    EXPECT_EQ(to_text(forwards.build()), to_text(backwards.build()));
}

TEST(ClusterBuilder, DoesNotChangeClustersThatItReturned) {
    ClusterBuilder builder;
    builder.set(node("b"));
    builder.set(pod("web", "b"));
    builder.set(pod("new"));
    const Cluster before = builder.build();
    const std::string text_before = to_text(before);

    builder.set(node("a", {{"nvidia.com/gpu", 8}}));
    builder.set(pod("more", "a", {{"example.com/fpga", 1}}));
    builder.set(pod("web", "a", {{"cpu", 7}}));
    builder.bind_pod("default", "new", "c");
    builder.remove_node("b");
    builder.set(ClaimObject{.name = "data"});
    const Cluster after = builder.build();

    EXPECT_EQ(to_text(before), text_before);
    EXPECT_EQ(before.resource_count(), 4u);
    EXPECT_EQ(before.pod_group_count(), 1u);
    EXPECT_TRUE(before.objects().claims.empty());
    EXPECT_EQ(after.objects().claims.count("default/data"), 1u);
    EXPECT_EQ(to_text(after), "more@a new@c web@a \na 7/0 0/0 2/0 0/8");
}

TEST(ClusterBuilder, ReturnsTheSameClusterUntilSomethingChanges) {
    ClusterBuilder builder;
    builder.set(node("a"));
    builder.set(pod("web", "a"));
    const Cluster before = builder.build();
    builder.set(node("a"));
    builder.set(pod("web", "a"));
    EXPECT_FALSE(builder.remove_pod("default", "other"));
    EXPECT_TRUE(builder.build().is_same(before));
    builder.add_equivalence_group(pod("other", "", {{"cpu", 7}}));
    const Cluster with_group = builder.build();
    EXPECT_FALSE(with_group.is_same(before)) << "the new group is in it";
    builder.remove_node("a");
    EXPECT_FALSE(builder.build().is_same(with_group));
}

TEST(ClusterBuilder, MayBeDestroyedBeforeItsClusters) {
    const Cluster cluster = [] {
        ClusterBuilder builder;
        builder.set(node("a"));
        builder.set(pod("web", "a"));
        return builder.build();
    }();
    EXPECT_EQ(to_text(cluster), "web@a \na 100/4000 0/0 1/110");
}

TEST(ClusterBuilder, RemovesPodsAfterThePreviousClusterIsDestroyed) {
    ClusterBuilder builder;
    builder.set(node("a"));
    for (const char* name : {"web", "db", "log"}) builder.set(pod(name, "a"));
    builder.build();
    EXPECT_TRUE(builder.remove_pod("default", "web"));
    EXPECT_EQ(to_text(builder.build()), "db@a log@a \na 200/4000 0/0 2/110");
}

TEST(ClusterBuilder, ReusesTheSlotOfARemovedNodeWithoutPods) {
    ClusterBuilder builder;
    for (int round = 0; round < 5; ++round) {
        const std::string name = "n" + std::to_string(round);
        builder.set(node(name));
        builder.set(pod("web", name));
        EXPECT_EQ(to_text(builder.build()), "web@" + name + " \n" + name + " 100/4000 0/0 1/110");
        EXPECT_TRUE(builder.remove_node(name));
    }
    EXPECT_TRUE(builder.remove_pod("default", "web"));
    EXPECT_EQ(builder.build().node_count(), 0u);
}

TEST(ClusterBuilder, SaturatesSumsAndRecovers) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    ClusterBuilder builder;
    builder.set(node("a"));
    builder.set(pod("p", "a", {{"memory", most}}));
    builder.set(pod("q", "a", {{"memory", most}}));
    EXPECT_EQ(builder.build().requested(0)[memory_index], most);
    builder.remove_pod("default", "p");
    builder.set(pod("q", "a", {{"memory", 5}}));
    EXPECT_EQ(builder.build().requested(0)[memory_index], 5);
}

TEST(ClusterBuilder, AddsAnEquivalenceGroupForEachDaemonSet) {
    ClusterBuilder builder;
    for (const char* name : {"proxy", "logs", "proxy"}) {
        DaemonSetObject object;
        object.ns = "kube-system";
        object.name = name;
        object.uid = "uid";
        object.spec.requests = {{"cpu", 50}};
        object.labels = {{"k8s-app", name}};
        builder.set(std::move(object));
    }
    const Cluster cluster = builder.build();
    ASSERT_THAT(cluster.daemon_sets(), SizeIs(2));
    EXPECT_EQ(cluster.daemon_sets()[0].object->name, "logs");
    EXPECT_EQ(cluster.daemon_sets()[1].object->name, "proxy");
    const PodGroupRow& proxy =
        cluster.equivalence_group(cluster.daemon_sets()[1].equivalence_group);
    EXPECT_EQ(*proxy.owner,
              (PodOwner{.kind = "DaemonSet", .api_group = "apps", .name = "proxy", .uid = "uid"}));
    EXPECT_EQ(cluster.text(proxy.ns), "kube-system");
    EXPECT_THAT(proxy.requests, ElementsAre(Request{cpu_index, 50}));
    EXPECT_EQ(cluster.pod_count(), 0u);
}

TEST(ClusterBuilder, FindsStorageObjectsAndNamespacesByName) {
    ClusterBuilder builder;
    builder.set(ClaimObject{.ns = "shop", .name = "data"});
    builder.set(VolumeObject{.name = "pv-1"});
    builder.set(StorageClassObject{.name = "fast"});
    builder.set(StorageClassObject{.name = "fast", .provisioner = "ebs"});
    builder.set(CsiNodeObject{.name = "a"});
    builder.set(CsiDriverObject{.name = "ebs"});
    builder.set(CsiCapacityObject{.ns = "kube-system", .name = "c1"});
    builder.set(NamespaceObject{.name = "shop", .labels = {{"team", "web"}}});
    const Cluster cluster = builder.build();
    EXPECT_EQ(cluster.objects().claims.count("shop/data"), 1u);
    EXPECT_EQ(cluster.objects().volumes.count("pv-1"), 1u);
    EXPECT_EQ(cluster.objects().storage_classes.at("fast").provisioner, "ebs");
    EXPECT_EQ(cluster.objects().csi_nodes.count("a"), 1u);
    EXPECT_EQ(cluster.objects().csi_drivers.count("ebs"), 1u);
    EXPECT_EQ(cluster.objects().csi_capacities.count("kube-system/c1"), 1u);
    EXPECT_EQ(cluster.objects().namespaces.at("shop").at("team"), "web");
}

}  // namespace
}  // namespace capstan::engine::snapshot
