#include "living_cluster.hpp"

namespace capstan::simulation::control_plane {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

struct Claims : LivingCluster {
    void SetUp() override {
        LivingCluster::SetUp();
        add_node("n1", "4", ",'labels':{'topology.kubernetes.io/zone':'a'}");
        pass(2s);
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

TEST_F(Claims, GetAVolumeWhenTheirFirstPodHasANode) {
    add_claim();
    pass(5s);
    EXPECT_EQ(text("persistentvolumeclaims", "data", "status.phase"), "Pending");
    EXPECT_EQ(text("persistentvolumeclaims", "data", "spec.storageClassName"), "standard");
    add_consumer("web");
    pass(5s);
    EXPECT_EQ(text("persistentvolumeclaims", "data", "status.phase"), "Bound");
    EXPECT_EQ(phases(), "Running 1");
}

TEST_F(Claims, HoldTheirPodsToTheZoneOfTheirVolume) {
    add_claim();
    add_consumer("first");
    pass(5s);
    remove("pods", "first", {.grace_s = 0});
    set("nodes", "n1", "spec.unschedulable", true);
    add_node("n2", "4", ",'labels':{'topology.kubernetes.io/zone':'b'}");
    pass(5s);
    add_consumer("second");
    pass(5s);
    EXPECT_EQ(phases(), "Pending 1");
    set("nodes", "n1", "spec.unschedulable", false);
    pass(5s);
    EXPECT_EQ(text("pods", "second", "spec.nodeName"), "n1");
}

TEST_F(Claims, GetAVolumeAtOnceWhereTheirClassDoesNotWait) {
    create("storageclasses.storage.k8s.io",
           "{'metadata':{'name':'quick'},'provisioner':'disks.example.com'}");
    add_claim("'storageClassName':'quick',");
    pass(0s);
    EXPECT_EQ(text("persistentvolumeclaims", "data", "status.phase"), "Bound");
    EXPECT_THAT(all("persistentvolumes"), SizeIs(1));
}

TEST_F(Claims, TakeTheirVolumeAlong) {
    add_claim();
    add_consumer("web");
    pass(5s);
    remove("pods", "web", {.grace_s = 0});
    remove("persistentvolumeclaims", "data");
    pass(1s);
    EXPECT_THAT(all("persistentvolumes"), IsEmpty());
}

TEST_F(Claims, WaitForTheirClass) {
    add_claim("'storageClassName':'late',");
    pass(5s);
    EXPECT_EQ(text("persistentvolumeclaims", "data", "status.phase"), "Pending");
    create("storageclasses.storage.k8s.io",
           "{'metadata':{'name':'late'},'provisioner':'disks.example.com'}");
    pass(0s);
    EXPECT_EQ(text("persistentvolumeclaims", "data", "status.phase"), "Bound");
}

}  // namespace
}  // namespace capstan::simulation::control_plane
