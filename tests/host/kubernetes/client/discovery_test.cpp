#include "kubernetes/client/discovery.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scripted_api.hpp"

namespace capstan::kubernetes::client {
namespace {

using namespace std::chrono_literals;

constexpr const char* aggregated = R"({"kind":"APIGroupDiscoveryList","items":[
  {"metadata":{"name":"apps"},"versions":[{"version":"v1","resources":[
    {"resource":"deployments","responseKind":{"kind":"Deployment"},"scope":"Namespaced",
     "subresources":[{"subresource":"scale"},{"subresource":"status"}]},
    {"resource":"controllerrevisions","responseKind":{"kind":"ControllerRevision"},
     "scope":"Namespaced"}]}]},
  {"metadata":{"name":"example.com"},"versions":[
    {"version":"v2","resources":[{"resource":"fleets","responseKind":{"kind":"Fleet"},
     "scope":"Cluster"}]},
    {"version":"v1","resources":[{"resource":"fleets","responseKind":{"kind":"Fleet"},
     "scope":"Cluster"}]}]}]})";

struct KindDiscovery : ::testing::Test {
    boost::asio::io_context io;
    io::ManualLoop loop{io, std::make_shared<io::ManualClock>()};
    ScriptedApi api{loop};
    Discovery discovery{api, loop};
    std::vector<std::string> seen;

    void resolve(const std::string& api_version, const std::string& kind) {
        discovery.resolve({api_version, kind}, [this](const Result<ServedKind>& found) {
            seen.push_back(found ? found->group + "/" + found->version + "/" + found->plural +
                                       (found->has_namespace ? " in namespaces" : "") +
                                       (found->has_scale ? " with scale" : "")
                                 : std::string(name_of(found.error().code)));
        });
        loop.settle();
    }
    std::string last() const { return seen.empty() ? "" : seen.back(); }
};

TEST_F(KindDiscovery, ReadsAllGroupsWithOneRequest) {
    resolve("apps/v1", "Deployment");
    EXPECT_EQ(api.first().line(), "GET /apis");
    EXPECT_NE(api.first().request.accept.find("v=v2;as=APIGroupDiscoveryList"), std::string::npos);
    api.answer({.body = aggregated});
    EXPECT_EQ(last(), "apps/v1/deployments in namespaces with scale");
    resolve("apps/v1", "ControllerRevision");
    EXPECT_EQ(last(), "apps/v1/controllerrevisions in namespaces");
    resolve("example.com/v1", "Fleet");
    EXPECT_EQ(last(), "example.com/v1/fleets");
    EXPECT_EQ(api.asked().size(), 1u);
}

TEST_F(KindDiscovery, SharesARequestAmongCallers) {
    resolve("apps/v1", "Deployment");
    resolve("apps/v1", "Typo");
    EXPECT_EQ(api.open_count(), 1u);
    api.answer({.body = aggregated});
    EXPECT_EQ(seen, (std::vector<std::string>{"apps/v1/deployments in namespaces with scale",
                                              "not_found"}));
}

TEST_F(KindDiscovery, ReadsAgainForAMissingKindAfterTenSeconds) {
    resolve("new.example.com/v1", "Fresh");
    api.answer({.body = aggregated});
    EXPECT_EQ(last(), "not_found");
    loop.advance(9s);
    resolve("new.example.com/v1", "Fresh");
    EXPECT_EQ(api.open_count(), 0u);
    EXPECT_EQ(seen.size(), 2u);
    loop.advance(1s);
    resolve("new.example.com/v1", "Fresh");
    api.answer({.body = R"({"kind":"APIGroupDiscoveryList","items":[{"metadata":
        {"name":"new.example.com"},"versions":[{"version":"v1","resources":[{"resource":"freshes",
        "responseKind":{"kind":"Fresh"},"scope":"Namespaced"}]}]}]})"});
    EXPECT_EQ(last(), "new.example.com/v1/freshes in namespaces");
    loop.advance(10s);
    resolve("apps/v1", "Deployment");
    EXPECT_EQ(api.open_count(), 1u) << "no longer served";
}

