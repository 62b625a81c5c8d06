#include "kubernetes/client/access/api_client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../fake_network.hpp"
#include "kubernetes/client/api_status.hpp"

namespace capstan::kubernetes::client {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct RecordedAttempt {
    std::string line;
    Duration latency, waited;
};

struct ApiClientTest : ::testing::Test {
    boost::asio::io_context io;
    std::shared_ptr<io::ManualClock> clock = std::make_shared<io::ManualClock>();
    io::ManualLoop loop{io, clock};
    FakeNetwork network{loop};
    FakeCredentials credentials{loop};
    std::vector<RecordedAttempt> attempts;
    std::vector<std::string> warnings;
    std::vector<std::string> certificates;
    std::unique_ptr<ApiClient> client;
    std::vector<Result<ApiReply>> replies;
    std::string parts;

    void SetUp() override { make(); }
    void make(ApiClientOptions options = {}) {
        options.server = "https://api.test:6443/prefix";
        options.user_agent = "capstan/1";
        options.on_attempt = [this](const ApiAttempt& each) {
            attempts.push_back({std::string(each.method) + " " + std::string(each.host) + " " +
                                    std::string(each.purpose) + " " + std::to_string(each.status),
                                each.latency, each.waited});
        };
        options.on_warning = [this](const std::string& text) { warnings.push_back(text); };
        options.use_certificate = [this](const Credential& credential) {
            certificates.push_back(credential.certificate_pem);
        };
        client = std::make_unique<ApiClient>(network, loop, credentials, std::move(options));
    }
    Api::Done keep() {
        return [this](Result<ApiReply> reply) { replies.push_back(std::move(reply)); };
    }
    static ApiRequest request(std::string method = "GET", std::string path = "/api/v1/nodes/n1") {
        return {.method = std::move(method), .path = std::move(path), .purpose = "test"};
    }
    Api::RequestId send(ApiRequest what = request()) {
        const Api::RequestId id = client->send(std::move(what), keep());
        EXPECT_TRUE(replies.empty()) << "called inside send";
        loop.settle();
        return id;
    }
    Api::RequestId stream(ApiRequest what = request()) {
        const Api::RequestId id = client->stream(
            std::move(what), [this](std::string_view part) { parts += part; }, keep());
        loop.settle();
        return id;
    }
    const Error& error() { return replies.at(0).error(); }
};

TEST_F(ApiClientTest, SendsRequestsWithCredentials) {
    ApiRequest patch = request("PATCH");
    patch.query = {{"fieldManager", "capstan"}};
    patch.body = "{}";
    patch.content_type = "application/merge-patch+json";
    send(patch);
    const FakeNetwork::Sent& sent = network.sent.at(0);
    EXPECT_EQ(sent.request.method, "PATCH");
    EXPECT_EQ(sent.request.url,
              "https://api.test:6443/prefix/api/v1/nodes/n1?fieldManager=capstan");
    EXPECT_EQ(sent.request.body, "{}");
    EXPECT_EQ(sent.header("authorization"), "Bearer secret");
    EXPECT_EQ(sent.header("user-agent"), "capstan/1");
    EXPECT_EQ(sent.header("accept"), "application/json");
    EXPECT_EQ(sent.header("content-type"), "application/merge-patch+json");
    network.answer(201, "{\"kind\":\"Node\"}", {{"date", "today"}});
    EXPECT_EQ(replies.at(0).value().status, 201);
    EXPECT_EQ(replies.at(0).value().body, "{\"kind\":\"Node\"}");
    EXPECT_THAT(replies.at(0).value().headers, ElementsAre(std::pair("date", "today")));
}

TEST_F(ApiClientTest, ReturnsTheErrorOfTheServer) {
    send();
    network.answer(403, R"({"kind":"Status","reason":"Forbidden","message":"no"})");
    EXPECT_EQ(error().code, ErrorCode::permission);
    EXPECT_EQ(error().provider_code, "Forbidden");
    EXPECT_EQ(error().message, "GET /api/v1/nodes/n1: 403 Forbidden: no");
}

TEST_F(ApiClientTest, RetriesAfterTheRetryAfterHeader) {
    send(request("POST"));
    network.answer(429, "", {{"retry-after", "2"}});
    loop.advance(1999ms);
    EXPECT_EQ(network.sent.size(), 1u);
    loop.advance(1ms);
    ASSERT_EQ(network.sent.size(), 2u);
    network.answer(200, "ok");
    EXPECT_EQ(replies.at(0).value().body, "ok");
    EXPECT_EQ(credentials.asked, 2) << "read again, may have changed";
}

TEST_F(ApiClientTest, RetriesAtMostTenTimes) {
    send();
    for (int i = 0; i < 10; ++i) network.answer(503, "", {{"retry-after", "0"}}), loop.advance(1ms);
    EXPECT_TRUE(replies.empty());
    EXPECT_EQ(network.sent.size(), 11u);
    network.answer(503, "", {{"retry-after", "0"}});
    EXPECT_EQ(error().code, ErrorCode::unavailable);
    EXPECT_EQ(error().retry_after, Duration(0s));
}

TEST_F(ApiClientTest, DoesNotRetryWithoutARetryAfterHeader) {
    send();
    network.answer(429);
    EXPECT_EQ(error().code, ErrorCode::throttled);
    EXPECT_EQ(network.sent.size(), 1u);
}

TEST_F(ApiClientTest, DoesNotRetryBeyondTheDeadline) {
    send();
    network.answer(429, "", {{"retry-after", "30"}});
    EXPECT_EQ(error().code, ErrorCode::throttled);
    EXPECT_EQ(error().retry_after, Duration(30s));
}

TEST_F(ApiClientTest, ShortensTheTimeoutsOfAllRequestsAtTheEnd) {
    send();
    loop.advance(10s);
    client->limit_timeouts(3s);
    loop.advance(2s);
    EXPECT_TRUE(replies.empty());
    loop.advance(1s);
    EXPECT_EQ(error().code, ErrorCode::deadline);
    EXPECT_THAT(error().message, HasSubstr("not done within 13000 ms"));
    replies.clear();
    send();
    loop.advance(3s);
    EXPECT_THAT(error().message, HasSubstr("not done within 3000 ms"));
}

TEST_F(ApiClientTest, NeverRetriesEvictions) {
    send(request("POST", "/api/v1/namespaces/shop/pods/web/eviction"));
    network.answer(429, "", {{"retry-after", "10"}});
    EXPECT_EQ(error().code, ErrorCode::throttled);
    EXPECT_EQ(error().retry_after, Duration(10s));
}

TEST_F(ApiClientTest, RetriesOnlyReadsAfterALostConnection) {
    send();
    network.lose();
    EXPECT_TRUE(replies.empty());
    loop.advance(100ms);
    network.answer(200);
    EXPECT_TRUE(replies.at(0));
    replies.clear();
    send(request("PUT"));
    network.lose();
    EXPECT_EQ(error().code, ErrorCode::unavailable);
    EXPECT_EQ(error().provider_code, "") << "no Status, no reason";
}

TEST_F(ApiClientTest, DoesNotRetryARefusedConnection) {
    send();
    network.fail_with(ErrorCode::unavailable);
    EXPECT_EQ(error().code, ErrorCode::unavailable);
}

TEST_F(ApiClientTest, ReportsRejectedCredentials) {
    send();
    network.answer(401);
    EXPECT_EQ(error().code, ErrorCode::unauthenticated);
    EXPECT_THAT(credentials.refused, ElementsAre(credentials.next.value()));
    EXPECT_EQ(network.sent.size(), 1u);
}

TEST_F(ApiClientTest, SendsNothingWithoutCredentials) {
    credentials.next = fail(ErrorCode::invalid_config, "no token file");
    send();
    EXPECT_EQ(error().code, ErrorCode::invalid_config);
    EXPECT_EQ(error().message, "GET /api/v1/nodes/n1: no token file");
    EXPECT_THAT(network.sent, IsEmpty());
}

TEST_F(ApiClientTest, IncludesAllWaitsInTheDeadline) {
    send();
    loop.advance(30s);
    EXPECT_EQ(error().code, ErrorCode::deadline);
    EXPECT_EQ(error().message,
              "GET /api/v1/nodes/n1: not done within 30000 ms: waiting for a response");
    EXPECT_THAT(network.cancelled, ElementsAre(1u));
    replies.clear();
    credentials.is_silent = true;
    send();
    loop.advance(30s);
    EXPECT_THAT(error().message, HasSubstr("waiting for credentials"));
    loop.advance(1h);
    EXPECT_EQ(replies.size(), 1u);
}

TEST_F(ApiClientTest, GivesRetriesTheRemainingTime) {
    send();
    EXPECT_EQ(network.sent.at(0).request.timeout, Duration(30s));
    network.answer(503, "", {{"retry-after", "10"}});
    loop.advance(10s);
    EXPECT_EQ(network.sent.at(1).request.timeout, Duration(20s));
}

TEST_F(ApiClientTest, QueuesRequestsBeyondTheBurst) {
    make({.requests_per_second = 10, .burst = 1});
    for (int i = 0; i < 3; ++i) send();
    EXPECT_EQ(network.sent.size(), 1u);
    loop.advance(100ms);
    EXPECT_EQ(network.sent.size(), 2u);
    loop.advance(100ms);
    EXPECT_EQ(network.sent.size(), 3u);
    for (int i = 0; i < 3; ++i) network.answer(200);
    EXPECT_EQ(attempts.at(0).waited, 0ms);
    EXPECT_EQ(attempts.at(2).waited, 200ms);
}

TEST_F(ApiClientTest, DoesNotCountWatchesAgainstTheRateLimit) {
    make({.requests_per_second = 1, .burst = 1});
    ApiRequest watch = request();
    watch.query = {{"watch", "true"}};
    for (int i = 0; i < 20; ++i) stream(watch);
    EXPECT_EQ(network.sent.size(), 20u);
    send();
    EXPECT_EQ(network.sent.size(), 21u);
}

TEST_F(ApiClientTest, SendsLeaseRequestsWithoutWaiting) {
    make({.requests_per_second = 1, .burst = 1});
    for (int i = 0; i < 20; ++i) send();
    EXPECT_EQ(network.sent.size(), 1u);
    ApiRequest renewal = request("PUT");
    renewal.purpose = "lease";
    send(renewal);
    EXPECT_EQ(network.sent.size(), 2u);
}

TEST_F(ApiClientTest, LimitsNodeLooksAndListsSeparately) {
    make({.requests_per_second = 1, .burst = 2});
    for (int i = 0; i < 10; ++i) send(request("GET", "/apis/apps/v1/replicasets"));
    EXPECT_EQ(network.sent.size(), 2u);
    ApiRequest look = request("GET", "/api/v1/pods");
    look.purpose = std::string(node_look_purpose);
    for (int i = 0; i < 3; ++i) send(look);
    EXPECT_EQ(network.sent.size(), 4u) << "a separate rate limit";
    loop.advance(1s);
    EXPECT_EQ(network.sent.size(), 6u) << "one more of each kind";
}

TEST_F(ApiClientTest, ChecksMaySendBeforeEachAttempt) {
    make({.requests_per_second = 1, .burst = 1});
    Result<void> may{};
    int asked = 0;
    ApiRequest write = request("POST");
    write.may_send = [&] { return ++asked, may; };
    send(write);
    network.answer(429, "", {{"retry-after", "2"}});
    EXPECT_EQ(asked, 1);
    may = fail(ErrorCode::cancelled, "this host is no longer the leader");
    loop.advance(2s);
    EXPECT_EQ(asked, 2);
    EXPECT_EQ(network.sent.size(), 1u);
    EXPECT_EQ(error().code, ErrorCode::cancelled);
    EXPECT_EQ(error().message,
              "POST /api/v1/nodes/n1: not sent: this host is no longer the leader");
}

TEST_F(ApiClientTest, FailsAtOnceIfTheRateLimitExceedsTheDeadline) {
    make({.requests_per_second = 0.1, .burst = 1});
    ApiRequest quick = request();
    quick.timeout = 5s;
    send();
    send(quick);
    EXPECT_EQ(error().code, ErrorCode::deadline);
    EXPECT_THAT(error().message, HasSubstr("waiting for the client's rate limit"));
    replies.clear();
    send();
    loop.advance(10s);
    EXPECT_EQ(network.sent.size(), 2u) << "the failed request left the queue";
}

TEST_F(ApiClientTest, SendsAtOnceWithoutARateLimit) {
    make({.requests_per_second = -1});
    for (int i = 0; i < 500; ++i) send();
    EXPECT_EQ(network.sent.size(), 500u);
}

TEST_F(ApiClientTest, CancelsRequestsInAnyState) {
    make({.requests_per_second = 0.5, .burst = 1});
    const Api::RequestId under_way = send();
    const Api::RequestId queued = send();
    client->cancel(queued);
    client->cancel(under_way);
    client->cancel(under_way);
    client->cancel(4711);
    EXPECT_TRUE(replies.empty()) << "called inside cancel";
    loop.settle();
    ASSERT_EQ(replies.size(), 2u);
    for (const auto& reply : replies) EXPECT_EQ(reply.error().code, ErrorCode::cancelled);
    loop.advance(1h);
    EXPECT_EQ(replies.size(), 2u);
    EXPECT_EQ(network.sent.size(), 1u);
    replies.clear();
    const Api::RequestId waiting = send();
    network.answer(503, "", {{"retry-after", "5"}});
    client->cancel(waiting);
    loop.advance(1h);
    EXPECT_EQ(replies.size(), 1u);
    EXPECT_EQ(error().code, ErrorCode::cancelled);
}

TEST_F(ApiClientTest, CallsNoCallbackAfterItsEnd) {
    send();
    stream();
    client->cancel(send());
    client = nullptr;
    loop.advance(1h);
    EXPECT_TRUE(replies.empty());
    EXPECT_EQ(network.cancelled.size(), 3u);
}

TEST_F(ApiClientTest, SendsNoChangesInADryRun) {
    make({.is_read_only = true});
    client->send(request("PATCH"), keep());
    EXPECT_TRUE(replies.empty()) << "called inside send";
    loop.settle();
    EXPECT_EQ(error().code, ErrorCode::cancelled);
    EXPECT_EQ(error().message, "PATCH /api/v1/nodes/n1: not sent: dry run");
    EXPECT_EQ(credentials.asked, 0);
    replies.clear();
    send(request("GET"));
    send(request("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"));
    EXPECT_EQ(network.sent.size(), 2u);
}

TEST_F(ApiClientTest, ReportsEachWarningOnce) {
    for (int i = 0; i < 2; ++i) {
        send();
        network.answer(200, "", {{"warning", "299 - \"policy/v1beta1 is deprecated\""}});
        replies.clear();
    }
    EXPECT_THAT(warnings, ElementsAre("policy/v1beta1 is deprecated"));
}

TEST_F(ApiClientTest, CountsEachAttempt) {
    send();
    loop.advance(40ms);
    network.answer(503, "", {{"retry-after", "1"}});
    loop.advance(1s);
    network.answer(200);
    replies.clear();
    send(request("DELETE"));
    network.fail_with(ErrorCode::unavailable);
    ASSERT_EQ(attempts.size(), 3u);
    EXPECT_EQ(attempts[0].line, "GET api.test:6443 test 503");
    EXPECT_EQ(attempts[0].latency, 40ms);
    EXPECT_EQ(attempts[1].line, "GET api.test:6443 test 200");
    EXPECT_EQ(attempts[1].latency, 0ms);
    EXPECT_EQ(attempts[2].line, "DELETE api.test:6443 test 0");
}

TEST_F(ApiClientTest, UsesTheClientCertificateOfItsCredentials) {
    send();
    EXPECT_THAT(certificates, IsEmpty());
    credentials.next = Credential{.certificate_pem = "one", .key_pem = "k"};
    send();
    send();
    EXPECT_THAT(certificates, ElementsAre("one"));
    credentials.next->key_pem = "another";
    send();
    EXPECT_THAT(certificates, ElementsAre("one", "one"));
}

TEST_F(ApiClientTest, StreamsPartsWithoutABody) {
    stream();
    network.head(200, {{"warning", "299 - \"old\""}});
    network.part("one");
    loop.advance(1h);
    network.part("two");
    EXPECT_EQ(parts, "onetwo");
    EXPECT_TRUE(replies.empty()) << "the deadline applies only to the head";
    network.end();
    EXPECT_EQ(replies.at(0).value().body, "");
    EXPECT_EQ(attempts.size(), 1u);
    EXPECT_THAT(warnings, ElementsAre("old"));
}

TEST_F(ApiClientTest, ReturnsTheErrorBodyOfAStreamAsAnError) {
    stream();
    network.answer(410, R"({"kind":"Status","reason":"Expired","message":"too old"})");
    EXPECT_EQ(parts, "");
    EXPECT_EQ(error().provider_code, "Expired");
    EXPECT_EQ(error().message, "GET /api/v1/nodes/n1: 410 Expired: too old");
}

TEST_F(ApiClientTest, RetriesAStreamOnlyBeforeItsFirstPart) {
    stream();
    network.lose();
    loop.advance(100ms);
    network.head(429, {{"retry-after", "1"}});
    network.part("slow down");
    network.end();
    loop.advance(1s);
    ASSERT_EQ(network.sent.size(), 3u);
    network.head(200);
    network.part("{}");
    network.lose();
    loop.advance(1h);
    EXPECT_EQ(error().code, ErrorCode::unavailable);
    EXPECT_EQ(error().provider_code, "");
    EXPECT_EQ(network.sent.size(), 3u);
    EXPECT_EQ(parts, "{}");
}

TEST_F(ApiClientTest, CancelsAStreamWithinAPart) {
    Api::RequestId id = 0;
    id = client->stream(
        request(),
        [&](std::string_view part) {
            parts += part;
            if (!part.empty()) client->cancel(id);
        },
        keep());
    loop.settle();
    network.head(200);
    FakeNetwork::Sent& sent = network.sent.at(0);
    sent.listener->on_part("one");
    sent.listener->on_part("two");
    loop.settle();
    EXPECT_EQ(parts, "one");
    EXPECT_EQ(error().code, ErrorCode::cancelled);
}

TEST_F(ApiClientTest, EndsAStreamWithoutAHeadAtItsTimeout) {
    stream();
    loop.advance(30s);
    EXPECT_EQ(error().code, ErrorCode::deadline);
}

TEST_F(ApiClientTest, KeepsCredentialsOutOfErrors) {
    send();
    network.answer(500, "oops");
    EXPECT_THAT(error().message, Not(HasSubstr("secret")));
}

}  // namespace
}  // namespace capstan::kubernetes::client
