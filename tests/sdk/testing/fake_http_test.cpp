// FakeHttp::handle: a function of the test answers requests, for example like a stateful cloud.
#include <capstan/testing/fake_http.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/testing/fake_host.hpp>
#include <capstan/testing/run_task.hpp>

namespace {

using namespace std::chrono_literals;
using capstan::ErrorCode;
using capstan::HttpReply;
using capstan::HttpRequest;
using capstan::Task;
using capstan::testing::delayed;
using capstan::testing::dropped;
using capstan::testing::FakeHost;
using capstan::testing::FakeHttp;
using capstan::testing::HttpOutcome;
using capstan::testing::reply;
using capstan::testing::run;
using ::testing::ElementsAre;

Task<std::string> body_of(capstan::Host host, HttpRequest request) {
    co_return (co_await capstan::send(host, std::move(request))).body;
}

/// Counts requested servers; each is listed half a minute later.
class FakeServers {
public:
    explicit FakeServers(FakeHost& host) : host_(host) {}
    HttpOutcome respond(const HttpRequest& request) {
        if (FakeHttp::target(request.url) != "/servers") return reply(404);
        if (request.method == "POST") {
            made_.push_back(host_.monotonic());
            return delayed(2s, reply(201));
        }
        const auto old = std::count_if(made_.begin(), made_.end(), [this](auto made) {
            return host_.monotonic() - made >= 30s;
        });
        return reply(200, std::to_string(old));
    }
    std::size_t made() const { return made_.size(); }

private:
    FakeHost& host_;
    std::vector<capstan::Duration> made_;
};

TEST(FakeHttpHandler, CanBeAStatefulCloudOnVirtualTime) {
    FakeHost host;
    FakeServers servers(host);
    host.http().handle([&](const HttpRequest& request) { return servers.respond(request); });
    constexpr auto url = "https://api.example/servers";
    const auto before = host.monotonic();
    EXPECT_TRUE(run(host, body_of(host.host(), {"POST", url})));
    EXPECT_EQ(host.monotonic() - before, 2s);
    EXPECT_EQ(run(host, body_of(host.host(), {"GET", url})), "0");
    host.advance(30s);
    EXPECT_EQ(run(host, body_of(host.host(), {"GET", url})), "1");
}

TEST(FakeHttpHandler, HandlesRequestsWithoutAnArrangedReply) {
    FakeHost host;
    host.http()
        .on("GET", "https://api.example/a", reply(200, "arranged"))
        .handle([](const HttpRequest& request) { return reply(200, request.url); });
    EXPECT_EQ(run(host, body_of(host.host(), {"GET", "https://api.example/a"})), "arranged");
    EXPECT_EQ(run(host, body_of(host.host(), {"GET", "https://api.example/a"})),
              "https://api.example/a");
}

TEST(FakeHttpHandler, CanHandleARequestAndLoseTheReply) {
    FakeHost host;
    FakeServers servers(host);
    host.http().handle([&](const HttpRequest& request) {
        servers.respond(request);
        return dropped(1s);
    });
    const auto lost = run(host, body_of(host.host(), {"POST", "https://api.example/servers"}));
    EXPECT_EQ(lost.error().message,
              "HTTP POST https://api.example/servers: the connection was lost");
    EXPECT_EQ(lost.error().provider_code, "connection_lost");
    EXPECT_EQ(servers.made(), 1u);
}

TEST(FakeHttpHandler, CanBeTooSlowOrNeverRespond) {
    FakeHost host;
    host.http().handle([](const HttpRequest& request) -> HttpOutcome {
        if (request.method == "PUT") return capstan::testing::unanswered();
        return delayed(1min, reply(200));
    });
    for (const char* method : {"GET", "PUT"}) {
        const auto before = host.monotonic();
        HttpRequest request(method, "https://api.example/");
        const auto late = run(host, body_of(host.host(), std::move(request.within(10s))));
        EXPECT_EQ(late.error().code, ErrorCode::deadline) << method;
        EXPECT_EQ(host.monotonic() - before, 10s) << method;
    }
}

TEST(FakeHttpHandler, FailsTheRequestIfItThrows) {
    FakeHost host;
    host.http().handle(
        [](const HttpRequest&) -> HttpOutcome { throw std::runtime_error("no such page"); });
    EXPECT_EQ(run(host, body_of(host.host(), {"GET", "https://api.example/"})).error().message,
              "HTTP GET https://api.example/: the test's handler: no such page");
}

TEST(FakeHttpHandler, IsNotCalledForAHostThatIsNotGranted) {
    FakeHost host;
    int calls = 0;
    host.http().grant("api.example").handle([&](const HttpRequest&) {
        ++calls;
        return reply(200);
    });
    EXPECT_EQ(run(host, body_of(host.host(), {"GET", "https://other.example/"})).error().code,
              ErrorCode::permission);
    EXPECT_EQ(calls, 0);
    EXPECT_EQ(host.http().requests().size(), 1u);
}

TEST(FakeHttp, FindsTheTargetOfAUrl) {
    EXPECT_EQ(FakeHttp::target("https://user@api.example:8443/a/b?c=/d#e"), "/a/b?c=/d");
    EXPECT_EQ(FakeHttp::target("http://api.example?a"), "?a");
    EXPECT_EQ(FakeHttp::target("http://api.example"), "");
    EXPECT_EQ(FakeHttp::target("/relative"), "");
}

}  // namespace
