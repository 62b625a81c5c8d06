#include "io/clock.hpp"

#include <gtest/gtest.h>

namespace capstan::io {
namespace {

using namespace std::chrono_literals;

TEST(ManualClock, AdvancesEvenlyWhateverItsWallClockIsSetTo) {
    ManualClock clock(Time(1h));
    clock.step_wall(-2h);
    clock.advance_to(clock.monotonic() + 1min);
    EXPECT_EQ(clock.now(), Time(1h + 1min));
    EXPECT_EQ(clock.wall(), Time(-1h + 1min));
    clock.step_wall(3h);
    EXPECT_EQ(clock.now(), Time(1h + 1min));
    EXPECT_EQ(clock.wall(), Time(2h + 1min));
}

TEST(SystemClock, StartsAtTheSystemTimeAndAdvances) {
    const SystemClock clock;
    const Time now = clock.now();
    EXPECT_LT(std::chrono::abs(clock.wall() - now), 1min);
    EXPECT_GE(SystemClock().now(), now) << "all clocks of a process agree";
}

}  // namespace
}  // namespace capstan::io
