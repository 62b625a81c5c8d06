#include <capstan/http.hpp>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/testing/fake_host.hpp>
#include <capstan/testing/run_task.hpp>

namespace {

using namespace std::chrono_literals;
using capstan::ErrorCode;
using capstan::Host;
using capstan::HttpReply;
using capstan::HttpRequest;
using capstan::Result;
using capstan::Task;
using capstan::testing::FakeHost;
using capstan::testing::reply;
using capstan::testing::run;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr auto url = "https://api.example/groups";

Task<HttpReply> ask_http(Host host, HttpRequest request) {
    co_return co_await capstan::send(host, std::move(request));
}

TEST(Http, BringsTheWholeReplyBack) {
    FakeHost host;
    host.http().on(
        "GET", url,
        reply(404, "no such group", {{"content-type", "text/plain"}, {"x-request-id", "7"}}));
    const Result<HttpReply> got = run(host, ask_http(host.host(), {"GET", url}));
    ASSERT_TRUE(got);
    EXPECT_EQ(got->status, 404);
    EXPECT_EQ(got->body, "no such group");
    EXPECT_EQ(got->header("x-request-id"), "7");
    EXPECT_EQ(got->header("etag"), "");
}

TEST(Http, SendsMethodHeadersAndBody) {
    FakeHost host;
    host.http().on("POST", url, reply(201));
    const auto create = [](Host h) -> Task<int> {
        const HttpReply r = co_await capstan::send(
            h,
            HttpRequest("POST", url).header("a", "1").header("b", "2").with_body("{}").within(2s));
        co_return r.status;
    };
    EXPECT_EQ(run(host, create(host.host())), 201);
    ASSERT_EQ(host.http().requests().size(), 1u);
    const HttpRequest& sent = host.http().requests().front();
    EXPECT_EQ(sent.method, "POST");
    EXPECT_THAT(sent.headers, ElementsAre(Pair("a", "1"), Pair("b", "2")));
    EXPECT_EQ(sent.body, "{}");
    EXPECT_EQ(sent.timeout, 2s);
}

TEST(Http, GivesTheHostsErrorWhenNoReplyComes) {
    FakeHost host;
    host.http().on("GET", url, capstan::Error{ErrorCode::unavailable, "connection refused"});
    EXPECT_EQ(run(host, ask_http(host.host(), {"GET", url})),
              capstan::fail(ErrorCode::unavailable, "connection refused"));
}

TEST(Http, SaysWhatTheHostRefused) {
    FakeHost host;
    host.http().grant("other.example");
    const Result<HttpReply> got = run(host, ask_http(host.host(), {"GET", url}));
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, ErrorCode::permission);
    EXPECT_THAT(got.error().message, HasSubstr("HTTP GET https://api.example/groups"));
}

TEST(Http, IsAPermissionErrorWithoutTheService) {
    FakeHost host;
    host.withhold(CAPSTAN_SERVICE_HTTP);
    EXPECT_EQ(run(host, ask_http(host.host(), {"GET", url})).error().code, ErrorCode::permission);
}

TEST(Http, WaitsNoLongerThanTheOperationHasLeft) {
    FakeHost host;
    host.http().on({.url = url, .reply = reply(200), .latency = 1min});
    const auto before = host.monotonic();
    const Result<HttpReply> got = run(host, ask_http(host.host(), {"GET", url}), 10s);
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, ErrorCode::deadline);
    EXPECT_EQ(host.monotonic() - before, 10s);
}

TEST(Http, NeverAsksForTheDefaultTimeoutByAccident) {
    FakeHost host;
    host.http().on("GET", url, reply(200)).on("GET", url, reply(200));
    ASSERT_TRUE(run(host, ask_http(host.host(), HttpRequest("GET", url).within(10us))));
    ASSERT_TRUE(run(host, ask_http(host.host(), HttpRequest("GET", url).within(24h * 365))));
    EXPECT_EQ(host.http().requests()[0].timeout, 1ms);
    EXPECT_GT(host.http().requests()[1].timeout, 24h * 20);
}

TEST(Http, EndsWithAnErrorWhenTheInstanceStops) {
    FakeHost host;
    host.http().on({.url = url, .reply = reply(200), .latency = 5s});
    const auto operation = host.call<void>([&](capstan_op op) {
        const auto task = [](Host h) -> Task<void> { co_await capstan::send(h, {"GET", url}); };
        return capstan::detail::run_operation<void>(host.host(), op,
                                                    [&] { return task(host.host()); });
    });
    ASSERT_TRUE(host.stop());
    EXPECT_EQ(operation.result().error().code, ErrorCode::cancelled);
}

}  // namespace
