#include "kubernetes/client/writes/scale.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../scripted_api.hpp"

namespace capstan::kubernetes::client {
namespace {

using boost::json::parse;

struct ScalesTest : ::testing::Test {
    boost::asio::io_context io;
    io::ManualLoop loop{io, std::make_shared<io::ManualClock>()};
    ScriptedApi api{loop};
    Discovery discovery{api, loop};
    std::optional<Scales> scales{std::in_place, api, loop, discovery};
    std::optional<Result<Scale>> outcome;
    Scales::Done note = [this](Result<Scale> result) { outcome = std::move(result); };
    const ScaleTarget web{{"apps/v1", "Deployment"}, "shop", "web"};

    void discover() {
        loop.settle();
        api.answer({.body = R"({"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":"apps"},
            "versions":[{"version":"v1","resources":[
            {"resource":"deployments","responseKind":{"kind":"Deployment"},"scope":"Namespaced",
             "subresources":[{"subresource":"scale"}]},
            {"resource":"daemonsets","responseKind":{"kind":"DaemonSet"},"scope":"Namespaced"}
            ]}]}]})"});
    }
};

TEST_F(ScalesTest, ReadsReplicas) {
    scales->read(web, note);
    discover();
    EXPECT_EQ(api.first().line(), "GET /apis/apps/v1/namespaces/shop/deployments/web/scale");
    api.answer({.body = R"({"kind":"Scale","metadata":{"resourceVersion":"7"},
        "spec":{"replicas":3},"status":{"replicas":2,"selector":"app=web"}})"});
    EXPECT_EQ(outcome.value().value(), (Scale{3, 2, "app=web", "7"}));
    scales->read(web, note);
    loop.settle();
    api.answer(
        {.body = R"({"metadata":{"resourceVersion":"8"},"spec":{},"status":{"replicas":0}})"});
    EXPECT_EQ(outcome.value().value(), (Scale{0, 0, "", "8"}));
}

TEST_F(ScalesTest, WritesTheVersionThatWasRead) {
    scales->write(web, 0, "7", note);
    discover();
    EXPECT_EQ(api.first().line(), "PATCH /apis/apps/v1/namespaces/shop/deployments/web/scale");
    EXPECT_EQ(api.first().request.content_type, "application/merge-patch+json");
    EXPECT_EQ(api.first().json(),
              parse(R"({"metadata":{"resourceVersion":"7"},"spec":{"replicas":0}})"));
    api.answer(refusal(409, "Conflict"));
    EXPECT_EQ(outcome->error().code, ErrorCode::conflict);
    scales->write(web, 5, "", note);
    loop.settle();
    EXPECT_EQ(api.first().json(), parse(R"({"spec":{"replicas":5}})"));
    api.answer({.body = R"({"spec":{"replicas":5}})"});
    EXPECT_EQ(outcome.value()->wanted, 5);
}

TEST_F(ScalesTest, ReportsUnscalableAndUnknownKinds) {
    scales->read({{"apps/v1", "DaemonSet"}, "shop", "web"}, note);
    discover();
    EXPECT_EQ(outcome->error().code, ErrorCode::unsupported);
    scales->read({{"apps/v1", "Typo"}, "shop", "web"}, note);
    loop.settle();
    EXPECT_EQ(outcome->error().code, ErrorCode::not_found);
    EXPECT_NE(outcome->error().message.find("scale of Typo shop/web: "), std::string::npos);
    EXPECT_EQ(api.open_count(), 0u);
}

TEST_F(ScalesTest, ReturnsOtherErrorsOfTheServer) {
    const std::vector<std::pair<int, ErrorCode>> cases{
        {401, ErrorCode::unauthenticated}, {403, ErrorCode::permission},
        {404, ErrorCode::not_found},       {422, ErrorCode::invalid_argument},
        {429, ErrorCode::throttled},       {500, ErrorCode::unavailable}};
    scales->read(web, note);
    discover();
    for (const auto& [status, expected] : cases) {
        SCOPED_TRACE(status);
        api.answer(refusal(status, "Whatever"));
        EXPECT_EQ(outcome->error().code, expected);
        scales->write(web, 1, "", note);
        loop.settle();
    }
}

TEST_F(ScalesTest, CallsNoCallbackAfterItsEnd) {
    scales->read(web, note);
    scales.reset();
    discover();
    EXPECT_FALSE(outcome);
    EXPECT_EQ(api.open_count(), 0u);
}

}  // namespace
}  // namespace capstan::kubernetes::client
