#include "kubernetes/timestamps.hpp"

#include <gtest/gtest.h>

namespace capstan::kubernetes {
namespace {

TEST(Timestamps, OmitTrailingZeros) {
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

}  // namespace
}  // namespace capstan::kubernetes
