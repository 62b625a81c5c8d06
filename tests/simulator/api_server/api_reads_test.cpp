#include "api_server_fixture.hpp"

namespace capstan::simulator::api_server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct ApiLists : ApiServerTest {
    void SetUp() override {
        for (const char* name : {"a", "b", "c", "d", "e"}) make("default", name);
    }
    void make(const char* space, const char* name) {
        json::object map = parsed(R"({"metadata":{"labels":{"all":"yes"}}})");
        set_value(map, "metadata.name", name);
        ASSERT_TRUE(store.create(store.kind("configmaps"), space, std::move(map)));
    }
    static std::vector<std::string> names(const Response& response) {
        std::vector<std::string> out;
        for (const json::value& item : response.body.at("items").as_array())
            out.emplace_back(text_at(item.as_object(), "metadata.name"));
        return out;
    }
    const std::string maps = "/api/v1/namespaces/default/configmaps";
};

TEST_F(ApiLists, SelectByNamespaceLabelsAndFields) {
    make("kube-system", "z");
    EXPECT_THAT(names(get("/api/v1/configmaps")), ElementsAre("a", "b", "c", "d", "e", "z"));
    EXPECT_THAT(names(get(maps)), ElementsAre("a", "b", "c", "d", "e"));
    EXPECT_THAT(names(get(maps + "?fieldSelector=metadata.name%3Dc")), ElementsAre("c"));
    EXPECT_THAT(names(get(maps + "?labelSelector=all+in+%28yes%29%2C%21none")).size(), 5u);
    EXPECT_THAT(names(get(maps + "?labelSelector=all%3Dno")), IsEmpty());
    EXPECT_EQ(get(maps + "?labelSelector=,").status, 400);
    EXPECT_EQ(get(maps + "?fieldSelector=data%3Dx").status, 400);
}

TEST_F(ApiLists, ServeAllPagesAtOneRevision) {
    const Response first = get(maps + "?limit=2");
    EXPECT_THAT(names(first), ElementsAre("a", "b"));
    EXPECT_EQ(integer_at(first.body, "metadata.remainingItemCount"), 3);
    make("default", "ba");
    const std::string token(text_at(first.body, "metadata.continue"));
    const Response second = get(maps + "?limit=2&continue=" + token);
    EXPECT_THAT(names(second), ElementsAre("c", "d"))
        << "a new object is not on a page of the old revision";
    EXPECT_EQ(text_at(second.body, "metadata.resourceVersion"),
              text_at(first.body, "metadata.resourceVersion"));
    const Response last =
        get(maps + "?continue=" + std::string(text_at(second.body, "metadata.continue")));
    EXPECT_THAT(names(last), ElementsAre("e"));
    EXPECT_EQ(text_at(last.body, "metadata.continue"), "");
}

TEST_F(ApiLists, RejectAnExpiredContinueTokenAndReturnANewOne) {
    const std::string token(text_at(get(maps + "?limit=2").body, "metadata.continue"));
    make("default", "f");
    store.compact(store.revision());
    const Response late = get(maps + "?limit=2&continue=" + token);
    EXPECT_EQ(late.status, 410);
    EXPECT_EQ(text_at(late.body, "reason"), "Expired");
    const std::string other(text_at(late.body, "metadata.continue"));
    EXPECT_THAT(names(get(maps + "?limit=2&continue=" + other)), ElementsAre("c", "d"));
    EXPECT_EQ(get(maps + "?continue=nonsense").status, 400);
}

TEST_F(ApiLists, IgnoreTheLimitAtResourceVersionZero) {
    EXPECT_EQ(names(get(maps + "?limit=2&resourceVersion=0")).size(), 5u);
}

TEST_F(ApiLists, ServeOldRevisionsAndRejectFutureOnes) {
    const std::string then = std::to_string(store.revision());
    make("default", "f");
    EXPECT_EQ(names(get(maps + "?resourceVersion=" + then)).size(), 6u)
        << "NotOlderThan is the default";
    const std::string exact = maps + "?resourceVersionMatch=Exact&resourceVersion=";
    EXPECT_EQ(names(get(exact + then)).size(), 5u);
    const Response future = get(maps + "?resourceVersion=" + std::to_string(store.revision() + 9));
    EXPECT_EQ(future.status, 504);
    EXPECT_EQ(text_at(future.body, "details.causes"), "");
    EXPECT_EQ(text_at(find_array(future.body, "details.causes")->front().as_object(), "reason"),
              "ResourceVersionTooLarge");
}

TEST_F(ApiLists, ReturnOnlyMetadataIfRequested) {
    accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    const Response response = get(maps);
    EXPECT_EQ(text_at(response.body, "kind"), "PartialObjectMetadataList");
    EXPECT_EQ(text_at(response.body, "apiVersion"), "meta.k8s.io/v1");
    const json::object& first = response.body.at("items").as_array().front().as_object();
    EXPECT_EQ(text_at(first, "kind"), "PartialObjectMetadata");
    EXPECT_EQ(text_at(first, "metadata.labels.all"), "yes");
}

TEST_F(ApiLists, RejectUnsupportedMediaTypes) {
    accept = "application/vnd.kubernetes.protobuf";
    EXPECT_EQ(get(maps).status, 406);
    accept = "application/vnd.kubernetes.protobuf,application/json";
    EXPECT_EQ(get(maps).status, 200);
}

TEST_F(ApiLists, ReturnNotFoundForUnknownResources) {
    for (const char* path : {"/api/v1/widgets", "/apis/apps/v1/pods", "/apis/apps/v2/deployments",
                             "/api/v1/namespaces/default/nodes", "/nonsense"}) {
        const Response response = get(path);
        EXPECT_EQ(response.status, 404) << path;
        EXPECT_EQ(text_at(response.body, "kind"), "Status") << path;
    }
}

}  // namespace
}  // namespace capstan::simulator::api_server
