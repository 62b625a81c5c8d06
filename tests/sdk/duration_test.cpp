#include <capstan/duration.hpp>

#include <chrono>
#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace capstan {
namespace {

using namespace std::chrono_literals;

TEST(Duration, ReadsNumbersWithUnits) {
    const std::vector<std::pair<std::string_view, Duration>> cases = {
        {"0", 0s},
        {"+0", 0s},
        {"0s", 0s},
        {"90s", 90s},
        {"1h30m", 90min},
        {"1.5h", 90min},
        {".5m", 30s},
        {"1.s", 1s},
        {"500ms", 500ms},
        {"10us", 10us},
        {"10\u00b5s", 10us},
        {"10\u03bcs", 10us},
        {"7ns", 7ns},
        {"2d", 48h},
        {"-2m", -120s},
        {"+1m1s", 61s},
        {"1m1h", 61min},
        {"1.000000001h", 1h + 3600ns},
        {"0.9ns", 0ns},
        {"00001s", 1s},
        {"9223372036854775807ns", Duration::max()},
        {"-9223372036854775808ns", Duration::min()},
    };
    for (const auto& [written, expected] : cases) {
        const auto duration = parse_duration(written);
        ASSERT_TRUE(duration) << written << ": " << duration.error();
        EXPECT_EQ(duration->count(), expected.count()) << written;
    }
}

TEST(Duration, RejectsInvalidText) {
    for (const std::string_view written : {"",
                                           "-",
                                           "+",
                                           "90",
                                           "s",
                                           "1.5",
                                           ".",
                                           ".s",
                                           "1h ",
                                           " 1h",
                                           "1 h",
                                           "1h-2m",
                                           "1H",
                                           "1hour",
                                           "1..5s",
                                           "1e3s",
                                           "--1s",
                                           "0 ",
                                           "1h30",
                                           "\u00b5s",
                                           "1\xc2s",
                                           "9223372036854775808ns",
                                           "-9223372036854775809ns",
                                           "2562048h",
                                           "106752d",
                                           "99999999999999999999999999s",
                                           "9223372036s900ms"}) {
        const auto duration = parse_duration(written);
        ASSERT_FALSE(duration) << written;
        EXPECT_EQ(duration.error().code, ErrorCode::invalid_argument) << written;
    }
}

TEST(Duration, ReportsWhyATextIsInvalid) {
    EXPECT_EQ(parse_duration("90").error().message,
              "duration \"90\": missing or unknown unit, expected ns, us, ms, s, m, h or d");
    EXPECT_EQ(parse_duration("300y").error().message,
              "duration \"300y\": missing or unknown unit, expected ns, us, ms, s, m, h or d");
    EXPECT_EQ(parse_duration("2562048h").error().message,
              "duration \"2562048h\": more than 292 years");
}

TEST(Duration, IsWrittenInTheShortestUsualForm) {
    EXPECT_EQ(format_duration(0s), "0s");
    EXPECT_EQ(format_duration(90min), "1h30m");
    EXPECT_EQ(format_duration(36h), "36h");
    EXPECT_EQ(format_duration(90s), "1m30s");
    EXPECT_EQ(format_duration(1h + 1s), "1h1s");
    EXPECT_EQ(format_duration(1500ms), "1.5s");
    EXPECT_EQ(format_duration(500ms), "500ms");
    EXPECT_EQ(format_duration(1001us), "1.001ms");
    EXPECT_EQ(format_duration(12us), "12us");
    EXPECT_EQ(format_duration(-7ns), "-7ns");
    EXPECT_EQ(format_duration(Duration::min()), "-2562047h47m16.854775808s");
}

TEST(Duration, ReadsBackWhatItWrote) {
    std::mt19937_64 random(7);
    for (int i = 0; i < 5000; ++i) {
        const auto shift = random() % 64;
        const Duration duration(static_cast<std::int64_t>(random()) >> shift);
        const auto again = parse_duration(format_duration(duration));
        ASSERT_TRUE(again) << format_duration(duration);
        EXPECT_EQ(again->count(), duration.count()) << format_duration(duration);
    }
}

}  // namespace
}  // namespace capstan
