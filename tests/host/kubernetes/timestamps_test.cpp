#include "kubernetes/timestamps.hpp"

#include <gtest/gtest.h>

namespace capstan::kubernetes {
namespace {

TEST(Timestamps, AreReadAsTheApiWritesThem) {
    const struct {
        const char* written;
        std::int64_t unix_ns;
    } cases[] = {
        {"1970-01-01T00:00:00Z", 0},
        {"2026-11-21T10:50:00Z", 1795258200'000000000},
        {"2026-11-21T10:50:00.25Z", 1795258200'250000000},
        {"2026-11-21T10:50:00.1234567899Z", 1795258200'123456789},
        {"2026-11-21T12:20:00+01:30", 1795258200'000000000},
        {"2026-11-21T05:50:00-05:00", 1795258200'000000000},
        {"2024-02-29T00:00:00Z", 1709164800'000000000},
        {"1969-12-31T23:59:59Z", -1'000000000},
    };
    for (const auto& c : cases) {
        const Result<Time> time = parse_timestamp(c.written);
        ASSERT_TRUE(time) << c.written;
        EXPECT_EQ(unix_ns(*time), c.unix_ns) << c.written;
    }
}

TEST(Timestamps, AreWrittenWithNoMoreDigitsThanTheyNeed) {
    const struct {
        std::int64_t unix_ns;
        const char* written;
    } cases[] = {
        {0, "1970-01-01T00:00:00Z"},
        {1795258200'250000000, "2026-11-21T10:50:00.25Z"},
        {1795258200'000000001, "2026-11-21T10:50:00.000000001Z"},
        {-1, "1969-12-31T23:59:59.999999999Z"},
        {-2208988800'000000000, "1900-01-01T00:00:00Z"},
    };
    for (const auto& c : cases)
        EXPECT_EQ(find_timestamp_text(time_from_unix_ns(c.unix_ns)), c.written);
    EXPECT_FALSE(find_timestamp_text(time_from_unix_ns(-2208988800'000000001)));
    EXPECT_FALSE(find_timestamp_text(Time::max()));
}

TEST(Timestamps, OfAnyOtherShapeAreRefusedWithTheText) {
    for (const char* written :
         {"", "now", "2026-11-21", "2026-11-21 10:50:00Z", "2026-11-21T10:50:00",
          "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z",
          "2026-11-21T24:00:00Z", "2026-11-21T10:60:00Z", "2026-11-21T10:50:00Z ",
          "2026-11-21T10:50:00.Z", "2026-11-21T10:50:00+0100", "0001-01-01T00:00:00Z",
          "9999-01-01T00:00:00Z", "-026-11-21T10:50:00Z", "2026-1-021T10:50:00Z", "2026"}) {
        const Result<Time> time = parse_timestamp(written);
        ASSERT_FALSE(time) << written;
        EXPECT_NE(time.error().message.find(in_quotes(written)), std::string::npos) << written;
    }
}

}  // namespace
}  // namespace capstan::kubernetes
