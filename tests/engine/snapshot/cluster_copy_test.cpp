#include "engine/snapshot/cluster_copy.hpp"
#include "engine/snapshot/cluster.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "snapshot_objects.hpp"

namespace capstan::engine::snapshot {
namespace {

/// Adds an object of each kind, named "x", in namespace "shop" if the kind is namespaced.
void fill_copied(ClusterSink& sink) {
    PodObject waiting = pod("x", "x");
    waiting.ns = "shop";
    waiting.claims = {"data"};
    waiting.labels = {{"app", "web"}};
    waiting.deleted = Time{} + Duration(7);
    sink.set(waiting);
    NodeObject at = node("x");
    at.taints = {{.key = "dedicated", .value = "web", .effect = Effect::no_schedule}};
    at.ready_since = Time{} + Duration(3);
    at.addresses = {"10.0.0.1", "x.internal"};
    sink.set(at);
    sink.set(DaemonSetObject{.ns = "shop", .name = "x"});
    sink.set(DisruptionBudgetObject{.ns = "shop", .name = "x", .disruptions_allowed = 2});
    for (const char* kind : {"ReplicaSet", "ReplicationController", "StatefulSet", "Job"})
        sink.set(ControllerObject{.kind = kind,
                                  .ns = "shop",
                                  .name = "x",
                                  .replicas = 3,
                                  .selector = LabelSelector{.match_labels = {{"app", "web"}}}});
    sink.set(ClaimObject{.ns = "shop", .name = "x", .requested_bytes = 5});
    sink.set(VolumeObject{.name = "x"});
    sink.set(StorageClassObject{.name = "x"});
    sink.set(CsiNodeObject{.name = "x"});
    sink.set(CsiDriverObject{.name = "x"});
    sink.set(CsiCapacityObject{.ns = "shop", .name = "x"});
    sink.set(NamespaceObject{.name = "x", .labels = {{"team", "web"}}});
    sink.set(ServiceObject{.ns = "shop", .name = "x", .selector = {{"app", "web"}}});
}

TEST(ClusterCopy, EqualsTheOriginal) {
    ClusterBuilder first, second;
    fill_copied(first);
    const Cluster cluster = first.build();
    copy(cluster, second);
    const Cluster again = second.build();
    EXPECT_EQ(to_text(again), to_text(cluster));
    const std::uint64_t changes = second.changes();
    fill_copied(second);
    EXPECT_EQ(second.changes(), changes) << "all objects are equal";
}

TEST(ClusterCopy, DoesNotContainRemovedPods) {
    ClusterBuilder first, second;
    for (int i = 0; i < 2000; ++i) {
        first.set(pod("pod-" + std::to_string(i)));
        first.remove_pod("default", "pod-" + std::to_string(i));
    }
    copy(first.build(), second);
    EXPECT_LT(second.build().bytes(), first.build().bytes() / 2);
}

TEST(ClusterCopy, ListsTheNamesOfEachKind) {
    ClusterBuilder builder;
    fill_copied(builder);
    const Cluster cluster = builder.build();
    const std::set<ObjectKind> without_namespace = {ObjectKind::node,          ObjectKind::volume,
                                                    ObjectKind::storage_class, ObjectKind::csi_node,
                                                    ObjectKind::csi_driver,    ObjectKind::ns};
    using Names = std::vector<std::pair<std::string, std::string>>;
    for (int i = 0; i <= static_cast<int>(ObjectKind::service); ++i) {
        const auto kind = static_cast<ObjectKind>(i);
        Names names;
        for_each_name(cluster, kind,
                      [&](auto ns, auto name) { names.emplace_back(std::string(ns), name); });
        EXPECT_EQ(names, (Names{{without_namespace.contains(kind) ? "" : "shop", "x"}})) << i;
    }
}

TEST(ClusterBuilder, CountsOnlyObjectsThatChangeTheCluster) {
    ClusterBuilder builder;
    fill_copied(builder);
    std::uint64_t changes = builder.changes();
    fill_copied(builder);
    EXPECT_EQ(builder.changes(), changes) << "objects did not change";
    for (int kind = 0; kind <= static_cast<int>(ObjectKind::service); ++kind)
        builder.remove(static_cast<ObjectKind>(kind), "shop", "y");
    EXPECT_EQ(builder.changes(), changes) << "no object has this name";
    for (int kind = 0; kind <= static_cast<int>(ObjectKind::service); ++kind) {
        builder.remove(static_cast<ObjectKind>(kind), "shop", "x");
        EXPECT_EQ(builder.changes(), ++changes) << kind;
    }
}

TEST(ClusterBuilder, CountsAChangeOfEachPodFieldThatAClusterHas) {
    ClusterBuilder builder;
    PodObject changing = pod("web");
    builder.set(changing);
    const auto changes_by = [&](auto edit) {
        const std::uint64_t before = builder.changes();
        edit();
        builder.set(changing);
        return builder.changes() - before;
    };
    EXPECT_EQ(changes_by([&] { changing.node_name = "a"; }), 1u);
    EXPECT_EQ(changes_by([&] { changing.uid = "2"; }), 1u);
    EXPECT_EQ(changes_by([&] { changing.labels["app"] = "web"; }), 1u);
    EXPECT_EQ(changes_by([&] { changing.unscheduled_reason = "Unschedulable"; }), 1u);
    EXPECT_EQ(changes_by([&] { changing.nominated_node = "b"; }), 1u);
    EXPECT_EQ(changes_by([&] { changing.deleted = Time{} + Duration(1); }), 1u);
    EXPECT_EQ(changes_by([&] { changing.gated = true; }), 1u);
    EXPECT_EQ(changes_by([&] { changing.annotations["example.com/hash"] = "1"; }), 0u)
        << "an annotation that is not read";
    EXPECT_EQ(changes_by([&] { changing.phase = PodPhase::succeeded; }), 1u);
    EXPECT_EQ(changes_by([&] {}), 0u);
    EXPECT_EQ(builder.build().pod_count(), 0u);
}

}  // namespace
}  // namespace capstan::engine::snapshot
