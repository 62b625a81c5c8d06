#include "engine/scale_down/removal_order.hpp"

#include <gtest/gtest.h>

#include "../test_cluster.hpp"

namespace capstan::engine::scale_down {
namespace {

TEST(Cooldown, EndsExactlyAfterTheDelay) {
    const ScaleDownSettings settings;
    const LastActions last{.scale_up = noon};
    const auto during = find_cooldown(last, settings, noon + 10min - 1ns);
    ASSERT_TRUE(during);
    EXPECT_EQ(during->until, noon + 10min);
    EXPECT_EQ(during->because, "last scale-up 9m59s ago, scale_down.delay_after_add is 10m");
    EXPECT_FALSE(find_cooldown(last, settings, noon + 10min));
}

TEST(Cooldown, IsTheOneThatEndsLast) {
    const ScaleDownSettings settings;
    const LastActions last{.scale_up = noon - 9min, .removal = noon, .failed_removal = noon - 30s};
    const auto found = find_cooldown(last, settings, noon);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->because, "last failed removal 30s ago, scale_down.delay_after_failure is 3m");
}

TEST(Cooldown, RequiresADelayAndAnEarlierAction) {
    ScaleDownSettings settings;
    EXPECT_FALSE(find_cooldown({}, settings, noon));
    EXPECT_FALSE(find_cooldown({.removal = noon}, settings, noon));
    settings.delay_after_delete = Duration::max();
    EXPECT_TRUE(find_cooldown({.removal = noon}, settings, noon + 24h));
}

}  // namespace
}  // namespace capstan::engine::scale_down
