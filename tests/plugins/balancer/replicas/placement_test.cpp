#include "placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace capstan::replicas {
namespace {

using Numbers = std::map<std::string, std::int64_t>;

struct Case {
    const char* title;
    PlacementRequest request;
    Placement expected;
};

PlacementRequest priority(std::int64_t wanted, std::vector<PlacedTarget> targets,
                          std::vector<std::string> order) {
    return {.policy = Policy::priority,
            .wanted = wanted,
            .targets = std::move(targets),
            .order = std::move(order),
            .falls_back = true};
}

PlacementRequest proportional(std::int64_t wanted, std::vector<PlacedTarget> targets,
                              Rounding rounding = Rounding::least_error) {
    return {.policy = Policy::proportional,
            .wanted = wanted,
            .targets = std::move(targets),
            .falls_back = true,
            .rounding = rounding};
}

PlacedTarget with_weight(std::string name, std::int64_t weight, std::int64_t max = unlimited) {
    return {.name = std::move(name), .max = max, .weight = weight};
}

PlacedTarget with_pods(std::string name, std::int64_t total, std::int64_t blocked) {
    return {.name = std::move(name), .total = total, .blocked = blocked};
}

PlacedTarget half(std::string name, std::int64_t total, std::int64_t blocked) {
    return {.name = std::move(name), .weight = 50, .total = total, .blocked = blocked};
}

std::int64_t number(std::mt19937& random, std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random()) % (high - low + 1);
}

void expect_all(const std::vector<Case>& cases) {
    for (const Case& c : cases) {
        SCOPED_TRACE(c.title);
        const Placement placed = place(c.request);
        EXPECT_EQ(placed.replicas, c.expected.replicas);
        EXPECT_EQ(placed.missing, c.expected.missing);
        EXPECT_EQ(placed.overflow, c.expected.overflow);
    }
}

TEST(PlacementByPriority, FillsTargetsInTheirOrder) {
    const PlacedTarget n1{.name = "n1", .min = 1, .max = 7}, n2{.name = "n2", .min = 1};
    const PlacedTarget small{.name = "n1", .max = 2}, full{.name = "n2", .max = 3};
    expect_all({
        {"the rest goes to the first",
         priority(5, {n1, n2}, {"n1", "n2"}),
         {{{"n1", 4}, {"n2", 1}}}},
        {"and then to the second", priority(12, {n1, n2}, {"n1", "n2"}), {{{"n1", 7}, {"n2", 5}}}},
        {"by the order, not by the list",
         priority(5, {n1, n2}, {"n2", "n1"}),
         {{{"n1", 1}, {"n2", 4}}}},
        {"minimums are there when nothing is wanted",
         priority(0, {n1, n2}, {"n1", "n2"}),
         {{{"n1", 1}, {"n2", 1}}, 2}},
        {"a target outside the order gets its minimum",
         priority(9, {n1, n2}, {"n1"}),
         {{{"n1", 7}, {"n2", 1}}, 0, 1}},
        {"all are full", priority(9, {small, full}, {"n1", "n2"}), {{{"n1", 2}, {"n2", 3}}, 0, 4}},
        {"nothing is wanted", priority(0, {small, full}, {"n1", "n2"}), {{{"n1", 0}, {"n2", 0}}}},
        {"there is no target", priority(3, {}, {}), {{}, 0, 3}},
    });
}

TEST(PlacementByPriority, MovesBlockedReplicasToLaterTargets) {
    const PlacedTarget n1{.name = "n1", .min = 1, .max = 7, .total = 4, .blocked = 2};
    const PlacedTarget n2{.name = "n2", .min = 1};
    const PlacedTarget a = with_pods("a", 3, 2), b = with_pods("b", 3, 2);
    const PlacedTarget shrinking{.name = "a", .max = 10, .total = 15, .blocked = 2};
    expect_all({
        {"two of four are blocked", priority(5, {n1, n2}, {"n1", "n2"}), {{{"n1", 4}, {"n2", 3}}}},
        {"no new pod is expected to start",
         priority(10, {a, with_pods("b", 0, 0)}, {"a", "b"}),
         {{{"a", 10}, {"b", 9}}}},
        {"pods start in no target",
         priority(10, {a, b}, {"a", "b"}),
         {{{"a", 10}, {"b", 0}}, 0, 9}},
        {"targets outside the order take nothing",
         priority(10, {a, with_pods("b", 0, 0)}, {"a"}),
         {{{"a", 10}, {"b", 0}}, 0, 9}},
        {"blocked replicas are removed first",
         priority(10, {shrinking, with_pods("b", 0, 0)}, {"a", "b"}),
         {{{"a", 10}, {"b", 0}}}},
    });
}

