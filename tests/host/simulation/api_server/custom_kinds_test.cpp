#include "simulation/api_server/custom_kinds.hpp"

#include "served_api.hpp"

namespace capstan::simulation::api_server {
namespace {

using ::testing::HasSubstr;

struct CustomResources : ServedApi {
    const std::string definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const std::string balancers = "/apis/balancer.x-k8s.io/v1alpha1/namespaces/default/balancers";

    void SetUp() override {
        const Said made =
            ask("POST", definitions, R"({"metadata":{"name":"balancers.balancer.x-k8s.io"},
            "spec":{"group":"balancer.x-k8s.io","scope":"Namespaced","names":{"plural":"balancers",
            "singular":"balancer","kind":"Balancer","shortNames":["bal"]},"versions":[
            {"name":"v1alpha1","served":true,"storage":true,"subresources":{"status":{},"scale":{
            "specReplicasPath":".spec.replicas","statusReplicasPath":".status.replicas",
            "labelSelectorPath":".status.selector"}},"additionalPrinterColumns":[{"name":"Replicas",
            "type":"integer","jsonPath":".spec.replicas"}]},{"name":"v0","served":false}]}})");
        ASSERT_EQ(made.status, 201);
    }
};

TEST_F(CustomResources, AreServedOnceTheirDefinitionIsThere) {
    EXPECT_EQ(get(balancers).status, 200);
    EXPECT_THAT(get("/apis/balancer.x-k8s.io/v1alpha1").reply.body, HasSubstr("balancers/scale"));
    EXPECT_EQ(get("/apis/balancer.x-k8s.io/v0").status, 404);
    const Said definition = get(definitions + "/balancers.balancer.x-k8s.io");
    EXPECT_THAT(definition.reply.body, HasSubstr(R"("type":"Established","status":"True")"));
}

TEST_F(CustomResources, HaveStatusAndScale) {
    EXPECT_EQ(ask("POST", balancers, R"({"metadata":{"name":"b"},"spec":{"replicas":3},
        "status":{"replicas":9}})")
                  .status,
              201);
    const char* merge = "application/merge-patch+json";
    EXPECT_EQ(integer_at(get(balancers + "/b/scale").body, "status.replicas"), 0);
    ask("PATCH", balancers + "/b/status", R"({"status":{"replicas":2,"selector":"a=b"}})", merge);
    const Said scale = ask("PATCH", balancers + "/b/scale", R"({"spec":{"replicas":4}})", merge);
    EXPECT_EQ(integer_at(scale.body, "spec.replicas"), 4);
    EXPECT_EQ(text_at(scale.body, "status.selector"), "a=b");
    EXPECT_EQ(integer_at(get(balancers + "/b").body, "metadata.generation"), 2);
}

TEST_F(CustomResources, TakeNoStrategicPatches) {
    ask("POST", balancers, R"({"metadata":{"name":"b"}})");
    EXPECT_EQ(ask("PATCH", balancers + "/b", "{}", "application/strategic-merge-patch+json").status,
              415);
}

TEST_F(CustomResources, ShowTheColumnsOfTheirDefinition) {
    ask("POST", balancers, R"({"metadata":{"name":"b"},"spec":{"replicas":3}})");
    accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    EXPECT_THAT(get(balancers).reply.body, HasSubstr(R"("cells":["b",3])"));
}

TEST_F(CustomResources, TakeNoBuiltInKindsPlace) {
    for (const char* name : {"pods", "deployments.apps"}) {
        ask("POST", definitions, R"({"metadata":{"name":")" + std::string(name) + R"("},
            "spec":{"group":"apps","names":{"plural":"deployments","kind":"X"},
            "versions":[{"name":"v1","served":true}]}})");
        EXPECT_FALSE(store.kinds().find(name)->is_custom) << name;
        EXPECT_EQ(ask("DELETE", definitions + "/" + name).status, 200);
        EXPECT_NE(store.kinds().find(name), nullptr) << name;
    }
}

TEST_F(CustomResources, GoWithTheirDefinition) {
    ask("POST", balancers, R"({"metadata":{"name":"b"}})");
    EXPECT_EQ(ask("DELETE", definitions + "/balancers.balancer.x-k8s.io").status, 200);
    EXPECT_EQ(get(balancers).status, 404);
}

}  // namespace
}  // namespace capstan::simulation::api_server
