#include <capstan/time_text.hpp>

#include <cstdint>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using capstan::ErrorCode;
using capstan::format_http_date;
using capstan::format_rfc3339;
using capstan::parse_http_date;
using capstan::parse_rfc3339;
using capstan::Time;
using capstan::time_from_unix_ns;
using ::testing::HasSubstr;

constexpr std::int64_t second = 1'000'000'000;

TEST(Rfc3339, IsReadWithFractionsAndOffsets) {
    const struct {
        const char* text;
        std::int64_t unix_ns;
    } cases[] = {
        {"1970-01-01T00:00:00Z", 0},
        {"2026-11-21T10:50:00Z", 1795258200 * second},
        {"2026-11-21T10:50:00.25Z", 1795258200 * second + second / 4},
        {"2026-11-21T10:50:00.1234567899Z", 1795258200 * second + 123456789},
        {"2026-11-21T12:20:00+01:30", 1795258200 * second},
        {"2026-11-21T05:50:00-05:00", 1795258200 * second},
        {"2026-11-21T10:50:00-00:00", 1795258200 * second},
        {"2026-11-21T10:49:60Z", 1795258200 * second},
        {"2024-02-29T00:00:00Z", 1709164800 * second},
        {"1969-12-31T23:59:59Z", -second},
    };
    for (const auto& c : cases) {
        EXPECT_EQ(parse_rfc3339(c.text), time_from_unix_ns(c.unix_ns)) << c.text;
    }
}

TEST(Rfc3339, RejectsInvalidTextAndShowsIt) {
    for (const char* const text : {"",
                                   "now",
                                   "2026-11-21",
                                   "2026-11-21 10:50:00Z",
                                   "2026-11-21T10:50:00",
                                   "2026-02-29T00:00:00Z",
                                   "2026-13-01T00:00:00Z",
                                   "2026-00-01T00:00:00Z",
                                   "2026-11-21T24:00:00Z",
                                   "2026-11-21T10:60:00Z",
                                   "2026-11-21T10:50:61Z",
                                   "2026-11-21T10:50:00Z ",
                                   "2026-11-21T10:50:00.Z",
                                   "2026-11-21T10:50:00+0100",
                                   "2026-11-21T10:50:00+24:00",
                                   "9999-12-31T23:59:59Z",
                                   "0001-01-01T00:00:00Z",
                                   "-026-11-21T10:50:00Z",
                                   "2026-1-021T10:50:00Z",
                                   "2026-11-21T10:50:00ZZ"}) {
        const auto time = parse_rfc3339(text);
        ASSERT_FALSE(time) << text;
        EXPECT_EQ(time.error().code, ErrorCode::invalid_argument);
        EXPECT_THAT(time.error().message, HasSubstr("\"" + std::string(text) + "\""));
    }
}

TEST(Rfc3339, IsWrittenWithTheFewestDigits) {
    const struct {
        std::int64_t unix_ns;
        const char* text;
    } cases[] = {
        {0, "1970-01-01T00:00:00Z"},
        {1795258200 * second + second / 4, "2026-11-21T10:50:00.25Z"},
        {1795258200 * second + 1, "2026-11-21T10:50:00.000000001Z"},
        {-1, "1969-12-31T23:59:59.999999999Z"},
        {INT64_MAX, "2262-04-11T23:47:16.854775807Z"},
        {INT64_MIN, "1677-09-21T00:12:43.145224192Z"},
    };
    for (const auto& c : cases) EXPECT_EQ(format_rfc3339(time_from_unix_ns(c.unix_ns)), c.text);
}

TEST(Rfc3339, IsWrittenWithTheRequestedDigits) {
    const Time time = time_from_unix_ns(1795258200 * second + second / 4 + 999);
    EXPECT_EQ(format_rfc3339(time, 0), "2026-11-21T10:50:00Z");
    EXPECT_EQ(format_rfc3339(time, 3), "2026-11-21T10:50:00.250Z");
    EXPECT_EQ(format_rfc3339(time, 6), "2026-11-21T10:50:00.250000Z");
    EXPECT_EQ(format_rfc3339(time, 9), "2026-11-21T10:50:00.250000999Z");
    EXPECT_EQ(format_rfc3339(time_from_unix_ns(-1), 0), "1969-12-31T23:59:59Z");
    EXPECT_EQ(format_rfc3339(time_from_unix_ns(-1), 3), "1969-12-31T23:59:59.999Z");
}

TEST(HttpDate, IsReadInThreeForms) {
    const Time expected = time_from_unix_ns(784111777 * second);
    for (const char* const text : {"Sun, 06 Nov 1994 08:49:37 GMT",
                                   "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"})
        EXPECT_EQ(parse_http_date(text), expected) << text;
    EXPECT_EQ(parse_http_date("Sat Nov 26 08:49:37 1994"),
              parse_http_date("Sat, 26 Nov 1994 08:49:37 GMT"));
    EXPECT_EQ(parse_http_date("Saturday, 21-Nov-26 10:50:00 GMT"),
              parse_rfc3339("2026-11-21T10:50:00Z"));
    EXPECT_EQ(parse_http_date("Thursday, 01-Jan-70 00:00:00 GMT"), time_from_unix_ns(0));
}

TEST(HttpDate, RejectsInvalidText) {
    for (const char* const text :
         {"", "120", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET",
          "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 31 Feb 1994 08:49:37 GMT",
          "Xxx, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Xxx 1994 08:49:37 GMT",
          "Sun, 06 Nov 1994 08:49:37 GMT ", "2026-11-21T10:50:00Z", "Sun Nov 6 08:49:37 1994"}) {
        const auto time = parse_http_date(text);
        ASSERT_FALSE(time) << text;
        EXPECT_EQ(time.error().code, ErrorCode::invalid_argument);
    }
}

TEST(HttpDate, IsWrittenInTheUsualForm) {
    EXPECT_EQ(format_http_date(time_from_unix_ns(784111777 * second + 5)),
              "Sun, 06 Nov 1994 08:49:37 GMT");
    EXPECT_EQ(format_http_date(time_from_unix_ns(-1)), "Wed, 31 Dec 1969 23:59:59 GMT");
}

}  // namespace
