#include <capstan/http.hpp>

#include <cstdint>
#include <string>
#include <utility>

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
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr auto url = "https://api.example/groups";

Task<HttpReply> ask_http(Host host, HttpRequest request) {
    co_return co_await capstan::send(host, std::move(request));
}

TEST(Http, ReturnsTheWholeReply) {
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
    EXPECT_THAT(got->trailers, IsEmpty());
}

TEST(Http, ReturnsTrailers) {
    FakeHost host;
    host.http().on("POST", url, reply(200, "body", {{"grpc-status", "1"}}, {{"grpc-status", "0"}}));
    const Result<HttpReply> got = run(host, ask_http(host.host(), {"POST", url}));
    ASSERT_TRUE(got);
    EXPECT_EQ(got->trailer("grpc-status"), "0");
    EXPECT_EQ(got->header("grpc-status"), "1");
    EXPECT_EQ(got->trailer("grpc-message"), "");
}

TEST(Http, SendsItsFlags) {
    FakeHost host;
    const std::pair<HttpRequest, std::uint64_t> cases[] = {
        {HttpRequest("GET", url), 0},
        {HttpRequest("GET", url).direct(), CAPSTAN_HTTP_DIRECT},
        {HttpRequest("GET", url).http2().path_as_is(), CAPSTAN_HTTP_2 | CAPSTAN_HTTP_PATH_AS_IS},
        {HttpRequest("GET", "http://api.example/").http2_prior_knowledge(),
         CAPSTAN_HTTP_2_PRIOR_KNOWLEDGE},
    };
    for (const auto& [request, flags] : cases) {
        host.http().on("GET", request.url, reply(200));
        EXPECT_TRUE(run(host, ask_http(host.host(), request)));
        EXPECT_EQ(host.http().requests().back().flags, flags);
    }
}

TEST(Http, RejectsFlagsThatDoNotFitTheScheme) {
    FakeHost host;
    HttpRequest unknown("GET", url);
    unknown.flags = std::uint64_t{1} << 40;
    for (const HttpRequest& request : {HttpRequest("GET", "http://api.example/").http2(),
                                       HttpRequest("GET", url).http2_prior_knowledge(), unknown}) {
        host.http().always("GET", request.url, reply(200));
        EXPECT_EQ(run(host, ask_http(host.host(), request)).error().code,
                  ErrorCode::invalid_argument);
    }
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

TEST(Http, ReportsTheErrorOfTheHost) {
    FakeHost host;
    host.http().on("GET", url, capstan::Error{ErrorCode::unavailable, "connection refused"});
    EXPECT_EQ(run(host, ask_http(host.host(), {"GET", url})),
              capstan::fail(ErrorCode::unavailable, "connection refused"));
}

TEST(Http, ReportsWhyTheHostRejectedARequest) {
    FakeHost host;
    host.http().grant("other.example");
    const Result<HttpReply> got =
        run(host, ask_http(host.host(), {"GET", std::string(url) + "?signature=secret"}));
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, ErrorCode::permission);
    EXPECT_EQ(got.error().message,
              "HTTP GET https://api.example/groups: api.example is not granted: add grants = { "
              "http = [\"api.example\"] }");
}

TEST(Http, ReportsTooManyWaitingRequests) {
    FakeHost host;
    host.http().on("GET", url, reply(200));
    host.overload(CAPSTAN_SERVICE_HTTP);
    EXPECT_EQ(run(host, ask_http(host.host(), {"GET", url})).error().code, ErrorCode::busy);
    host.overload(CAPSTAN_SERVICE_HTTP, false);
    EXPECT_TRUE(run(host, ask_http(host.host(), {"GET", url}))) << "the reply is still there";
}

TEST(Http, IsAPermissionErrorWithoutTheService) {
    FakeHost host;
    host.withhold(CAPSTAN_SERVICE_HTTP);
    EXPECT_EQ(
        run(host, ask_http(host.host(), {"GET", "https://api.example/?token=secret"})),
        capstan::fail(ErrorCode::permission,
                      "HTTP GET https://api.example/: this host does not provide capstan.http/1"));
}

TEST(Http, LimitsTheTimeoutToTheTimeOfTheOperation) {
    FakeHost host;
    host.http().on({.url = url, .reply = reply(200), .latency = 1min});
    const auto before = host.monotonic();
    const Result<HttpReply> got = run(host, ask_http(host.host(), {"GET", url}), 10s);
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, ErrorCode::deadline);
    EXPECT_EQ(host.monotonic() - before, 10s);
}

TEST(Http, NeverSendsZeroAsATimeout) {
    FakeHost host;
    host.http().on("GET", url, reply(200)).on("GET", url, reply(200));
    ASSERT_TRUE(run(host, ask_http(host.host(), HttpRequest("GET", url).within(10us))));
    ASSERT_TRUE(run(host, ask_http(host.host(), HttpRequest("GET", url).within(24h * 365))));
    EXPECT_EQ(host.http().requests()[0].timeout, 1ms);
    EXPECT_GT(host.http().requests()[1].timeout, 24h * 20);
}

TEST(Http, FailsWhenTheInstanceStops) {
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
