#include <capstan/http_error.hpp>

#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/testing/fake_host.hpp>

namespace {

using namespace std::chrono_literals;
using capstan::Duration;
using capstan::ErrorCode;
using capstan::HttpReply;
using capstan::HttpRequest;
using capstan::testing::FakeHost;
using capstan::testing::reply;

TEST(HttpError, HasTheErrorCodeOfTheStatus) {
    const struct {
        int status;
        ErrorCode code;
    } cases[] = {
        {400, ErrorCode::invalid_argument},
        {401, ErrorCode::unauthenticated},
        {402, ErrorCode::quota},
        {403, ErrorCode::permission},
        {404, ErrorCode::not_found},
        {408, ErrorCode::unavailable},
        {409, ErrorCode::conflict},
        {410, ErrorCode::not_found},
        {412, ErrorCode::conflict},
        {422, ErrorCode::invalid_argument},
        {429, ErrorCode::throttled},
        {500, ErrorCode::unavailable},
        {501, ErrorCode::unsupported},
        {502, ErrorCode::unavailable},
        {503, ErrorCode::unavailable},
        {504, ErrorCode::deadline},
        {599, ErrorCode::unavailable},
        {301, ErrorCode::internal},
        {418, ErrorCode::internal},
        {0, ErrorCode::internal},
    };
    for (const auto& c : cases) EXPECT_EQ(capstan::http_error_code(c.status), c.code) << c.status;
}

TEST(HttpError, LimitsRetryAfterToAYear) {
    const auto until = [](const char* date, capstan::Time now) {
        return capstan::find_retry_after(reply(503, "", {{"retry-after", date}}), now);
    };
    const capstan::Time now = capstan::time_from_unix_ns(1'767'225'600'000'000'000);  // 2026
    EXPECT_EQ(until("Thu, 01 Jan 2026 00:00:05 GMT", now), 5s);
    EXPECT_EQ(until("Wed, 31 Dec 2025 23:59:59 GMT", now), 0s);
    EXPECT_EQ(until("Fri, 01 Jan 1700 00:00:00 GMT", now), 0s);
    EXPECT_EQ(until("Fri, 01 Jan 2200 00:00:00 GMT", now), 365 * 24h);
    EXPECT_EQ(until("99999999999", now), 365 * 24h);
}

TEST(HttpError, ContainsRequestAndResponseButNoQuery) {
    FakeHost host;
    const HttpRequest request("PUT", "https://api.example/groups/a?signature=abc");
    EXPECT_EQ(http_error(host.host(), request,
                         reply(409,
                               "target\nis \xff"
                               "4")),
              (capstan::Error{ErrorCode::conflict,
                              "PUT https://api.example/groups/a: status 409 \"target?is ?4\""}));
    EXPECT_EQ(http_error(host.host(), request, reply(502)).message,
              "PUT https://api.example/groups/a: status 502");
    EXPECT_LT(
        http_error(host.host(), request, reply(500, std::string(100'000, 'x'))).message.size(),
        200u);
}

TEST(HttpError, ReadsRetryAfterInBothForms) {
    FakeHost host;
    const auto now = *capstan::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT");
    const struct {
        const char* text;
        std::optional<Duration> advice;
    } cases[] = {
        {"7", 7s},
        {"0", 0s},
        {"Sun, 06 Nov 1994 08:50:07 GMT", 30s},
        {"Sun, 06 Nov 1994 08:00:00 GMT", 0s},
        {"99999999999999", 24h * 365},
        {"-1", std::nullopt},
        {"1.5", std::nullopt},
        {"soon", std::nullopt},
        {"", std::nullopt},
    };
    for (const auto& c : cases)
        EXPECT_EQ(capstan::find_retry_after(reply(429, "", {{"retry-after", c.text}}), now),
                  c.advice)
            << c.text;
    EXPECT_EQ(capstan::find_retry_after(reply(429), now), std::nullopt);
}

}  // namespace