TEST_F(KindDiscovery, ReadsAgainAfterFiveMinutes) {
    resolve("example.com/v1", "Fleet");
    api.answer({.body = aggregated});
    EXPECT_EQ(last(), "example.com/v1/fleets");
    loop.advance(5min - 1s);
    resolve("example.com/v1", "Fleet");
    EXPECT_EQ(api.open_count(), 0u);
    loop.advance(1s);
    resolve("example.com/v1", "Fleet");
    api.answer(refusal(500, "InternalError"));
    EXPECT_EQ(last(), "example.com/v1/fleets") << "still known";
    resolve("example.com/v1", "Fleet");
    api.answer({.body = R"({"kind":"APIGroupDiscoveryList","items":[{"metadata":
        {"name":"example.com"},"versions":[{"version":"v1","resources":[{"resource":"fleets",
        "responseKind":{"kind":"Fleet"},"scope":"Cluster","subresources":
        [{"subresource":"scale"}]}]}]}]})"});
    EXPECT_EQ(last(), "example.com/v1/fleets with scale");
}

TEST_F(KindDiscovery, ReadsGroupVersionsOneByOneFromOlderServers) {
    resolve("", "ReplicationController");
    EXPECT_EQ(api.first().line(), "GET /api");
    api.answer({.body = R"({"kind":"APIVersions","versions":["v1"]})"});
    EXPECT_EQ(api.first().line(), "GET /api/v1");
    api.answer({.body = R"({"kind":"APIResourceList","resources":[
        {"name":"replicationcontrollers","kind":"ReplicationController","namespaced":true},
        {"name":"replicationcontrollers/scale","kind":"Scale","namespaced":true},
        {"name":"nodes","kind":"Node","namespaced":false}]})"});
    EXPECT_EQ(last(), "/v1/replicationcontrollers in namespaces with scale");
    resolve("v1", "Node");
    EXPECT_EQ(last(), "/v1/nodes");

    resolve("apps/v1", "Deployment");
    api.answer({.body = R"({"kind":"APIGroupList","groups":[{"name":"apps","versions":[
        {"version":"v1beta1"},{"version":"v1"}],"preferredVersion":{"version":"v1"}}]})"});
    EXPECT_EQ(api.first().line(), "GET /apis/apps/v1");
    api.answer({.body = R"({"resources":[{"name":"deployments","kind":"Deployment",
        "namespaced":true}]})"});
    EXPECT_EQ(api.first().line(), "GET /apis/apps/v1beta1");
    api.answer(refusal(503, "ServiceUnavailable"));
    EXPECT_EQ(last(), "apps/v1/deployments in namespaces");
}

TEST_F(KindDiscovery, KeepsKnownKindsOfAnUnavailableVersion) {
    const char* groups = R"({"kind":"APIGroupList","groups":[{"name":"apps","versions":[
        {"version":"v1"}],"preferredVersion":{"version":"v1"}}]})";
    resolve("apps/v1", "Deployment");
    api.answer({.body = groups});
    api.answer({.body = R"({"resources":[{"name":"deployments","kind":"Deployment",
        "namespaced":true}]})"});
    loop.advance(5min);
    resolve("apps/v1", "Deployment");
    api.answer({.body = groups});
    api.answer(refusal(503, "ServiceUnavailable"));
    EXPECT_EQ(last(), "apps/v1/deployments in namespaces");
}

TEST_F(KindDiscovery, FallsBackToUnaggregatedDiscovery) {
    resolve("apps/v1", "Deployment");
    api.answer(refusal(406, "NotAcceptable"));
    EXPECT_EQ(api.first().request.accept, "application/json");
    api.answer({.body = R"({"kind":"APIGroupList","groups":[]})"});
    EXPECT_EQ(last(), "not_found");
}

TEST_F(KindDiscovery, DistinguishesServerErrorsFromMissingKinds) {
    const std::vector<std::pair<Answer, std::string>> cases{
        {refusal(401, "Unauthorized"), "unauthenticated"},
        {refusal(403, "Forbidden"), "permission"},
        {refusal(429, "TooManyRequests"), "throttled"},
        {refusal(500, "InternalError"), "unavailable"},
        {{.body = "<html>"}, "unavailable"}};
    for (const auto& [answer, expected] : cases) {
        SCOPED_TRACE(expected);
        resolve("apps/v1", "Deployment");
        api.answer(answer);
        EXPECT_EQ(last(), expected);
        EXPECT_EQ(api.open_count(), 0u);
    }
}

}  // namespace
}  // namespace capstan::kubernetes::client
