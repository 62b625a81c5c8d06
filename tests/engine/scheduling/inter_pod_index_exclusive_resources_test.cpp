#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/scheduling/placement.hpp"
#include "scheduling_cluster.hpp"

namespace capstan::engine::scheduling {
namespace {

TestPod with_port(int port, std::string ip = "", std::string protocol = "TCP") {
    return {.spec = {.ports = {{.ip = std::move(ip), .protocol = protocol, .port = port}}}};
}

TEST(PlacementHostPorts, AreTakenOncePerNode) {
    SchedulingCluster cluster;
    cluster.node("a", {});
    cluster.node("b", {});
    cluster.bound("there", "a", with_port(80));
    const auto web = cluster.pod_group(with_port(80));
    const auto udp = cluster.pod_group(with_port(80, "", "UDP"));
    const auto local = cluster.pod_group(with_port(80, "127.0.0.1"));
    const auto template_node = cluster.template_node({});
    CompiledPredicates predicates = cluster.predicates();
    Placement placement(predicates);
    EXPECT_EQ(placement.room(web, 0, 5), (Room{0, 0}));
    EXPECT_EQ(placement.room(web, 1, 5), (Room{1, 1}));
    EXPECT_EQ(placement.room(udp, 0, 5), (Room{1, 1}));
    EXPECT_EQ(placement.room(local, 0, 5), (Room{0, 0}));
    EXPECT_EQ(placement.why_not(web, 0).predicate, Predicate::node_ports);
    placement.place(local, 1, 1);
    EXPECT_EQ(placement.room(web, 1, 5), (Room{0, 0}));
    const Slot slot = placement.add(template_node, 3);
    EXPECT_EQ(placement.room(web, slot, 5), (Room{1, 3}));
    placement.undo(0);
    EXPECT_EQ(placement.room(web, 1, 5), (Room{1, 1}));
}

TEST(PlacementHostPorts, IncludeThoseOfDaemonSetsOnNewNodes) {
    SchedulingCluster cluster;
    const auto agent = cluster.daemon(with_port(9100));
    const auto web = cluster.pod_group(with_port(9100, "10.0.0.1"));
    const auto template_node = cluster.template_node({.daemons = {agent}});
    CompiledPredicates predicates = cluster.predicates();
    EXPECT_EQ(Placement(predicates).why_not_new(web, template_node).predicate,
              Predicate::node_ports);
}

/// Adds a claim and the volume that it is bound to. The volume is of driver "csi" and has no node
/// affinity.
void add_claim(SchedulingCluster& cluster, const std::string& name,
               std::vector<std::string> modes = {}) {
    cluster.builder.set(snapshot::ClaimObject{
        .name = name, .volume = "pv-" + name, .access_modes = std::move(modes)});
    cluster.builder.set(
        snapshot::VolumeObject{.name = "pv-" + name, .driver = "csi", .handle = name});
}

TEST(PlacementReadWriteOncePod, AllowsOnePodPerClaim) {
    SchedulingCluster cluster;
    add_claim(cluster, "data", {"ReadWriteOncePod"});
    cluster.node("a", {});
    cluster.node("b", {});
    const auto web = cluster.pod_group({.claims = {"data"}});
    CompiledPredicates predicates = cluster.predicates();
    Placement placement(predicates);
    EXPECT_EQ(placement.room(web, 0, 5), (Room{1, 1}));
    placement.place(web, 0, 1);
    EXPECT_EQ(placement.room(web, 1, 5), (Room{0, 0}));
    EXPECT_EQ(placement.why_not(web, 1).predicate, Predicate::volume_restrictions);

    cluster.bound("there", "b", {.labels = {{"x", "y"}}, .claims = {"data"}});
    CompiledPredicates in_use = cluster.predicates();
    EXPECT_EQ(Placement(in_use).room(web, 0, 5), (Room{0, 0}));
}

TEST(PlacementAttachLimits, CountEachVolumeOncePerNode) {
    SchedulingCluster cluster;
    for (const char* name : {"one", "two", "three"}) add_claim(cluster, name);
    cluster.node("a", {});
    cluster.builder.set(snapshot::CsiNodeObject{.name = "a", .limits = {{"csi", 2}}});
    cluster.bound("there", "a", {.claims = {"one"}});
    const auto one = cluster.pod_group({.labels = {{"app", "1"}}, .claims = {"one"}});
    const auto two = cluster.pod_group({.labels = {{"app", "2"}}, .claims = {"two"}});
    const auto both = cluster.pod_group({.claims = {"two", "three"}});
    const auto template_node = cluster.template_node({.csi_limits = {{"csi", 1}}});
    const auto unlimited = cluster.template_node({});
    CompiledPredicates predicates = cluster.predicates();
    Placement placement(predicates);
    EXPECT_EQ(placement.room(one, 0, 5), (Room{5, 5}));
    EXPECT_EQ(placement.room(two, 0, 5), (Room{5, 5}));
    EXPECT_EQ(placement.room(both, 0, 5), (Room{0, 0}));
    EXPECT_EQ(placement.why_not(both, 0),
              (Refusal{Predicate::node_volume_limits,
                       "node(s) exceed max volume count: needs 2 of csi, 1 of 2 are attached"}));
    placement.place(two, 0, 1);
    EXPECT_EQ(placement.room(two, 0, 5), (Room{5, 5}));
    EXPECT_EQ(placement.why_not_new(two, template_node).predicate, Predicate::none);
    EXPECT_EQ(placement.why_not_new(both, template_node).predicate, Predicate::node_volume_limits);
    EXPECT_EQ(placement.why_not_new(both, unlimited).predicate, Predicate::none);
    EXPECT_NE(predicates.equivalent(template_node), predicates.equivalent(unlimited));
}

/// Adds a claim bound to an in-tree volume whose plugin is replaced by driver "csi".
void add_in_tree_claim(SchedulingCluster& cluster, const std::string& name) {
    cluster.builder.set(snapshot::ClaimObject{.name = name, .volume = "pv-" + name});
    cluster.builder.set(snapshot::VolumeObject{
        .name = "pv-" + name, .driver = "csi", .handle = name, .in_tree = true});
}

TEST(PlacementAttachLimits, CountInTreeVolumesWhereTheirPluginIsMigrated) {
    SchedulingCluster cluster;
    for (const char* name : {"a", "b"}) cluster.node(name, {});
    cluster.builder.set(
        snapshot::CsiNodeObject{.name = "a", .limits = {{"csi", 2}}, .migrated = {"csi"}});
    cluster.builder.set(snapshot::CsiNodeObject{.name = "b", .limits = {{"csi", 2}}});
    for (const char* name : {"one", "two", "three", "four"}) add_in_tree_claim(cluster, name);
    add_claim(cluster, "five");
    for (const std::string node : {"a", "b"}) {
        cluster.bound("claimed-" + node, node, {.claims = {"one"}});
        cluster.bound("inline-" + node, node, {.spec = {.in_tree_volumes = {{"csi", "disk"}}}});
    }
    const auto in_tree = cluster.pod_group({.claims = {"two"}});
    const auto same_disk = cluster.pod_group({.spec = {.in_tree_volumes = {{"csi", "disk"}}}});
    const auto other_disk = cluster.pod_group({.spec = {.in_tree_volumes = {{"csi", "new"}}}});
    const auto mixed = cluster.pod_group({.claims = {"three", "five"}});
    const auto many = cluster.pod_group({.claims = {"two", "three", "four"}});
    const auto migrated =
        cluster.template_node({.csi_limits = {{"csi", 2}}, .csi_migrated = {"csi"}});
    const auto not_migrated = cluster.template_node({.csi_limits = {{"csi", 2}}});
    CompiledPredicates predicates = cluster.predicates();
    const Placement placement(predicates);
    EXPECT_EQ(placement.why_not(in_tree, 0),
              (Refusal{Predicate::node_volume_limits,
                       "node(s) exceed max volume count: needs 1 of csi, 2 of 2 are attached"}));
    EXPECT_EQ(placement.why_not(in_tree, 1).predicate, Predicate::none);
    EXPECT_EQ(placement.why_not(same_disk, 0).predicate, Predicate::none);
    EXPECT_EQ(placement.why_not(other_disk, 0).predicate, Predicate::node_volume_limits);
    EXPECT_EQ(placement.why_not(mixed, 0).predicate, Predicate::node_volume_limits);
    EXPECT_EQ(placement.why_not(mixed, 1).predicate, Predicate::none) << "one of csi, 0 attached";
    EXPECT_EQ(placement.why_not_new(many, migrated).predicate, Predicate::node_volume_limits);
    EXPECT_EQ(placement.why_not_new(mixed, migrated).predicate, Predicate::none);
    EXPECT_EQ(placement.why_not_new(many, not_migrated).predicate, Predicate::none);
    EXPECT_NE(predicates.equivalent(migrated), predicates.equivalent(not_migrated));
}

}  // namespace
}  // namespace capstan::engine::scheduling
