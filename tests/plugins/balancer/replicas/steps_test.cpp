#include "steps.hpp"

#include <gtest/gtest.h>

namespace capstan::replicas {
namespace {

ScalableTarget target(std::string name, std::int64_t current, std::int64_t goal,
                      std::int64_t ready) {
    return {std::move(name), current, goal, ready};
}

const StepLimit two_at_a_time{.most = 2};

TEST(Steps, GrowFirstSortedByName) {
    const Steps steps = plan_steps(
        {target("c", 5, 1, 5), target("b", 1, 4, 1), target("a", 0, 2, 0)}, 7, {}, false);
    EXPECT_EQ(steps.grow, (std::vector<Step>{{"a", 0, 2}, {"b", 1, 4}}));
    EXPECT_EQ(steps.shrink, (std::vector<Step>{{"c", 5, 1}}));
    EXPECT_EQ(steps.put_off, 0);
}

TEST(Steps, AreEmptyWithoutDifferences) {
    const Steps steps = plan_steps({target("a", 3, 3, 0)}, 3, two_at_a_time, false);
    EXPECT_EQ(steps, Steps());
}

TEST(Steps, KeepReplicasThatAreHeld) {
    const Steps steps = plan_steps({target("a", 0, 2, 0), target("b", 5, 1, 5)}, 3, {}, true);
    EXPECT_EQ(steps.grow, (std::vector<Step>{{"a", 0, 2}}));
    EXPECT_TRUE(steps.shrink.empty());
    EXPECT_EQ(steps.put_off, 4);
}

TEST(StepLimit, MovesAFewReplicasAtATimeNeverBelowTheTotal) {
    std::int64_t a = 10, b = 0;
    int rounds = 0;
    for (; (a != 5 || b != 5) && rounds < 50; ++rounds) {
        // All pods are ready in the next round.
        const Steps steps =
            plan_steps({target("a", a, 5, a), target("b", b, 5, b)}, 10, two_at_a_time, false);
        for (const Step& step : steps.grow) b = step.to;
        for (const Step& step : steps.shrink) a = step.to;
        EXPECT_GE(a + b, 10);
        EXPECT_LE(a + b, 12);
    }
    EXPECT_EQ(a, 5);
    EXPECT_EQ(b, 5);
    EXPECT_GT(rounds, 2);
}

TEST(StepLimit, WaitsForReadyPodsBeforeRemovingOthers) {
    const Steps waiting =
        plan_steps({target("a", 10, 5, 10), target("b", 2, 5, 0)}, 10, two_at_a_time, false);
    EXPECT_EQ(waiting.grow, (std::vector<Step>{}));
    EXPECT_EQ(waiting.shrink, (std::vector<Step>{}));
    EXPECT_EQ(waiting.put_off, 8);
    const Steps ready =
        plan_steps({target("a", 10, 5, 10), target("b", 2, 5, 2)}, 10, two_at_a_time, false);
    EXPECT_EQ(ready.shrink, (std::vector<Step>{{"a", 10, 8}}));
}

TEST(StepLimit, DoesNotSlowDownANewTotal) {
    const Steps more =
        plan_steps({target("a", 2, 20, 2), target("b", 2, 20, 2)}, 40, two_at_a_time, false);
    EXPECT_EQ(more.grow, (std::vector<Step>{{"a", 2, 20}, {"b", 2, 20}}));
    const Steps fewer =
        plan_steps({target("a", 20, 2, 20), target("b", 20, 2, 20)}, 4, two_at_a_time, false);
    EXPECT_EQ(fewer.shrink, (std::vector<Step>{{"a", 20, 2}, {"b", 20, 2}}));
}

TEST(StepLimit, RemovesAtOncePodsThatWereNeverReady) {
    const Steps steps =
        plan_steps({target("a", 5, 0, 0), target("b", 0, 5, 0)}, 5, two_at_a_time, false);
    EXPECT_EQ(steps.shrink, (std::vector<Step>{{"a", 5, 0}}));
}

TEST(StepLimit, CanBeAPercentageOfTheTotal) {
    const StepLimit fifth{.percent = 20};
    EXPECT_EQ(fifth.step(10), 2);
    EXPECT_EQ(fifth.step(11), 3);
    EXPECT_EQ(fifth.step(0), 1);
    EXPECT_EQ(StepLimit{.most = 5}.step(1000), 5);
}

TEST(Steps, RemoveFewerReplicasIfGrowthFailed) {
    const std::vector<Step> shrink{{"a", 5, 2}, {"b", 4, 3}};
    EXPECT_EQ(shrink_less(shrink, 0), shrink);
    EXPECT_EQ(shrink_less(shrink, 2), (std::vector<Step>{{"a", 5, 3}}));
    EXPECT_TRUE(shrink_less(shrink, 4).empty());
    EXPECT_TRUE(shrink_less(shrink, 40).empty());
}

}  // namespace
}  // namespace capstan::replicas
