#include "simulator/page/strip.hpp"

#include <chrono>

#include <gmock/gmock.h>

#include <capstan/time_text.hpp>

namespace capstan::simulator::page {
namespace {

using ::testing::ElementsAre;
using namespace std::chrono_literals;

std::vector<std::string> tick_texts(Duration span, int max_ticks) {
    std::vector<std::string> out;
    for (const TimeTick& tick : time_ticks(span, max_ticks)) out.push_back(tick.text);
    return out;
}

TEST(StripAxis, UsesRoundTimeSteps) {
    EXPECT_THAT(tick_texts(25min, 6), ElementsAre("0s", "5m", "10m", "15m", "20m", "25m"));
    EXPECT_THAT(tick_texts(25min, 2), ElementsAre("0s"));
    EXPECT_THAT(tick_texts(1s, 12), ElementsAre("0s", "1s"));
    EXPECT_THAT(tick_texts(149 * 24h, 6), ElementsAre("0s", "56d", "112d"));
}

TEST(StripAxis, ShowsTimesOfDayOfARealCluster) {
    const auto day_texts = [](const char* start, Duration span) {
        std::vector<std::string> out;
        for (const TimeTick& tick : time_ticks(span, 6, parse_rfc3339(start).value()))
            out.push_back(tick.text);
        return out;
    };
    EXPECT_THAT(day_texts("2026-11-27T23:50:00Z", 25min),
                ElementsAre("23:50", "23:55", "11-28", "00:05", "00:10", "00:15"));
    EXPECT_THAT(day_texts("2026-11-27T12:03:20Z", 25min),
                ElementsAre("12:05", "12:10", "12:15", "12:20", "12:25"));
    EXPECT_THAT(day_texts("2026-11-27T12:00:00Z", 20s),
                ElementsAre("12:00:00", "12:00:05", "12:00:10", "12:00:15", "12:00:20"));
    EXPECT_THAT(day_texts("2026-11-27T12:00:00Z", 100h),
                ElementsAre("11-28", "11-29", "11-30", "12-01"));
}

TEST(StripAxis, LimitsTheNumberOfTicks) {
    for (const Duration span : {Duration(24h), Duration(400 * 24h), Duration(20'000 * 24h)})
        EXPECT_LE(time_ticks(span, 12).size(), 12u) << span.count();
}

TEST(StripAxis, EndsAtOrAboveTheLargestCount) {
    EXPECT_THAT(count_ticks(7, 3), ElementsAre(0, 5, 10));
    EXPECT_THAT(count_ticks(0, 3), ElementsAre(0, 1));
    EXPECT_THAT(count_ticks(3, 3), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(count_ticks(4, 3), ElementsAre(0, 2, 4));
    EXPECT_THAT(count_ticks(2'000'000'000, 1), ElementsAre(0, 2'000'000'000));
}

}  // namespace
}  // namespace capstan::simulator::page
