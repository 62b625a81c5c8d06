#include "kubernetes/client/api_status.hpp"

#include <gtest/gtest.h>

#include "io/known_secrets.hpp"

namespace capstan::kubernetes::client {
namespace {

using namespace std::chrono_literals;

HttpReply reply(int status, std::string body = "", HttpHeaders headers = {}) {
    return {status, std::move(headers), std::move(body)};
}

TEST(ApiStatus, MapsStatusCodesToErrorCodes) {
    const struct {
        int status;
        ErrorCode code;
    } cases[] = {
        {400, ErrorCode::invalid_argument},
        {422, ErrorCode::invalid_argument},
        {401, ErrorCode::unauthenticated},
        {403, ErrorCode::permission},
        {404, ErrorCode::not_found},
        {405, ErrorCode::unsupported},
        {406, ErrorCode::unsupported},
        {415, ErrorCode::unsupported},
        {409, ErrorCode::conflict},
        {410, ErrorCode::conflict},
        {413, ErrorCode::quota},
        {429, ErrorCode::throttled},
        {408, ErrorCode::unavailable},
        {500, ErrorCode::unavailable},
        {503, ErrorCode::unavailable},
        {504, ErrorCode::unavailable},
        {302, ErrorCode::unavailable},
    };
    for (const auto& each : cases) {
        EXPECT_EQ(error_of("GET /x", reply(each.status)).code, each.code) << each.status;
        EXPECT_EQ(error_of("GET /x", reply(each.status)).message,
                  "GET /x: " + std::to_string(each.status));
    }
}

TEST(ApiStatus, IsPartOfTheErrorMessage) {
    const Error error =
        error_of("GET /api/v1/nodes/n1",
                 reply(404, R"({"kind":"Status","apiVersion":"v1","status":"Failure","code":404,
                       "reason":"NotFound","message":"nodes \"n1\" not found",
                       "details":{"name":"n1","kind":"nodes"}})"));
    EXPECT_EQ(error.message, "GET /api/v1/nodes/n1: 404 NotFound: nodes \"n1\" not found");
    EXPECT_EQ(error.provider_code, "NotFound");
    EXPECT_FALSE(error.retry_after);
}

TEST(ApiStatus, IncludesItsCauses) {
    const Error error = error_of(
        "POST /eviction",
        reply(429, R"({"kind":"Status","reason":"TooManyRequests","message":"Cannot evict pod",
                       "details":{"retryAfterSeconds":0,"causes":[{"reason":"DisruptionBudget",
                       "message":"The disruption budget web needs 2 healthy pods"},
                       {"message":"only a message"},17]}})"));
    EXPECT_EQ(error.message,
              "POST /eviction: 429 TooManyRequests: Cannot evict pod (DisruptionBudget: The "
              "disruption budget web needs 2 healthy pods) (only a message)");
    EXPECT_FALSE(error.retry_after) << "0 in a Status means no advice";
}

TEST(ApiStatus, ReadsTheRetryDelay) {
    const std::string status = R"({"kind":"Status","details":{"retryAfterSeconds":7}})";
    EXPECT_EQ(error_of("x", reply(429, status)).retry_after, Duration(7s));
    EXPECT_EQ(error_of("x", reply(429, status, {{"retry-after", "3"}})).retry_after, Duration(3s));
    EXPECT_EQ(error_of("x", reply(429, "", {{"retry-after", "0"}})).retry_after, Duration(0s));
    for (const char* const invalid : {"", "soon", "3s", "-1", "99999999999999999999",
                                      "Wed, 21 Oct 2026 07:28:00 GMT", "9223372036854775807"})
        EXPECT_FALSE(find_retry_after(reply(429, "", {{"retry-after", invalid}}))) << invalid;
}

TEST(ApiStatus, DistinguishesExpiredVersionsFromConflicts) {
    EXPECT_EQ(error_of("x", reply(410, "")).provider_code, "Gone");
    EXPECT_EQ(error_of("x", reply(410, R"({"kind":"Status","reason":"Expired"})")).provider_code,
              "Expired");
    EXPECT_EQ(error_of("x", reply(409, "")).provider_code, "");
}

TEST(ApiStatus, MayBeMissing) {
    const Error error = error_of("GET /x", reply(502, "<html>\nBad gateway</html>"));
    EXPECT_EQ(error.message,
              "GET /x: 502: an HTML page (Bad gateway): the server is not Kubernetes, or a proxy "
              "answers for it");
    EXPECT_EQ(error.provider_code, "");
    EXPECT_LT(error_of("x", reply(500, std::string(100'000, 'x'))).message.size(), 400u);
    for (const char* const other : {"", "[]", "{}", "null", R"({"kind":"Node"})", R"({"kind":7})"})
        EXPECT_FALSE(find_status(std::string_view(other))) << other;
}

TEST(ApiStatus, RedactsCredentialsSentByTheServer) {
    const std::string token(300, 't');
    io::known_secrets().add(token);
    EXPECT_EQ(
        error_of("GET /x", reply(401, "Authorization: Bearer " + token + " is unknown")).message,
        "GET /x: 401: Authorization: Bearer [redacted] is unknown");
    const std::string status =
        R"({"kind":"Status","reason":"Unauthorized","message":"I know no )" + token + R"("})";
    EXPECT_EQ(error_of("GET /x", reply(401, status)).message,
              "GET /x: 401 Unauthorized: I know no [redacted]");
}

TEST(ApiStatus, IgnoresMembersOfTheWrongType) {
    const auto status =
        find_status(std::string_view(R"({"kind":"Status","code":"4","reason":5,"message":["a"],
                             "details":{"causes":{},"retryAfterSeconds":"9"}})"));
    ASSERT_TRUE(status);
    EXPECT_EQ(status->code, 0);
    EXPECT_EQ(status->reason, "");
    EXPECT_FALSE(status->retry_after);
}

}  // namespace
}  // namespace capstan::kubernetes::client
