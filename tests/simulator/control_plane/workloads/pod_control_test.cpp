#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulator/control_plane/workloads/pod_control.hpp"

namespace capstan::simulator::control_plane {

void PrintTo(const SetSizes& sizes, std::ostream* out) {
    *out << "fresh " << sizes.fresh << ", old";
    for (const std::int64_t size : sizes.old) *out << " " << size;
}

namespace {

TEST(RollingUpdatePlan, GrowsTheNewSetUpToMaxSurge) {
    EXPECT_EQ(plan_rolling_step({.replicas = 4, .max_surge = 1, .old = {{4, 4, 0}}}),
              (SetSizes{1, {4}}));
    EXPECT_EQ(plan_rolling_step({.replicas = 4, .max_surge = 9, .old = {{4, 4, 0}}}),
              (SetSizes{4, {4}}));
}

TEST(RollingUpdatePlan, ShrinksTheOldSetWhileEnoughPodsAreAvailable) {
    EXPECT_EQ(
        plan_rolling_step({.replicas = 4, .max_surge = 1, .fresh = {1, 1, 0}, .old = {{4, 4, 0}}}),
        (SetSizes{1, {3}}));
    EXPECT_EQ(
        plan_rolling_step({.replicas = 4, .max_surge = 1, .fresh = {1, 0, 0}, .old = {{4, 4, 0}}}),
        (SetSizes{1, {4}}));
}

TEST(RollingUpdatePlan, RemovesUnhealthyOldPodsFirst) {
    EXPECT_EQ(plan_rolling_step({.replicas = 4,
                                 .max_unavailable = 2,
                                 .fresh = {0, 0, 0},
                                 .old = {{2, 2, 0}, {2, 0, 0}}}),
              (SetSizes{0, {2, 0}}));
}

TEST(RollingUpdatePlan, ShrinksANewSetThatIsTooLarge) {
    EXPECT_EQ(plan_rolling_step({.replicas = 2, .fresh = {5, 5, 0}}), (SetSizes{2, {}}));
}

TEST(RollingUpdatePlan, DistributesReplicasByTheSizeOfTheSets) {
    EXPECT_EQ(plan_scaling({.replicas = 20, .fresh = {4, 0, 10}, .old = {{6, 6, 10}}}),
              (SetSizes{8, {12}}));
    EXPECT_EQ(plan_scaling({.replicas = 5, .fresh = {5, 0, 10}, .old = {{5, 5, 10}}}),
              (SetSizes{3, {2}}));
}

TEST(RollingUpdatePlan, ScalesAllSetsToZero) {
    EXPECT_EQ(
        plan_scaling({.replicas = 0, .max_surge = 3, .fresh = {4, 0, 10}, .old = {{6, 6, 10}}}),
        (SetSizes{0, {0}}));
}

}  // namespace
}  // namespace capstan::simulator::control_plane
