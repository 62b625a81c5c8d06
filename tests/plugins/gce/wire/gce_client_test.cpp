#include "wire/gce_client.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <capstan/testing/run_task.hpp>

namespace capstan::gce {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::Contains;
using testing::FakeHost;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;
using testing::reply;
using testing::run;

/// Returns another token at each renewal.
class RenewedTokens : public TokenProvider {
public:
    Task<AccessToken> get() override {
        if (failure) co_return fail(*failure, "there is no token");
        AccessToken out{.text = "token-" + std::to_string(made),
                        .source = "the test",
                        .quota_project = quota_project};
        co_return std::move(out);
    }
    Task<AccessToken> renew(std::string refused) override {
        refusals.push_back(std::move(refused));
        if (!is_stuck) ++made;
        return get();
    }
    std::vector<std::string> refusals{};
    std::string quota_project{};
    std::optional<ErrorCode> failure{};
    bool is_stuck = false;
    int made = 1;
};

/// Google. Returns the responses in order, and then repeats the last one.
struct Google {
    FakeHost host{};
    RenewedTokens tokens{};
    ClientConfig config{};
    std::vector<testing::HttpOutcome> responses{};
    std::size_t answered = 0;
    std::optional<GceClient> made{};

    Google() {
        host.http().handle([this](const HttpRequest&) {
            return responses.at(std::min(answered++, responses.size() - 1));
        });
    }
    Result<Json> call(GceRequest request, Duration allowed = 10min) {
        if (!made) made.emplace(host.host(), config, tokens);
        return run(host, made->call(std::move(request)), allowed);
    }
    std::size_t count() { return host.http().requests().size(); }
    const HttpRequest& sent(std::size_t at) { return host.http().requests().at(at); }
};

GceRequest list_request() {
    return {"compute.instances.list", "GET", "projects/p/zones/z/instances"};
}
GceRequest resize_request(Repeatable repeatable = Repeatable::no) {
    GceRequest out("compute.instanceGroupManagers.resize", "POST",
                   "projects/p/zones/z/instanceGroupManagers/m/resize");
    out.query.emplace_back("size", "3");
    out.repeatable = repeatable;
    return out;
}

HttpReply refused(int status, const std::string& reason) {
    return reply(status, R"({"error":{"message":"m","errors":[{"reason":")" + reason + R"("}]}})");
}

TEST(GceClient, SendsATokenAndReadsJson) {
    Google google;
    google.responses = {reply(200, R"({"id":"7"})")};
    GceRequest request = list_request();
    request.query = {{"maxResults", "500"}, {"fields", "items(id)"}};
    const auto response = google.call(request);
    ASSERT_TRUE(response);
    EXPECT_EQ(response->text_at({"id"}), "7");
    EXPECT_EQ(google.sent(0).url,
              "https://compute.googleapis.com/compute/v1/projects/p/zones/z/instances"
              "?maxResults=500&fields=items%28id%29");
    EXPECT_THAT(google.sent(0).headers, AllOf(Contains(Pair("authorization", "Bearer token-1")),
                                              Not(Contains(Key("x-goog-user-project")))));
}

TEST(GceClient, SendsTheQuotaProject) {
    Google google;
    google.tokens.quota_project = "billing";
    google.responses = {reply(200)};
    EXPECT_EQ(*google.call(list_request()), Json::object())
        << "an empty response is an empty object";
    EXPECT_THAT(google.sent(0).headers, Contains(Pair("x-goog-user-project", "billing")));
}

TEST(GceClient, SendsABodyAsJson) {
    Google google;
    google.responses = {reply(200, "{}")};
    GceRequest request = resize_request();
    request.body = Json::object({{"a", Json(1)}});
    ASSERT_TRUE(google.call(request));
    EXPECT_EQ(google.sent(0).body, R"({"a":1})");
    EXPECT_THAT(google.sent(0).headers, Contains(Pair("content-type", "application/json")));
}

TEST(GceClient, RetriesReadsAndRefusedChanges) {
    Google google;
    google.responses = {reply(503), testing::unanswered(), reply(200, "{}")};
    EXPECT_TRUE(google.call(list_request()));
    EXPECT_EQ(google.count(), 3U);
    Google throttled;
    throttled.responses = {refused(403, "rateLimitExceeded"), reply(200, "{}")};
    EXPECT_TRUE(throttled.call(resize_request())) << "a refused change can be repeated";
}

TEST(GceClient, DoesNotRetryAChangeWithAnUnknownResult) {
    Google google;
    google.responses = {reply(503)};
    const auto response = google.call(resize_request());
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().code, ErrorCode::deadline);
    EXPECT_EQ(google.count(), 1U);
    Google again;
    again.responses = {reply(503), reply(200, "{}")};
    EXPECT_TRUE(again.call(resize_request(Repeatable::yes)))
        << "it can be repeated with a requestId";
}

TEST(GceClient, GivesUpAfterAFewAttempts) {
    Google google;
    google.responses = {reply(503)};
    const auto response = google.call(list_request());
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().code, ErrorCode::unavailable);
    EXPECT_THAT(response.error().message,
                AllOf(HasSubstr("compute.instances.list"), HasSubstr("3 attempts")));
}

TEST(GceClient, RenewsARefusedTokenOnce) {
    Google google;
    google.responses = {refused(401, "authError"), reply(200, "{}")};
    EXPECT_TRUE(google.call(list_request()));
    EXPECT_THAT(google.tokens.refusals, ::testing::ElementsAre("token-1"));
    EXPECT_THAT(google.sent(1).headers, Contains(Pair("authorization", "Bearer token-2")));
    Google stuck;
    stuck.responses = {refused(401, "authError")};
    const auto response = stuck.call(list_request());
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().code, ErrorCode::unauthenticated);
    EXPECT_THAT(response.error().message, HasSubstr("a token of the test"));
    EXPECT_EQ(stuck.count(), 2U);
}

TEST(GceClient, SendsNothingWithoutAToken) {
    Google google;
    google.tokens.failure = ErrorCode::deadline;
    const auto response = google.call(resize_request());
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().code, ErrorCode::unavailable) << "no change was sent";
    EXPECT_EQ(google.count(), 0U);
}

TEST(GceClient, ReportsAMissingTokenAsUnauthenticated) {
    for (const ErrorCode code : {ErrorCode::not_found, ErrorCode::conflict, ErrorCode::permission,
                                 ErrorCode::invalid_config, ErrorCode::unauthenticated}) {
        Google google;
        google.tokens.failure = code;
        EXPECT_EQ(google.call(list_request()).error().code, ErrorCode::unauthenticated);
    }
}

TEST(GceClient, TreatsAResponseThatIsNotJsonAsMissing) {
    Google google;
    google.responses = {reply(200, "<html>"), reply(200, "{}")};
    EXPECT_TRUE(google.call(list_request()));
    Google change;
    change.responses = {reply(200, "<html>")};
    EXPECT_EQ(change.call(resize_request()).error().code, ErrorCode::deadline);
}

TEST(GceClient, CountsRequestsLikeUpstream) {
    Google google;
    google.responses = {reply(200, "{}")};
    ASSERT_TRUE(google.call(resize_request()));
    EXPECT_EQ(google.host.metric("cluster_autoscaler_gce_request_count",
                                 {"instance_group_managers", "resize"}),
              1);
    EXPECT_NE(google.host.metric("cluster_autoscaler_gce_request_duration_seconds",
                                 {"instance_group_managers", "resize", "success"}),
              std::nullopt);
}

}  // namespace
}  // namespace capstan::gce
