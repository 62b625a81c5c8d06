#include "test_cluster.hpp"

#include "simulator/control_plane/context/object_fields.hpp"

namespace capstan::simulator::control_plane {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

struct GarbageCollectorTest : TestCluster {
    void SetUp() override {
        TestCluster::SetUp();
        add_nodes(2);
        advance(2s);
    }
    void add_owner_reference(const std::string& resource, const std::string& name,
                             const std::string& owner, bool blocks_owner_deletion = false) {
        edit(resource, name, [&](json::object& object) {
            json::object reference =
                make_controller_reference(store.kind("configmaps"), get("configmaps", owner));
            reference["blockOwnerDeletion"] = blocks_owner_deletion;
            add_owner(object, std::move(reference));
        });
    }
    void add_map(const std::string& name) {
        create("configmaps", "{'metadata':{'name':'" + name + "'}}");
    }
};

TEST_F(GarbageCollectorTest, DeletesReplicaSetsAndPodsWithTheirDeployment) {
    add_workload("deployments.apps", "web", "'replicas':3,");
    advance(5s);
    remove("deployments.apps", "web");
    advance(10s);
    EXPECT_THAT(all("replicasets.apps"), IsEmpty());
    EXPECT_EQ(phases(), "");
}

TEST_F(GarbageCollectorTest, DeletesDependentsFirstInTheForeground) {
    add_workload("deployments.apps", "web", "'replicas':3,");
    advance(5s);
    remove("deployments.apps", "web", {.propagation = "Foreground"});
    advance(1s);
    EXPECT_TRUE(has_finalizer(get("deployments.apps", "web"), foreground_finalizer));
    EXPECT_EQ(phases(), "terminating 3");
    advance(10s);
    EXPECT_EQ(phases(), "");
    EXPECT_THAT(all("replicasets.apps"), IsEmpty());
    EXPECT_THAT(all("deployments.apps"), IsEmpty());
}

TEST_F(GarbageCollectorTest, KeepsOrphansIfRequested) {
    add_workload("deployments.apps", "web", "'replicas':2,");
    advance(5s);
    remove("deployments.apps", "web", {.propagation = "Orphan"});
    advance(10s);
    EXPECT_THAT(all("deployments.apps"), IsEmpty());
    EXPECT_THAT(all("replicasets.apps"), SizeIs(1));
    EXPECT_EQ(find_controller(*all("replicasets.apps").at(0)), nullptr);
    EXPECT_EQ(phases(), "Running 2");
}

TEST_F(GarbageCollectorTest, DeletesObjectsWhoseOwnerDoesNotExist) {
    create("configmaps",
           "{'metadata':{'name':'lost','ownerReferences':[{'apiVersion':'v1','kind':'ConfigMap',"
           "'name':'gone','uid':'1234'}]}}");
    advance(0s);
    EXPECT_EQ(find("configmaps", "lost"), nullptr);
}

TEST_F(GarbageCollectorTest, KeepsObjectsThatHaveAnotherOwner) {
    for (const char* name : {"first", "second", "shared"}) add_map(name);
    add_owner_reference("configmaps", "shared", "first");
    add_owner_reference("configmaps", "shared", "second");
    remove("configmaps", "first");
    advance(1s);
    EXPECT_THAT(owners_of(get("configmaps", "shared")), SizeIs(1));
    remove("configmaps", "second");
    advance(1s);
    EXPECT_EQ(find("configmaps", "shared"), nullptr);
}

TEST_F(GarbageCollectorTest, DeletesTheLeaseOfADeletedNode) {
    EXPECT_THAT(all("leases.coordination.k8s.io"), SizeIs(2));
    remove("nodes", "n1");
    advance(1s);
    EXPECT_THAT(all("leases.coordination.k8s.io"), SizeIs(1));
}

TEST_F(GarbageCollectorTest, LetsANewDeploymentAdoptOrphanedReplicaSets) {
    add_workload("deployments.apps", "web", "'replicas':2,");
    advance(5s);
    remove("deployments.apps", "web", {.propagation = "Orphan"});
    advance(5s);
    add_workload("deployments.apps", "web", "'replicas':2,");
    advance(10s);
    EXPECT_THAT(all("replicasets.apps"), SizeIs(1));
    EXPECT_EQ(phases(), "Running 2");
}

TEST_F(GarbageCollectorTest, CoversKindsThatAreDefinedLater) {
    create("customresourcedefinitions.apiextensions.k8s.io",
           "{'metadata':{'name':'balancers.x.io'},'spec':{'group':'x.io','scope':'Namespaced',"
           "'names':{'plural':'balancers','singular':'balancer','kind':'Balancer'},"
           "'versions':[{'name':'v1','served':true,'storage':true}]}}");
    advance(1s);
    add_map("owner");
    create("balancers.x.io", "{'metadata':{'name':'b'}}");
    add_owner_reference("balancers.x.io", "b", "owner");
    remove("configmaps", "owner");
    advance(1s);
    EXPECT_EQ(find("balancers.x.io", "b"), nullptr);
}

using NamespaceContentsTest = GarbageCollectorTest;

TEST_F(NamespaceContentsTest, IncludeTheServiceAccountAndCaConfigMap) {
    create("namespaces", "{'metadata':{'name':'shop'}}");
    advance(0s);
    EXPECT_NE(find("serviceaccounts", "default", "shop"), nullptr);
    EXPECT_NE(find("configmaps", "kube-root-ca.crt", "shop"), nullptr);
    EXPECT_NE(find("serviceaccounts", "default"), nullptr);
    remove("serviceaccounts", "default");
    advance(0s);
    EXPECT_NE(find("serviceaccounts", "default"), nullptr);
}

}  // namespace
}  // namespace capstan::simulator::control_plane