TEST(PlacementByPriority, MovesBlockedReplicasToEarlierTargetsIfThereAreNoLater) {
    const PlacedTarget first{.name = "a", .max = 10, .total = 2}, small{.name = "a", .max = 4};
    const PlacedTarget last{.name = "b", .min = 3, .total = 3, .blocked = 3};
    PlacedTarget gone{.name = "b", .min = 3};
    gone.is_gone = true;
    expect_all({
        {"the minimum of the last target is blocked",
         priority(5, {first, last}, {"a", "b"}),
         {{{"a", 5}, {"b", 3}}}},
        {"only as far as there is room",
         priority(5, {small, last}, {"a", "b"}),
         {{{"a", 4}, {"b", 3}}, 0, 1}},
        {"the minimum of a target outside the order is blocked",
         priority(5, {first, last}, {"a"}),
         {{{"a", 5}, {"b", 3}}}},
        {"a target outside the order does not exist",
         priority(5, {first, gone}, {"a"}),
         {{{"a", 5}, {"b", 3}}}},
    });
}

TEST(PlacementLimits, TreatAMinimumAboveTheMaximumAsBoth) {
    const PlacedTarget odd{.name = "a", .min = 5, .max = 2, .weight = 1};
    expect_all({
        {"proportional", proportional(9, {odd, with_weight("b", 1)}), {{{"a", 5}, {"b", 4}}}},
        {"listed", priority(9, {odd, with_weight("b", 1)}, {"a", "b"}), {{{"a", 5}, {"b", 4}}}},
        {"not listed", priority(9, {odd, with_weight("b", 1)}, {"b"}), {{{"a", 5}, {"b", 4}}}},
    });
}

