#include "autoscaler/daemon/health_check.hpp"

#include <gtest/gtest.h>

namespace capstan::autoscaler::daemon {
namespace {

using namespace std::chrono_literals;

struct HealthCheckTest : ::testing::Test {
    config::Admin limits;  // max_inactivity 10m, max_failing_time 15m, max_startup_time 20m
    HealthCheck health{limits};
};

TEST_F(HealthCheckTest, IsAlwaysGoodForAStandby) {
    EXPECT_EQ(health.complaint(100h), "");
    health.begin(1, 0s);
    health.stand_by();
    EXPECT_EQ(health.complaint(100h), "");
}

TEST_F(HealthCheckTest, FailsIfNoPassStarts) {
    health.begin(1, 0s);
    health.pass_began(1min);
    EXPECT_EQ(health.complaint(11min), "");
    EXPECT_EQ(health.complaint(11min + 1s), "no pass has started for 10m1s");
    EXPECT_EQ(health.stuck(11min + 1s), "no pass has started for 10m1s");
}

TEST_F(HealthCheckTest, FailsIfNoPassSucceeds) {
    health.begin(1, 0s);
    health.pass_succeeded(1min);
    health.pass_began(16min);
    EXPECT_EQ(health.complaint(16min), "");
    EXPECT_EQ(health.complaint(16min + 1s), "no pass has succeeded for 15m1s");
    EXPECT_EQ(health.stuck(16min + 1s), "");
}

TEST_F(HealthCheckTest, AllowsMoreTimeAfterAStart) {
    health.begin(1, 0s);
    health.pass_began(20min);
    EXPECT_EQ(health.complaint(20min), "");
    EXPECT_EQ(health.complaint(20min + 1s), "no pass has succeeded since the start 20m1s ago");
}

TEST_F(HealthCheckTest, AllowsAtLeastThePassTimeAfterAStart) {
    limits.max_startup_time = 1min;
    health.set_limits(limits);
    health.begin(1, 0s);
    health.pass_began(15min);
    EXPECT_EQ(health.complaint(15min), "");
}

TEST_F(HealthCheckTest, StartsAgainWithEachTerm) {
    health.begin(1, 0s);
    EXPECT_TRUE(health.is_watching(1));
    EXPECT_FALSE(health.is_watching(2));
    health.begin(2, 100h);
    EXPECT_EQ(health.complaint(100h), "");
}

}  // namespace
}  // namespace capstan::autoscaler::daemon
