#include "simulator/page/strip.hpp"

#include <chrono>

#include <gmock/gmock.h>

namespace capstan::simulator::page {
namespace {

using ::testing::HasSubstr;
using ::testing::Lt;
using namespace std::chrono_literals;

// 10.92 units per second, 10 per pod; zero is at 108.
const Frame frame{.span = 100s, .columns = 100, .height = 100, .peak = 10};

TEST(StripCurve, IsAStepFunction) {
    EXPECT_EQ(line_path({{0s, 1}, {50s, 3}}, frame), "M44 98H590V78H1136");
}

TEST(StripCurve, StartsAtTheFirstPoint) {
    EXPECT_EQ(line_path({{50s, 10}}, frame), "M590 8H1136");
    EXPECT_EQ(line_path({}, frame), "");
    EXPECT_EQ(area_path({}, frame), "");
}

TEST(StripCurve, ClosesAnAreaAlongZero) {
    EXPECT_EQ(area_path({{50s, 10}}, frame), "M590 8H1136V108H590Z");
}

TEST(StripCurve, KeepsTheExtremesWithinAColumn) {
    const std::string path = line_path({{0s, 5}, {50s, 4}, {50s + 1ms, 9}, {50s + 2ms, 6}}, frame);
    EXPECT_EQ(path, "M44 58H590V68V18V48H1136");
}

TEST(StripCurve, IsLimitedInLength) {
    std::vector<Point> points;
    for (int i = 0; i < 100'000; ++i) points.push_back({i * 1ms, i % 10});
    EXPECT_THAT(line_path(points, frame).size(), Lt(100u * 25));
}

TEST(StripCurve, ClipsPointsAtTheFrame) {
    EXPECT_THAT(line_path({{0s, 0}, {200s, 20}}, frame), HasSubstr("H1136V8"));
}

}  // namespace
}  // namespace capstan::simulator::page
