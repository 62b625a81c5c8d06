#include <gmock/gmock.h>

#include "engine/scheduling/predicates/volume_binding.hpp"
#include "engine/scheduling/predicates/volume_needs.hpp"
#include "engine/scheduling/predicates/volume_restrictions.hpp"
#include "engine/snapshot/cluster_builder.hpp"

namespace capstan::engine::scheduling {
namespace {

using namespace std::string_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string zone = "topology.kubernetes.io/zone";
const std::string old_zone = "failure-domain.beta.kubernetes.io/zone";

NodeSelectorTerm in_zone(const std::string& value) {
    return {.labels = {{zone, Operator::in, {value}}}};
}

/// A pod with the claim "data", or with the given ones.
snapshot::PodObject pod(std::vector<std::string> claims = {"data"}) {
    return {.name = "web", .claims = std::move(claims)};
}

/// Why the pod does not fit a node with these labels; empty: it fits.
std::string refusal_on(snapshot::ClusterBuilder& builder, const snapshot::PodObject& pending,
                       const Labels& labels, const std::string& node = "n") {
    const PodGroupId id = builder.add_equivalence_group(pending);
    const snapshot::Cluster cluster = builder.build();
    const auto refusal =
        check_volume_binding(find_volume_needs(cluster, id), {.name = node, .labels = labels});
    return refusal ? std::string(name_of(refusal->predicate)) + ": " + refusal->sentence : "";
}

TEST(VolumeBinding, HasNoNeedsWithoutClaims) {
    snapshot::ClusterBuilder builder;
    const PodGroupId id = builder.add_equivalence_group(pod({}));
    EXPECT_EQ(find_volume_needs(builder.build(), id), VolumeNeeds{});
}

TEST(VolumeBinding, RejectsAMissingClaim) {
    snapshot::ClusterBuilder builder;
    builder.set(snapshot::ClaimObject{.ns = "elsewhere", .name = "data", .volume = "pv"});
    EXPECT_EQ(refusal_on(builder, pod(), {}),
              "VolumeBinding: persistentvolumeclaim \"data\" not found");
}

TEST(VolumeBinding, RejectsAnUnboundImmediateClaim) {
    snapshot::ClusterBuilder builder;
    builder.set(snapshot::StorageClassObject{.name = "now", .provisioner = "ebs"});
    builder.set(snapshot::ClaimObject{.name = "data", .storage_class = "now"});
    builder.set(snapshot::ClaimObject{.name = "more"});
    builder.set(snapshot::ClaimObject{.name = "lost", .storage_class = "gone"});
    EXPECT_EQ(refusal_on(builder, pod({"data", "more", "lost"}), {}),
              "VolumeBinding: pod has unbound immediate PersistentVolumeClaims: \"data\", "
              "\"more\", \"lost\" (StorageClass \"gone\" not found)");
}

TEST(VolumeBinding, RejectsAClaimWithAMissingVolume) {
    snapshot::ClusterBuilder builder;
    builder.set(snapshot::ClaimObject{.name = "data", .volume = "pv"});
    EXPECT_THAT(refusal_on(builder, pod(), {}), HasSubstr("bound to non-existent pv(s)"));
}

TEST(VolumeBinding, HonoursTheNodeAffinityOfTheVolume) {
    snapshot::ClusterBuilder builder;
    builder.set(snapshot::ClaimObject{.name = "data", .volume = "pv"});
    builder.set(
        snapshot::VolumeObject{.name = "pv", .node_affinity = {in_zone("a"), in_zone("b")}});
    EXPECT_EQ(refusal_on(builder, pod(), {{zone, "b"}}), "");
    EXPECT_EQ(refusal_on(builder, pod(), {{zone, "c"}}),
              "VolumeBinding: node(s) didn't match PersistentVolume's node affinity: volume \"pv\" "
              "wants " +
                  zone + " in [a], or " + zone + " in [b]");
    EXPECT_NE(refusal_on(builder, pod(), {}), "");
    builder.set(snapshot::VolumeObject{.name = "pv"});
    EXPECT_EQ(refusal_on(builder, pod(), {{zone, "c"}}), "");
}

TEST(VolumeZone, HonoursTheZoneLabelsOfTheVolume) {
    struct Case {
        std::string key, value;
        Labels node;
        bool passes;
    };
    const Case cases[] = {
        {zone, "a", {{zone, "a"}}, true},
        {zone, "a", {{zone, "b"}}, false},
        {zone, "a__b", {{zone, "b"}}, true},
        {zone, "a__b", {{zone, "a__b"}}, false},
        {zone, "a__", {{zone, "b"}}, true},
        {zone, "", {{zone, "b"}}, true},
        {zone, "a", {}, true},
        {zone, "a", {{"other", "b"}}, true},
        {zone, "a", {{"topology.kubernetes.io/region", "r"}}, false},
        {zone, "a", {{old_zone, "a"}}, false},
        {old_zone, "a", {{zone, "a"}}, true},
        {old_zone, "a", {{zone, "b"}}, false},
        {old_zone, "a", {{old_zone, "b"}, {zone, "a"}}, false},
        {"zone", "a", {{zone, "b"}}, true},
    };
    for (const Case& c : cases) {
        snapshot::ClusterBuilder builder;
        builder.set(snapshot::ClaimObject{.name = "data", .volume = "pv"});
        builder.set(snapshot::VolumeObject{.name = "pv", .labels = {{c.key, c.value}}});
        const std::string refusal = refusal_on(builder, pod(), c.node);
        EXPECT_EQ(refusal == "", c.passes) << c.key << "=" << c.value << ": " << refusal;
        if (!c.passes) {
            EXPECT_THAT(refusal, StartsWith("VolumeZone: node(s) had no available volume zone"));
        }
    }
}

TEST(VolumeBinding, HonoursAllowedTopologiesOfTheStorageClass) {
    snapshot::ClusterBuilder builder;
    builder.set(snapshot::ClaimObject{.name = "data", .storage_class = "late"});
    snapshot::StorageClassObject late{
        .name = "late", .provisioner = "ebs", .waits_for_consumer = true};
    builder.set(late);
    EXPECT_EQ(refusal_on(builder, pod(), {}), "");
    late.allowed_topologies = {in_zone("a"), in_zone("b")};
    builder.set(late);
    EXPECT_EQ(refusal_on(builder, pod(), {{zone, "b"}}), "");
    EXPECT_THAT(refusal_on(builder, pod(), {{zone, "c"}}),
                StartsWith("VolumeBinding: node(s) didn't find available persistent volumes to "
                           "bind: claim \"data\" of class \"late\""));
}

TEST(VolumeBinding, HonoursTheSelectedNode) {
    snapshot::ClusterBuilder builder;
    builder.set(
        snapshot::ClaimObject{.name = "data", .storage_class = "late", .selected_node = "n"});
    builder.set(snapshot::StorageClassObject{
        .name = "late", .provisioner = "ebs", .waits_for_consumer = true});
    EXPECT_EQ(refusal_on(builder, pod(), {}, "n"), "");
    EXPECT_THAT(refusal_on(builder, pod(), {}, "m"), HasSubstr("is waiting for node \"n\""));
    EXPECT_NE(refusal_on(builder, pod(), {}, ""), "");
}

TEST(VolumeBinding, RequiresCapacityIfTheDriverReportsIt) {
    snapshot::ClusterBuilder builder;
    builder.set(
        snapshot::ClaimObject{.name = "data", .storage_class = "late", .requested_bytes = 10});
    builder.set(snapshot::StorageClassObject{
        .name = "late", .provisioner = "lvm", .waits_for_consumer = true});
    const auto room = [&](const std::string& name, std::optional<LabelSelector> topology,
                          std::int64_t bytes) {
        builder.set(snapshot::CsiCapacityObject{
            .name = name, .storage_class = "late", .topology = topology, .capacity_bytes = bytes});
    };
    EXPECT_EQ(refusal_on(builder, pod(), {}), "");  // an unknown driver
    builder.set(snapshot::CsiDriverObject{.name = "lvm", .storage_capacity = true});
    EXPECT_EQ(refusal_on(builder, pod(), {}),
              "VolumeBinding: node(s) did not have enough free storage: claim \"data\" of class "
              "\"late\" needs 10");
    room("a", LabelSelector{.match_labels = {{zone, "a"}}}, 9);
    room("b", LabelSelector{.match_labels = {{zone, "b"}}}, 10);
    room("nowhere", std::nullopt, 100);
    EXPECT_NE(refusal_on(builder, pod(), {{zone, "a"}}), "");
    EXPECT_EQ(refusal_on(builder, pod(), {{zone, "b"}}), "");
    room("everywhere", LabelSelector{}, 11);
    EXPECT_EQ(refusal_on(builder, pod(), {{zone, "a"}}), "");
}

struct LocalVolumes {
    snapshot::ClusterBuilder builder;
    snapshot::VolumeObject volume{.name = "pv",
                                  .node_affinity = {in_zone("a")},
                                  .storage_class = "local",
                                  .capacity_bytes = 10,
                                  .access_modes = {"ReadWriteOnce"}};
    snapshot::ClaimObject claim{.name = "data",
                                .storage_class = "local",
                                .requested_bytes = 10,
                                .access_modes = {"ReadWriteOnce"}};
    LocalVolumes() {
        builder.set(claim);
        builder.set(snapshot::StorageClassObject{.name = "local",
                                                 .provisioner = "kubernetes.io/no-provisioner",
                                                 .waits_for_consumer = true});
    }
    bool fits(const snapshot::VolumeObject& existing, const Labels& node) {
        builder.set(existing);
        return refusal_on(builder, pod(), node).empty();
    }
};

TEST(VolumeBinding, UsesAnAvailableVolumeWithoutAProvisioner) {
    LocalVolumes local;
    EXPECT_THAT(refusal_on(local.builder, pod(), {}), HasSubstr("which has no provisioner"));
    snapshot::VolumeObject v = local.volume;
    EXPECT_TRUE(local.fits(v, {{zone, "a"}}));
    EXPECT_FALSE(local.fits(v, {{zone, "b"}}));
    v.node_affinity.clear();
    EXPECT_TRUE(local.fits(v, {{zone, "b"}}));
}

TEST(VolumeBinding, RejectsSmallClaimedOrUnsuitableVolumes) {
    LocalVolumes local;
    snapshot::VolumeObject small = local.volume, taken = local.volume, other = local.volume,
                           mode = local.volume;
    small.capacity_bytes = 9;
    taken.claim_ns = "default", taken.claim_name = "other";
    other.storage_class = "other";
    mode.access_modes = {"ReadOnlyMany"};
    EXPECT_FALSE(local.fits(small, {{zone, "a"}}));
    EXPECT_FALSE(local.fits(taken, {{zone, "a"}}));
    EXPECT_FALSE(local.fits(other, {{zone, "a"}}));
    EXPECT_FALSE(local.fits(mode, {{zone, "a"}}));
}

TEST(VolumeBinding, RequiresTheVolumeModeOfTheClaim) {
    for (const bool wanted : {false, true}) {
        LocalVolumes local;
        local.claim.block = wanted;
        local.builder.set(local.claim);
        for (const bool existing : {false, true}) {
            snapshot::VolumeObject volume = local.volume;
            volume.block = existing;
            EXPECT_EQ(local.fits(volume, {{zone, "a"}}), existing == wanted);
            volume.claim_ns = "default", volume.claim_name = "data";
            EXPECT_EQ(local.fits(volume, {{zone, "a"}}), existing == wanted) << "reserved";
        }
    }
}

TEST(VolumeBinding, HonoursTheSelectorOfTheClaim) {
    LocalVolumes local;
    local.claim.selector = {.match_labels = {{"disk", "fast"}},
                            .match_expressions = {{"rack", Operator::not_in, {"7"}}}};
    local.builder.set(local.claim);
    snapshot::VolumeObject volume = local.volume;
    EXPECT_FALSE(local.fits(volume, {{zone, "a"}}));
    volume.labels = {{"disk", "fast"}, {"rack", "7"}};
    EXPECT_FALSE(local.fits(volume, {{zone, "a"}}));
    volume.labels = {{"disk", "fast"}};
    EXPECT_TRUE(local.fits(volume, {{zone, "a"}}));
    // The selector does not apply to a volume that is reserved for the claim.
    volume.labels.clear();
    volume.claim_ns = "default", volume.claim_name = "data";
    EXPECT_TRUE(local.fits(volume, {{zone, "a"}}));
}

TEST(VolumeBinding, UsesOnlyTheVolumeReservedForTheClaim) {
    LocalVolumes local;
    snapshot::VolumeObject aside = local.volume;
    aside.name = "aside";
    aside.claim_ns = "default", aside.claim_name = "data";
    aside.node_affinity = {in_zone("b")};
    local.builder.set(aside);
    EXPECT_TRUE(local.fits(local.volume, {{zone, "b"}}));
    EXPECT_FALSE(local.fits(local.volume, {{zone, "a"}}));
}

TEST(VolumeRestrictions, RejectAReadWriteOncePodClaimInUse) {
    snapshot::ClusterBuilder builder;
    builder.set(snapshot::NodeObject{.name = "n"});
    builder.set(snapshot::ClaimObject{
        .name = "data", .volume = "pv", .access_modes = {"ReadWriteOncePod"}});
    builder.set(
        snapshot::ClaimObject{.name = "more", .volume = "pv", .access_modes = {"ReadWriteMany"}});
    const PodGroupId id = builder.add_equivalence_group(pod({"data", "more"}));
    const snapshot::Cluster before = builder.build();
    const VolumeNeeds needs = find_volume_needs(before, id);
    EXPECT_THAT(needs.exclusive, ElementsAre("default/data"));
    EXPECT_THAT(needs.claims, ElementsAre("default/data", "default/more"));
    EXPECT_EQ(check_volume_restrictions(needs, {}), std::nullopt);

    EXPECT_EQ(check_volume_restrictions(needs, {"default/data", "default/more"}),
              "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode "
              "already in-use by another pod: \"default/data\""s);
    EXPECT_EQ(check_volume_restrictions(needs, {"default/more", "other/data"}), std::nullopt);
}

TEST(VolumeNeeds, CountBoundClaimsByHandleAndUnboundOnesByName) {
    snapshot::ClusterBuilder builder;
    builder.set(snapshot::NodeObject{.name = "n"});
    builder.set(snapshot::CsiNodeObject{.name = "n", .limits = {{"ebs", 2}}});
    builder.set(snapshot::StorageClassObject{
        .name = "late", .provisioner = "ebs", .waits_for_consumer = true});
    builder.set(snapshot::VolumeObject{.name = "pv", .driver = "ebs", .handle = "vol-1"});
    builder.set(snapshot::VolumeObject{.name = "nfs"});
    builder.set(snapshot::ClaimObject{.name = "a", .volume = "pv"});
    builder.set(snapshot::ClaimObject{.name = "b", .storage_class = "late"});
    builder.set(snapshot::ClaimObject{.name = "c", .volume = "nfs"});
    for (const std::string name : {"one", "two"}) {
        snapshot::PodObject existing = pod({"a", "b", "c", "missing"});
        existing.name = name, existing.node_name = "n";
        builder.set(existing);
    }
    const snapshot::Cluster cluster = builder.build();
    const VolumeNeeds needs = find_volume_needs(cluster, cluster.equivalence_group_of(0));
    EXPECT_EQ(needs.attached, (VolumesByDriver{{"ebs", {"vol-1", "claim default/b"}}}));
    EXPECT_TRUE(needs.in_tree.empty());
    ASSERT_NE(find_csi_node(cluster, 0), nullptr);
    EXPECT_EQ(find_csi_node(cluster, 0)->name, "n");
}

TEST(VolumeNeeds, CountInTreeVolumesByTheirDriver) {
    snapshot::ClusterBuilder builder;
    builder.set(snapshot::StorageClassObject{.name = "gp2",
                                             .provisioner = "kubernetes.io/aws-ebs",
                                             .migrated_to = "ebs",
                                             .waits_for_consumer = true});
    builder.set(
        snapshot::VolumeObject{.name = "pv", .driver = "ebs", .handle = "vol-1", .in_tree = true});
    builder.set(snapshot::ClaimObject{.name = "a", .volume = "pv"});
    builder.set(snapshot::ClaimObject{.name = "b", .storage_class = "gp2"});
    snapshot::PodObject with_volumes = pod({"a", "b"});
    with_volumes.spec.in_tree_volumes = {{.driver = "pd", .handle = "disk"}};
    const PodGroupId id = builder.add_equivalence_group(with_volumes);
    const VolumeNeeds needs = find_volume_needs(builder.build(), id);
    EXPECT_TRUE(needs.attached.empty());
    EXPECT_EQ(needs.in_tree,
              (VolumesByDriver{{"ebs", {"vol-1", "claim default/b"}}, {"pd", {"disk"}}}));
}

}  // namespace
}  // namespace capstan::engine::scheduling
