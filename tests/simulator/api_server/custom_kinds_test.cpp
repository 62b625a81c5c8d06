#include "simulator/api_server/custom_kinds.hpp"

#include "api_server_fixture.hpp"

namespace capstan::simulator::api_server {
namespace {

using ::testing::HasSubstr;

struct CustomResources : ApiServerTest {
    const std::string definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const std::string balancers = "/apis/balancer.x-k8s.io/v1alpha1/namespaces/default/balancers";

    void SetUp() override {
        const Response made =
            send("POST", definitions, R"({"metadata":{"name":"balancers.balancer.x-k8s.io"},
            "spec":{"group":"balancer.x-k8s.io","scope":"Namespaced","names":{"plural":"balancers",
            "singular":"balancer","kind":"Balancer","shortNames":["bal"]},"versions":[
            {"name":"v1alpha1","served":true,"storage":true,"subresources":{"status":{},"scale":{
            "specReplicasPath":".spec.replicas","statusReplicasPath":".status.replicas",
            "labelSelectorPath":".status.selector"}},"additionalPrinterColumns":[{"name":"Replicas",
            "type":"integer","jsonPath":".spec.replicas"}]},{"name":"v0","served":false}]}})");
        ASSERT_EQ(made.status, 201);
    }
};

TEST_F(CustomResources, AreServedOnceTheirDefinitionExists) {
    EXPECT_EQ(get(balancers).status, 200);
    EXPECT_THAT(get("/apis/balancer.x-k8s.io/v1alpha1").reply.body, HasSubstr("balancers/scale"));
    EXPECT_EQ(get("/apis/balancer.x-k8s.io/v0").status, 404);
    const Response definition = get(definitions + "/balancers.balancer.x-k8s.io");
    EXPECT_THAT(definition.reply.body, HasSubstr(R"("type":"Established","status":"True")"));
}

TEST_F(CustomResources, HaveStatusAndScaleSubresources) {
    EXPECT_EQ(send("POST", balancers, R"({"metadata":{"name":"b"},"spec":{"replicas":3},
        "status":{"replicas":9}})")
                  .status,
              201);
    const char* merge = "application/merge-patch+json";
    EXPECT_EQ(integer_at(get(balancers + "/b/scale").body, "status.replicas"), 0);
    send("PATCH", balancers + "/b/status", R"({"status":{"replicas":2,"selector":"a=b"}})", merge);
    const Response scale =
        send("PATCH", balancers + "/b/scale", R"({"spec":{"replicas":4}})", merge);
    EXPECT_EQ(integer_at(scale.body, "spec.replicas"), 4);
    EXPECT_EQ(text_at(scale.body, "status.selector"), "a=b");
    EXPECT_EQ(integer_at(get(balancers + "/b").body, "metadata.generation"), 2);
}

TEST_F(CustomResources, RejectStrategicMergePatches) {
    send("POST", balancers, R"({"metadata":{"name":"b"}})");
    EXPECT_EQ(
        send("PATCH", balancers + "/b", "{}", "application/strategic-merge-patch+json").status,
        415);
}

TEST_F(CustomResources, ShowThePrinterColumnsOfTheirDefinition) {
    send("POST", balancers, R"({"metadata":{"name":"b"},"spec":{"replicas":3}})");
    accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    EXPECT_THAT(get(balancers).reply.body, HasSubstr(R"("cells":["b",3])"));
}

TEST_F(CustomResources, DoNotReplaceBuiltInKinds) {
    for (const char* name : {"pods", "deployments.apps"}) {
        send("POST", definitions, R"({"metadata":{"name":")" + std::string(name) + R"("},
            "spec":{"group":"apps","names":{"plural":"deployments","kind":"X"},
            "versions":[{"name":"v1","served":true}]}})");
        EXPECT_FALSE(store.kinds().find(name)->is_custom) << name;
        EXPECT_EQ(send("DELETE", definitions + "/" + name).status, 200);
        EXPECT_NE(store.kinds().find(name), nullptr) << name;
    }
}

TEST_F(CustomResources, AreDeletedWithTheirDefinition) {
    send("POST", balancers, R"({"metadata":{"name":"b"}})");
    EXPECT_EQ(send("DELETE", definitions + "/balancers.balancer.x-k8s.io").status, 200);
    EXPECT_EQ(get(balancers).status, 404);
}

}  // namespace
}  // namespace capstan::simulator::api_server