TEST(PlacementBounds, NeverExceedTheRangeOfAScale) {
    constexpr std::int64_t most = 2'147'483'647;
    PlacedTarget blocked = half("a", 5, 5);
    expect_all({
        {"fallback on top of a large half",
         proportional(most, {blocked, half("b", 0, 0)}),
         {{{"a", 1'073'741'824}, {"b", most}}}},
        {"priority",
         priority(most, {with_pods("a", 5, 5), with_pods("b", 0, 0)}, {"a", "b"}),
         {{{"a", most}, {"b", most}}}},
        {"minimums of all",
         proportional(most, {{.name = "a", .min = most}, {.name = "b", .min = most}}),
         {{{"a", most}, {"b", most}}, most}},
    });
}

TEST(PlacementByProportions, KeepsTheRatio) {
    expect_all({
        {"halves",
         proportional(10, {{.name = "a", .min = 1, .max = 7, .weight = 50},
                           {.name = "b", .min = 1, .weight = 50}}),
         {{{"a", 5}, {"b", 5}}}},
        {"an odd one goes to the lower name",
         proportional(5, {with_weight("b", 1), with_weight("a", 1)}),
         {{{"a", 3}, {"b", 2}}}},
        {"a target at its maximum leaves the calculation",
         proportional(10, {with_weight("a", 60, 2), with_weight("b", 30), with_weight("c", 10)}),
         {{{"a", 2}, {"b", 6}, {"c", 2}}}},
        {"two targets reach their maximum",
         proportional(10, {with_weight("a", 60, 2), with_weight("b", 30, 5), with_weight("c", 10)}),
         {{{"a", 2}, {"b", 5}, {"c", 3}}}},
        {"all are full",
         proportional(10, {with_weight("a", 1, 2), with_weight("b", 1, 3)}),
         {{{"a", 2}, {"b", 3}}, 0, 5}},
        {"a target without a weight gets its minimum",
         proportional(6, {{.name = "a", .min = 2}, with_weight("b", 1, 3)}),
         {{{"a", 2}, {"b", 3}}, 0, 1}},
        {"a negative weight counts as zero",
         proportional(4, {with_weight("a", -5), with_weight("b", 1)}),
         {{{"a", 0}, {"b", 4}}}},
        {"a minimum above the share",
         proportional(10, {{.name = "a", .min = 7, .weight = 1}, with_weight("b", 1)}),
         {{{"a", 7}, {"b", 3}}}},
        {"minimums above what is wanted",
         proportional(3,
                      {{.name = "a", .min = 2, .weight = 1}, {.name = "b", .min = 4, .weight = 9}}),
         {{{"a", 2}, {"b", 4}}, 3}},
        {"a minimum above the maximum applies",
         proportional(9, {{.name = "a", .min = 5, .max = 2, .weight = 1}, with_weight("b", 1)}),
         {{{"a", 5}, {"b", 4}}}},
        {"the largest possible number",
         proportional(2'147'483'647,
                      {with_weight("a", 2'147'483'647), with_weight("b", 2'147'483'647)}),
         {{{"a", 1'073'741'824}, {"b", 1'073'741'823}}}},
    });
}

TEST(PlacementByProportions, MinimizesTheLargestDifferenceByLeastError) {
    expect_all({
        {"upstream gives all of it to the first",
         proportional(5, {with_weight("a", 70), with_weight("b", 10), with_weight("c", 10),
                          with_weight("d", 10)}),
         {{{"a", 4}, {"b", 1}, {"c", 0}, {"d", 0}}}},
        {"seven of 60/30/10",
         proportional(7, {with_weight("a", 60), with_weight("b", 30), with_weight("c", 10)}),
         {{{"a", 4}, {"b", 2}, {"c", 1}}}},
        {"the difference is least with a minimum above a share, too",
         proportional(4, {{.name = "a", .min = 1, .weight = 7},
                          {.name = "b", .min = 2, .weight = 45},
                          {.name = "c", .weight = 10}}),
         {{{"a", 1}, {"b", 3}, {"c", 0}}}},
    });
}

TEST(PlacementByProportions, MatchesUpstreamByHighestAverages) {
    const auto upstream = [](std::int64_t wanted, std::vector<PlacedTarget> targets) {
        return proportional(wanted, std::move(targets), Rounding::highest_averages);
    };
    expect_all({
        {"halves",
         upstream(10, {{.name = "a", .min = 1, .max = 7, .weight = 50},
                       {.name = "b", .min = 1, .weight = 50}}),
         {{{"a", 5}, {"b", 5}}}},
        {"seven of 60/30/10",
         upstream(7, {with_weight("a", 60), with_weight("b", 30), with_weight("c", 10)}),
         {{{"a", 5}, {"b", 2}, {"c", 0}}}},
        {"the third target gets its first replica with the tenth",
         upstream(10, {with_weight("a", 60), with_weight("b", 30), with_weight("c", 10)}),
         {{{"a", 6}, {"b", 3}, {"c", 1}}}},
        {"all of it to the first",
         upstream(5, {with_weight("a", 70), with_weight("b", 10), with_weight("c", 10),
                      with_weight("d", 10)}),
         {{{"a", 5}, {"b", 0}, {"c", 0}, {"d", 0}}}},
        {"a target at its maximum leaves the calculation",
         upstream(10, {with_weight("a", 60, 2), with_weight("b", 30), with_weight("c", 10)}),
         {{{"a", 2}, {"b", 6}, {"c", 2}}}},
    });
}

TEST(PlacementByProportions, MovesBlockedReplicasToHealthyTargets) {
    PlacedTarget gone = half("a", 0, 0);
    gone.is_gone = true;
    expect_all({
        {"three of five are blocked",
         proportional(10, {half("a", 5, 3), half("b", 5, 0)}),
         {{{"a", 5}, {"b", 8}}}},
        {"both targets have blocked replicas",
         proportional(10, {half("a", 5, 3), half("b", 5, 1)}),
         {{{"a", 5}, {"b", 5}}, 0, 4}},
        {"one target does not exist",
         proportional(10, {gone, half("b", 5, 0)}),
         {{{"a", 5}, {"b", 10}}}},
        {"there is no room even without a fallback",
         proportional(10, {{.name = "a", .max = 4, .weight = 1, .total = 4, .blocked = 4},
                           with_weight("b", 1, 4)}),
         {{{"a", 4}, {"b", 4}}, 0, 2}},
    });
}

TEST(PlacementFallback, IsOffWithoutATimeout) {
    PlacementRequest request = proportional(10, {half("a", 5, 3), half("b", 5, 0)});
    request.falls_back = false;
    EXPECT_EQ(place(request).replicas, (Numbers{{"a", 5}, {"b", 5}}));
    request = priority(5, {with_pods("a", 3, 3), with_pods("b", 0, 0)}, {"a", "b"});
    request.falls_back = false;
    EXPECT_EQ(place(request).replicas, (Numbers{{"a", 5}, {"b", 0}}));
}

TEST(PlacementFallback, CountsOnlyReplicasThatWereMoved) {
    EXPECT_EQ(place(proportional(10, {half("a", 5, 3), half("b", 5, 0)})).fallback, 3);
    EXPECT_EQ(place(proportional(10, {half("a", 5, 3), half("b", 5, 1)})).fallback, 0);
}

/// The first defect of upstream's controller: an unknown name ends its process.
TEST(PlacementByPriority, IgnoresUnknownAndDuplicateNames) {
    const std::vector<PlacedTarget> targets{with_pods("a", 3, 2), with_pods("b", 0, 0)};
    const Placement plain = place(priority(5, targets, {"a", "b"}));
    EXPECT_EQ(place(priority(5, targets, {"nobody", "a", "a", "b", ""})), plain);
}

/// The least error of all placements on three targets, by brute force.
double least_error(const std::vector<PlacedTarget>& targets, std::int64_t wanted) {
    double best = 2, weights = 0;
    for (const PlacedTarget& t : targets) weights += static_cast<double>(t.weight);
    const auto error = [&](const std::vector<std::int64_t>& has) {
        double worst = 0;
        for (std::size_t i = 0; i < has.size(); ++i)
            worst =
                std::max(worst, std::abs(static_cast<double>(has[i]) / static_cast<double>(wanted) -
                                         static_cast<double>(targets[i].weight) / weights));
        return worst;
    };
    for (std::int64_t a = 0; a <= wanted; ++a) {
        for (std::int64_t b = 0; a + b <= wanted; ++b)
            best = std::min(best, error({a, b, wanted - a - b}));
    }
    return best;
}

TEST(PlacementByProportions, HasTheLeastPossibleError) {
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        const std::vector<PlacedTarget> targets{with_weight("a", number(random, 1, 100)),
                                                with_weight("b", number(random, 1, 100)),
                                                with_weight("c", number(random, 1, 100))};
        const std::int64_t wanted = number(random, 1, 20);
        const Placement placed = place(proportional(wanted, targets));
        double weights = 0, worst = 0;
        for (const PlacedTarget& t : targets) weights += static_cast<double>(t.weight);
        for (const PlacedTarget& t : targets)
            worst = std::max(worst, std::abs(static_cast<double>(placed.replicas.at(t.name)) /
                                                 static_cast<double>(wanted) -
                                             static_cast<double>(t.weight) / weights));
        EXPECT_NEAR(worst, least_error(targets, wanted), 1e-9) << "round " << round;
    }
}

/// Adds one replica at a time, like upstream.
Numbers one_by_one(std::int64_t wanted, const std::vector<PlacedTarget>& targets) {
    Numbers out;
    std::int64_t rest = wanted;
    for (const PlacedTarget& t : targets) rest -= out[t.name] = t.min;
    for (; rest > 0; --rest) {
        const PlacedTarget* pick = nullptr;
        for (const PlacedTarget& t : targets) {
            if (t.weight <= 0 || out[t.name] >= t.max) continue;
            if (pick == nullptr ||
                t.weight * (out[pick->name] + 1) > pick->weight * (out[t.name] + 1))
                pick = &t;
        }
        if (pick == nullptr) break;
        ++out[pick->name];
    }
    return out;
}

TEST(PlacementByProportions, EqualsAddingOneReplicaAtATimeByHighestAverages) {
    std::mt19937 random(11);
    for (int round = 0; round < 500; ++round) {
        std::vector<PlacedTarget> targets;
        for (const char* name : {"a", "b", "c", "d"}) {
            const std::int64_t min = number(random, 0, 3);
            targets.push_back(
                {.name = name,
                 .min = min,
                 .max = number(random, 0, 1) == 0 ? unlimited : min + number(random, 0, 7),
                 .weight = number(random, 0, 5)});
        }
        const std::int64_t wanted = number(random, 0, 39);
        EXPECT_EQ(place(proportional(wanted, targets, Rounding::highest_averages)).replicas,
                  one_by_one(wanted, targets))
            << "round " << round;
    }
}

TEST(PlacementByProportions, NeverShrinksATargetForAGrowingTotalByHighestAverages) {
    const std::vector<PlacedTarget> targets{with_weight("a", 6), with_weight("b", 6),
                                            with_weight("c", 2)};
    Placement before = place(proportional(0, targets, Rounding::highest_averages));
    for (std::int64_t wanted = 1; wanted < 60; ++wanted) {
        const Placement now = place(proportional(wanted, targets, Rounding::highest_averages));
        for (const auto& [name, replicas] : now.replicas)
            EXPECT_GE(replicas, before.replicas[name]) << wanted;
        before = now;
    }
}

}  // namespace
}  // namespace capstan::replicas
