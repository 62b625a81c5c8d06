#include "kubernetes/client/cluster_actions/evictions.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../scripted_api.hpp"

namespace capstan::kubernetes::client {
namespace {

using namespace std::chrono_literals;
using boost::json::parse;

struct EvictionsTest : ::testing::Test {
    boost::asio::io_context io;
    io::ManualLoop loop{io, std::make_shared<io::ManualClock>()};
    ScriptedApi api{loop};
    Evictions evictions{api, loop};
    std::optional<Result<void>> outcome;

    void evict(engine::Eviction what = {.ns = "shop", .pod = "web", .uid = "u1"}) {
        outcome.reset();
        evictions.evict(what, [this](Result<void> result) { outcome = std::move(result); });
    }
    ErrorCode code() const { return outcome.value().error().code; }
};

TEST_F(EvictionsTest, SendsUidAndGracePeriod) {
    evict({.ns = "shop", .pod = "web", .uid = "u1", .grace = 30500ms});
    EXPECT_EQ(api.first().line(), "POST /api/v1/namespaces/shop/pods/web/eviction");
    EXPECT_EQ(api.first().json(), parse(R"({"apiVersion":"policy/v1","kind":"Eviction",
        "metadata":{"name":"web","namespace":"shop"},
        "deleteOptions":{"gracePeriodSeconds":31,"preconditions":{"uid":"u1"}}})"));
    api.answer({.status = 201, .body = R"({"kind":"Status","status":"Success"})"});
    EXPECT_TRUE(outcome.value().has_value());
}

TEST_F(EvictionsTest, OmitsTheGracePeriodIfUnset) {
    evict({.ns = "shop", .pod = "web"});
    EXPECT_FALSE(api.first().json().as_object().contains("deleteOptions"));
}

TEST_F(EvictionsTest, DistinguishesABudgetFromThrottling) {
    evict();
    api.answer(refusal(429, "TooManyRequests",
                       "Cannot evict pod as it would violate the pod's disruption budget.",
                       {{"reason", "DisruptionBudget"},
                        {"message",
                         "The disruption budget web-pdb needs 2 healthy pods and has "
                         "2 currently"}}));
    EXPECT_EQ(code(), ErrorCode::throttled);
    EXPECT_EQ(outcome->error().provider_code, "DisruptionBudget");
    EXPECT_EQ(outcome->error().subject, "shop/web-pdb");
    EXPECT_NE(outcome->error().message.find("needs 2 healthy pods"), std::string::npos);

    evict();
    Answer busy = refusal(429, "TooManyRequests", "too many requests, please try again later");
    busy.retry_after = 1s;
    api.answer(busy);
    EXPECT_EQ(code(), ErrorCode::throttled);
    EXPECT_EQ(outcome->error().provider_code, "TooManyRequests");
    EXPECT_EQ(outcome->error().subject, "");
    EXPECT_EQ(outcome->error().retry_after, Duration(1s));
    loop.advance(1h);
    EXPECT_EQ(api.asked().size(), 2u) << "not retried";
}

TEST_F(EvictionsTest, ReportsTwoBudgetsAsUnsupported) {
    evict();
    api.answer(refusal(500, "InternalError",
                       "This pod has more than one PodDisruptionBudget, which the eviction "
                       "subresource does not support."));
    EXPECT_EQ(code(), ErrorCode::unsupported);
    EXPECT_NE(outcome->error().message.find("evict pod shop/web"), std::string::npos);
}

TEST_F(EvictionsTest, TreatsAPodWithAnotherUidAsGone) {
    struct Case {
        int refused;
        Answer pod;
        ErrorCode expected;
    };
    const std::vector<Case> cases{
        {409, {.body = R"({"metadata":{"uid":"u2"}})"}, ErrorCode::not_found},
        {422, {.body = R"({"metadata":{"uid":"u2"}})"}, ErrorCode::not_found},
        {409, {.status = 404}, ErrorCode::not_found},
        {409, {.body = R"({"metadata":{"uid":"u1"}})"}, ErrorCode::conflict},
        {422, {.body = R"({"metadata":{"uid":"u1"}})"}, ErrorCode::invalid_argument},
        {409, {.status = 403}, ErrorCode::conflict},
        {409, {.body = "?"}, ErrorCode::conflict},
    };
    for (const Case& each : cases) {
        SCOPED_TRACE(std::to_string(each.refused) + " then " + each.pod.body);
        evict();
        api.answer(refusal(each.refused, "Conflict", "Precondition failed"));
        EXPECT_EQ(api.first().line(), "GET /api/v1/namespaces/shop/pods/web");
        api.answer(each.pod);
        EXPECT_EQ(code(), each.expected);
    }
}

TEST_F(EvictionsTest, ReturnsOtherErrorsOfTheServer) {
    const std::vector<std::pair<int, ErrorCode>> cases{
        {401, ErrorCode::unauthenticated}, {403, ErrorCode::permission},
        {404, ErrorCode::not_found},       {500, ErrorCode::unavailable},
        {503, ErrorCode::unavailable},     {504, ErrorCode::unavailable}};
    for (const auto& [status, expected] : cases) {
        SCOPED_TRACE(status);
        evict();
        api.answer(refusal(status, "Whatever"));
        EXPECT_EQ(code(), expected);
        EXPECT_EQ(api.open_count(), 0u);
    }
}

}  // namespace
}  // namespace capstan::kubernetes::client
