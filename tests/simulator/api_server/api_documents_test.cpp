#include "simulator/api_server/api_documents.hpp"

#include "api_server_fixture.hpp"

namespace capstan::simulator::api_server {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct ApiDiscovery : ApiServerTest {
    const std::string v2 = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    const std::string v2beta1 =
        "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";
};

TEST_F(ApiDiscovery, UsesTheFirstAcceptedMediaType) {
    struct Case {
        std::string accept;
        const char* kind;
        const char* api_version;
    };
    const Case cases[] = {
        {v2 + "," + v2beta1 + ",application/json", "APIGroupDiscoveryList",
         "apidiscovery.k8s.io/v2"},
        {v2beta1 + ",application/json", "APIGroupDiscoveryList", "apidiscovery.k8s.io/v2beta1"},
        {"application/json", "APIGroupList", "v1"},
    };
    for (const Case& c : cases) {
        accept = c.accept;
        const Response response = get("/apis?timeout=32s");
        EXPECT_EQ(text_at(response.body, "kind"), c.kind) << c.accept;
        EXPECT_EQ(text_at(response.body, "apiVersion"), c.api_version) << c.accept;
    }
    accept = v2beta1;
    EXPECT_EQ(get("/api").reply.header("content-type"), v2beta1);
}

TEST_F(ApiDiscovery, ListsResourcesWithTheirSubresources) {
    const std::string text =
        json::serialize(group_discovery(store.kinds(), true, Form::discovery_v2));
    EXPECT_THAT(text, HasSubstr(R"("resource":"pods")"));
    EXPECT_THAT(text, HasSubstr(R"({"subresource":"eviction","responseKind":{"group":"policy")"));
    EXPECT_THAT(text, HasSubstr(R"("shortNames":["no"])"));
    EXPECT_THAT(json::serialize(group_discovery(store.kinds(), false, Form::discovery_v2)),
                HasSubstr(R"({"subresource":"scale","responseKind":{"group":"autoscaling")"));
}

TEST_F(ApiDiscovery, ListsEachGroupOnce) {
    const json::object groups = legacy_groups(store.kinds());
    std::vector<std::string> names;
    for (const json::value& group : groups.at("groups").as_array())
        names.emplace_back(text_at(group.as_object(), "name"));
    std::vector<std::string> sorted = names;
    std::ranges::sort(sorted);
    EXPECT_EQ(std::ranges::adjacent_find(sorted), sorted.end());
}

TEST_F(ApiDiscovery, DescribesOneGroupAndOneVersion) {
    EXPECT_EQ(text_at(get("/apis/apps").body, "preferredVersion.groupVersion"), "apps/v1");
    EXPECT_EQ(text_at(get("/apis/apps/v1").body, "groupVersion"), "apps/v1");
    EXPECT_EQ(text_at(get("/api/v1").body, "groupVersion"), "v1");
    EXPECT_THAT(get("/api/v1").reply.body,
                HasSubstr(R"("name":"pods/eviction","singularName":"","namespaced":true,)"
                          R"("kind":"Eviction","verbs":["create"],"group":"policy")"));
    EXPECT_EQ(get("/apis/none").status, 404);
    EXPECT_EQ(get("/apis/apps/v9").status, 404);
}

TEST_F(ApiDiscovery, DeclaresFieldValidationForPatches) {
    EXPECT_EQ(text_at(get("/openapi/v3").body, "paths"), "");
    EXPECT_THAT(get("/openapi/v3").reply.body, HasSubstr("/openapi/v3/apis/apps/v1?hash="));
    const Response apps = get("/openapi/v3/apis/apps/v1?hash=1");
    EXPECT_THAT(apps.reply.body, HasSubstr("/deployments/{name}"));
    EXPECT_THAT(apps.reply.body, HasSubstr(R"("name":"fieldValidation")"));
    EXPECT_THAT(get("/openapi/v3/api/v1").reply.body, HasSubstr("/nodes/{name}"));
    accept = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
    EXPECT_THAT(get("/openapi/v2").reply.body,
                AllOf(HasSubstr("/apis/apps/v1/deployments/{name}"), HasSubstr("fieldValidation")));
    accept = "application/json";
    EXPECT_EQ(get("/openapi/v3/apis/none/v1").status, 404);
}

TEST_F(ApiDiscovery, IncludesTheSchemasOfDefinitions) {
    EXPECT_THAT(get("/openapi/v3/api/v1").reply.body,
                HasSubstr(R"("x-kubernetes-group-version-kind":[{"group":"","version":"v1",)"
                          R"("kind":"Pod"}])"));
    const std::string before = get("/openapi/v3").reply.body;
    ASSERT_EQ(send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                   R"({"metadata":{"name":"bees.hive.io"},"spec":{"group":"hive.io",
            "names":{"plural":"bees","kind":"Bee"},"versions":[{"name":"v1","served":true,
            "storage":true,"schema":{"openAPIV3Schema":{"type":"object",
            "properties":{"spec":{"type":"object","description":"Its work."}}}}}]}})")
                  .status,
              201);
    EXPECT_THAT(get("/openapi/v3/apis/hive.io/v1").reply.body,
                AllOf(HasSubstr(R"("description":"Its work.")"), HasSubstr(R"("kind":"Bee"}])")));
    EXPECT_NE(get("/openapi/v3").reply.body, before)
        << "clients with a cached document read it again";
}

TEST_F(ApiDiscovery, ReportsVersionAndHealth) {
    EXPECT_EQ(text_at(get("/version").body, "minor"), "33");
    EXPECT_EQ(text_at(get("/version").body, "gitVersion"), "v1.33.0+capstan");
    for (const char* path : {"/healthz", "/livez", "/readyz", "/readyz/ping"})
        EXPECT_EQ(get(path).reply.body, "ok") << path;
}

}  // namespace
}  // namespace capstan::simulator::api_server
