#include <gtest/gtest.h>

#include "snapshot_objects.hpp"

namespace capstan::engine::snapshot {
namespace {

/// Adds an object of each kind, named "x", in namespace "shop" if the kind is namespaced.
void fill_every_kind(ClusterBuilder& builder) {
    PodObject waiting = pod("x");
    waiting.ns = "shop";
    builder.set(waiting);
    builder.set(node("x"));
    builder.set(DaemonSetObject{.ns = "shop", .name = "x"});
    builder.set(DisruptionBudgetObject{.ns = "shop", .name = "x"});
    for (const char* kind : {"ReplicaSet", "ReplicationController", "StatefulSet", "Job"})
        builder.set(ControllerObject{.kind = kind, .ns = "shop", .name = "x"});
    builder.set(ClaimObject{.ns = "shop", .name = "x"});
    builder.set(VolumeObject{.name = "x"});
    builder.set(StorageClassObject{.name = "x"});
    builder.set(CsiNodeObject{.name = "x"});
    builder.set(CsiDriverObject{.name = "x"});
    builder.set(CsiCapacityObject{.ns = "shop", .name = "x"});
    builder.set(NamespaceObject{.name = "x"});
    builder.set(ServiceObject{.ns = "shop", .name = "x"});
}

std::size_t count(const Cluster& cluster) {
    const ClusterObjects& all = cluster.objects();
    return cluster.pod_count() + cluster.node_count() + cluster.daemon_sets().size() +
           all.budgets.size() + all.controllers.size() + all.claims.size() + all.volumes.size() +
           all.storage_classes.size() + all.csi_nodes.size() + all.csi_drivers.size() +
           all.csi_capacities.size() + all.namespaces.size() + all.services.size();
}

TEST(ClusterBuilder, RemovesExactlyTheNamedObjectOfEachKind) {
    for (int kind = 0; kind <= static_cast<int>(ObjectKind::service); ++kind) {
        SCOPED_TRACE(kind);
        ClusterBuilder builder;
        fill_every_kind(builder);
        const Cluster before = builder.build();
        ASSERT_EQ(count(before), 16u);
        const auto which = static_cast<ObjectKind>(kind);
        EXPECT_FALSE(builder.remove(which, "shop", "y"));
        EXPECT_EQ(count(builder.build()), 16u);
        EXPECT_TRUE(builder.remove(which, "shop", "x"));
        EXPECT_EQ(count(builder.build()), 15u);
        EXPECT_FALSE(builder.remove(which, "shop", "x"));
        EXPECT_EQ(count(before), 16u) << "existing clusters do not change";
        fill_every_kind(builder);
        EXPECT_EQ(count(builder.build()), 16u) << "the object can be added again";
    }
}

TEST(ClusterBuilder, DistinguishesControllersByKind) {
    ClusterBuilder builder;
    fill_every_kind(builder);
    builder.remove(ObjectKind::job, "shop", "x");
    EXPECT_FALSE(builder.build().objects().controllers.contains("Job/shop/x"));
    EXPECT_TRUE(builder.build().objects().controllers.contains("StatefulSet/shop/x"));
    EXPECT_FALSE(builder.remove(ObjectKind::stateful_set, "default", "x"));
}

TEST(ClusterBuilder, BuildsTheSameClusterAfterObjectsWereAddedAndRemoved) {
    ClusterBuilder once, again;
    fill_every_kind(once);
    fill_every_kind(again);
    for (const char* name : {"a", "z"}) {
        again.set(node(name));
        again.set(pod(name, name));
    }
    for (const char* name : {"z", "a"}) {
        again.remove(ObjectKind::node, "", name);
        again.remove(ObjectKind::pod, "default", name);
    }
    EXPECT_EQ(to_text(once.build()), to_text(again.build()));
    EXPECT_EQ(count(once.build()), count(again.build()));
}

TEST(ClusterBuilder, UpdatesTheUidOfARecreatedPod) {
    ClusterBuilder builder;
    PodObject object = pod("a");
    object.uid = "u-1";
    builder.set(object);
    EXPECT_EQ(builder.build().text(builder.build().pod(0).uid), "u-1");
    object.uid = "u-2";  // deleted and recreated
    builder.set(object);
    EXPECT_EQ(builder.build().text(builder.build().pod(0).uid), "u-2");
}

}  // namespace
}  // namespace capstan::engine::snapshot
