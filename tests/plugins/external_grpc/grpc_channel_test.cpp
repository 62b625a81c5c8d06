#include "grpc_channel.hpp"

#include <gmock/gmock.h>

#include <capstan/testing/run_task.hpp>

#include "fake_server.hpp"

namespace capstan::external_grpc {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using testing::FakeHost;
using ::testing::HasSubstr;
using ::testing::Pair;
using testing::reply;
using testing::run;

struct Called {
    FakeHost host{};
    ServerAddress server{.url = server_url};

    Called& with(HttpReply response) {
        host.http().on("POST", std::string(server_url) + "/a.B/Do", std::move(response));
        return *this;
    }
    Result<std::string> call(Duration allowed = std::chrono::minutes(1)) {
        const GrpcChannel channel(host.host(), server, "a.B");
        return run(host, channel.call("Do", "ask"), allowed);
    }
    const HttpRequest& sent() { return host.http().requests().at(0); }
};

TEST(GrpcChannel, SendsAFramedMessageAndReadsTheReply) {
    Called c;
    EXPECT_EQ(c.with(grpc_reply("told")).call(), "told");
    EXPECT_EQ(c.sent().body, *frame_message("ask"));
    EXPECT_THAT(c.sent().headers,
                AllOf(Contains(Pair("content-type", "application/grpc+proto")),
                      Contains(Pair("te", "trailers")), Contains(Pair("grpc-timeout", "10000m"))));
}

TEST(GrpcChannel, SpeaksHttp2WithAndWithoutTls) {
    Called c;
    ASSERT_TRUE(c.with(grpc_reply("")).call());
    EXPECT_TRUE(c.sent().has(CAPSTAN_HTTP_2));
    Called plain;
    plain.server.url = "http://grpc.example:8086";
    plain.host.http().on("POST", "http://grpc.example:8086/a.B/Do", grpc_reply(""));
    ASSERT_TRUE(plain.call());
    EXPECT_TRUE(plain.sent().has(CAPSTAN_HTTP_2_PRIOR_KNOWLEDGE));
    EXPECT_FALSE(plain.sent().has(CAPSTAN_HTTP_2));
}

TEST(GrpcChannel, LimitsATimeoutToTheTimeOfTheOperation) {
    Called c;
    EXPECT_EQ(c.with(grpc_reply("")).call(std::chrono::milliseconds(1500)), "");
    EXPECT_THAT(c.sent().headers, Contains(Pair("grpc-timeout", "1500m")));
}

TEST(GrpcChannel, SendsTheConfiguredServerName) {
    Called c;
    c.server.authority = "cloud.internal";
    EXPECT_EQ(c.with(grpc_reply("")).call(), "");
    EXPECT_THAT(c.sent().headers, Contains(Pair("host", "cloud.internal")));
}

TEST(GrpcChannel, SendsTimeoutsInMillisecondsWithinBounds) {
    EXPECT_EQ(grpc_timeout(std::chrono::seconds(2)), "2000m");
    EXPECT_EQ(grpc_timeout(Duration(1)), "1m");
    EXPECT_EQ(grpc_timeout(Duration(-1)), "1m");
    EXPECT_EQ(grpc_timeout(std::chrono::hours(24 * 365)), "99999999m");
}

TEST(GrpcChannel, ReportsCodeAndMessageOfAFailure) {
    Called c;
    const auto result = c.with(grpc_failure(5, "no group %22web%22")).call();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::not_found);
    EXPECT_EQ(result.error().provider_code, "NOT_FOUND");
    EXPECT_EQ(result.error().message, "a.B/Do: NOT_FOUND \"no group \"web\"\"");
}

TEST(GrpcChannel, FailsIfATrailerAfterAMessageIsAnError) {
    Called c;
    EXPECT_EQ(c.with(grpc_reply("half", "14")).call().error().provider_code, "UNAVAILABLE");
}

TEST(GrpcChannel, RejectsAResponseThatIsNotGrpc) {
    const HttpHeaders grpc{{"content-type", "application/grpc"}};
    const auto with = [&](std::pair<std::string, std::string> more) {
        HttpHeaders out = grpc;
        out.push_back(std::move(more));
        return out;
    };
    struct Case {
        HttpReply reply;
        ErrorCode code;
        const char* why;
    };
    HttpHeaders compressed = with({"grpc-encoding", "gzip"});
    compressed.emplace_back("grpc-status", "0");
    const Case cases[] = {
        {reply(404, "not here"), ErrorCode::unavailable, "HTTP status 404"},
        {reply(401), ErrorCode::unauthenticated, "HTTP status 401"},
        {reply(403), ErrorCode::permission, "HTTP status 403"},
        {reply(429), ErrorCode::throttled, "HTTP status 429"},
        {reply(503), ErrorCode::unavailable, "HTTP status 503"},
        {reply(200, "<html>", {{"content-type", "text/html"}}), ErrorCode::unavailable,
         "text/html"},
        {reply(200, *frame_message("x"), grpc), ErrorCode::unavailable, "invalid grpc-status"},
        {reply(200, *frame_message("x"), with({"grpc-status", "fine"})), ErrorCode::unavailable,
         "\"fine\""},
        {reply(200, "", with({"grpc-status", "0"})), ErrorCode::unavailable, "no message"},
        {reply(200, *frame_message("x"), compressed), ErrorCode::unavailable, "gzip"},
    };
    for (const Case& c : cases) {
        const auto result = read_grpc_reply("a.B/Do", c.reply);
        ASSERT_FALSE(result) << c.why;
        EXPECT_EQ(result.error().code, c.code) << c.why;
        EXPECT_THAT(result.error().message, AllOf(HasSubstr("a.B/Do: "), HasSubstr(c.why)));
    }
}

TEST(GrpcChannel, FailsAtTheDeadlineIfTheServerHangs) {
    Called c;
    c.host.http().on({.method = "POST", .url = std::string(server_url) + "/a.B/Do"});
    const Duration before = c.host.monotonic();
    EXPECT_EQ(c.call().error().code, ErrorCode::deadline);
    EXPECT_EQ(c.host.monotonic() - before, c.server.timeout);
}

TEST(GrpcChannel, NamesTheCallOfAnInvalidMessage) {
    Called c;
    c.with(grpc_reply("\xff\xff"));
    const GrpcChannel channel(c.host.host(), c.server, "a.B");
    const auto result = run(c.host, channel.ask<wire::NodeGroup>("Do", wire::NodeGroup()));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().message, "a.B/Do: cannot read the response");
}

}  // namespace
}  // namespace capstan::external_grpc
