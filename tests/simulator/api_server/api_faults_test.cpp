#include "simulator/api_server/api_faults.hpp"

#include "api_server_fixture.hpp"
#include "simulator/api_server/local_http_client.hpp"

namespace capstan::simulator::api_server {
namespace {

ApiRequest request(const std::string& method, const std::string& target) {
    return parse_request({.method = method, .target = target}).value();
}

TEST(ApiFaults, ApplyOnlyToMatchingRequests) {
    const std::string node = "/api/v1/nodes/n1";
    const std::string pod = "/api/v1/namespaces/s/pods/p/eviction";
    struct Case {
        ApiFault fault;
        std::string method, target;
        bool applies;
    };
    const Case cases[] = {
        {{}, "GET", node, true},
        {{.verb = "patch"}, "PATCH", node, true},
        {{.verb = "patch"}, "GET", node, false},
        {{.resource = "nodes", .name = "n1"}, "GET", node, true},
        {{.resource = "nodes", .name = "n2"}, "GET", node, false},
        {{.subresource = "eviction", .space = "s"}, "POST", pod, true},
        {{.subresource = "eviction", .space = "t"}, "POST", pod, false},
        {{.verb = "watch"}, "GET", "/api/v1/nodes?watch=1", true},
        {{.resource = "deployments.apps"}, "GET", "/apis/apps/v1/deployments", true},
    };
    for (const Case& c : cases) {
        ApiFaults faults;
        faults.add(c.fault);
        EXPECT_EQ(faults.take(request(c.method, c.target)).has_value(), c.applies) << c.target;
    }
}

TEST(ApiFaults, ApplyAsManyTimesAsConfigured) {
    ApiFaults faults;
    faults.add({.status = 500, .times = 2});
    const ApiRequest any = request("GET", "/api/v1/nodes");
    EXPECT_TRUE(faults.take(any));
    EXPECT_TRUE(faults.take(any));
    EXPECT_FALSE(faults.take(any));
    faults.add({.status = 500, .times = std::nullopt});
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(faults.take(any));
    faults.clear();
    EXPECT_FALSE(faults.take(any));
    EXPECT_EQ(faults.taken(), 22u);
}

TEST(ApiFaults, SkipTheConfiguredNumberOfRequests) {
    ApiFaults faults;
    faults.add({.verb = "patch", .skip = 2, .status = 500});
    const ApiRequest patch = request("PATCH", "/api/v1/nodes/n1");
    const ApiRequest get = request("GET", "/api/v1/nodes/n1");
    EXPECT_FALSE(faults.take(patch));
    EXPECT_FALSE(faults.take(get)) << "other verb";
    EXPECT_FALSE(faults.take(patch));
    EXPECT_TRUE(faults.take(patch)) << "third PATCH request";
    EXPECT_FALSE(faults.take(patch));
    EXPECT_EQ(faults.taken(), 1u);
}

TEST(ApiFaults, ParseAndSerializeToTheSameObject) {
    const json::object written = parsed(R"({"verb":"patch","resource":"nodes","skip":4,"status":429,
        "retryAfterSeconds":1,"delayMs":5,"cut":true,"carriedOut":true,"spoil":"torn","afterEvents":3,"lagMs":7,"times":2})");
    const auto fault = parse_fault(written);
    ASSERT_TRUE(fault) << fault.error();
    EXPECT_EQ(fault_object(*fault), written);
    for (const char* bad :
         {R"({"color":"red"})", R"({"status":"429"})", R"({"cut":1})", R"({"spoil":"rotten"})"})
        EXPECT_FALSE(parse_fault(parsed(bad))) << bad;
    EXPECT_FALSE(parse_fault(parsed(R"({"times":0})"))->times) << "0: until the fault is removed";
}

TEST_F(ApiServerTest, ExecutesADelayedRequestAtOnceIfConfigured) {
    LocalHttpClient http(server, loop);
    int status = 0;
    const auto create = [&](ApiFault fault, const std::string& name) {
        status = 0;
        server.faults().add(fault);
        HttpRequest request("POST", "http://x/api/v1/nodes");
        request.body = R"({"metadata":{"name":")" + name + R"("}})";
        http.send(request,
                  [&](const Result<HttpReply>& reply) { status = reply ? reply->status : 1; });
        loop.settle();
        return store.find(store.kind("nodes"), "", name) != nullptr;
    };
    EXPECT_FALSE(create({.delay = std::chrono::seconds(9)}, "late"));
    EXPECT_TRUE(
        create({.delay = std::chrono::seconds(9), .is_carried_out = true}, "answered-late"));
    EXPECT_EQ(status, 0);
    loop.advance(std::chrono::seconds(9));
    EXPECT_EQ(status, 201);
    EXPECT_NE(store.find(store.kind("nodes"), "", "late"), nullptr);
    EXPECT_TRUE(create({.spoil = ResponseCorruption::silence}, "silent"));
    EXPECT_EQ(status, 0);
}

TEST_F(ApiServerTest, AcceptsFaultsOverItsAdminEndpoint) {
    EXPECT_EQ(send("POST", "/capstan/faults", R"({"status":500})").status, 200);
    EXPECT_EQ(find_array(get("/capstan/faults").body, "faults")->size(), 1u);
    EXPECT_EQ(send("POST", "/capstan/faults", R"({"statuss":500})").status, 400);
    EXPECT_TRUE(find_array(send("DELETE", "/capstan/faults").body, "faults")->empty());
    const std::uint64_t then = store.revision();
    run_pod("p");
    send("POST", "/capstan/faults/compact");
    EXPECT_EQ(store.list_at(store.kind("pods"), "", then).error().code, 410);
}

}  // namespace
}  // namespace capstan::simulator::api_server
