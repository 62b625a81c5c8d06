#include "test_cluster.hpp"

namespace capstan::simulator::control_plane {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

struct VolumeClaimsTest : TestCluster {
    void SetUp() override {
        TestCluster::SetUp();
        add_node("n1", "4", ",'labels':{'topology.kubernetes.io/zone':'a'}");
        advance(2s);
    }
    void add_claim(const std::string& storage_class = "") {
        create("persistentvolumeclaims",
               "{'metadata':{'name':'data'},'spec':{" + storage_class +
                   "'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'1Gi'}}}}");
    }
    void add_consumer(const std::string& name) {
        add_pod(name, "'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'data'}}],");
    }
};

TEST_F(VolumeClaimsTest, AreBoundWhenTheirFirstPodIsScheduled) {
    add_claim();
    advance(5s);
    EXPECT_EQ(text("persistentvolumeclaims", "data", "status.phase"), "Pending");
    EXPECT_EQ(text("persistentvolumeclaims", "data", "spec.storageClassName"), "standard");
    add_consumer("web");
    advance(5s);
    EXPECT_EQ(text("persistentvolumeclaims", "data", "status.phase"), "Bound");
    EXPECT_EQ(phases(), "Running 1");
}

TEST_F(VolumeClaimsTest, RestrictPodsToTheZoneOfTheVolume) {
    add_claim();
    add_consumer("first");
    advance(5s);
    remove("pods", "first", {.grace_s = 0});
    set("nodes", "n1", "spec.unschedulable", true);
    add_node("n2", "4", ",'labels':{'topology.kubernetes.io/zone':'b'}");
    advance(5s);
    add_consumer("second");
    advance(5s);
    EXPECT_EQ(phases(), "Pending 1");
    set("nodes", "n1", "spec.unschedulable", false);
    advance(5s);
    EXPECT_EQ(text("pods", "second", "spec.nodeName"), "n1");
}

TEST_F(VolumeClaimsTest, AreBoundAtOnceWithImmediateBindingMode) {
    create("storageclasses.storage.k8s.io",
           "{'metadata':{'name':'quick'},'provisioner':'disks.example.com'}");
    add_claim("'storageClassName':'quick',");
    advance(0s);
    EXPECT_EQ(text("persistentvolumeclaims", "data", "status.phase"), "Bound");
    EXPECT_THAT(all("persistentvolumes"), SizeIs(1));
}

TEST_F(VolumeClaimsTest, DeleteTheirVolumeWithThem) {
    add_claim();
    add_consumer("web");
    advance(5s);
    remove("pods", "web", {.grace_s = 0});
    remove("persistentvolumeclaims", "data");
    advance(1s);
    EXPECT_THAT(all("persistentvolumes"), IsEmpty());
}

TEST_F(VolumeClaimsTest, WaitForTheirStorageClass) {
    add_claim("'storageClassName':'late',");
    advance(5s);
    EXPECT_EQ(text("persistentvolumeclaims", "data", "status.phase"), "Pending");
    create("storageclasses.storage.k8s.io",
           "{'metadata':{'name':'late'},'provisioner':'disks.example.com'}");
    advance(0s);
    EXPECT_EQ(text("persistentvolumeclaims", "data", "status.phase"), "Bound");
}

}  // namespace
}  // namespace capstan::simulator::control_plane
