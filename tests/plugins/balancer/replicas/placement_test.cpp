#include "placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

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

/// All blocked pods are late.
PlacedTarget with_pods(std::string name, std::int64_t total, std::int64_t blocked) {
    return {.name = std::move(name), .total = total, .blocked = blocked, .late = blocked};
}

PlacedTarget half(std::string name, std::int64_t total, std::int64_t blocked) {
    PlacedTarget out = with_pods(std::move(name), total, blocked);
    out.weight = 50;
    return out;
}

PlacedTarget with_min(PlacedTarget target, std::int64_t min) {
    target.min = min;
    return target;
}

PlacedTarget with_max(PlacedTarget target, std::int64_t max) {
    target.max = max;
    return target;
}

PlacedTarget with_before(PlacedTarget target, std::int64_t before) {
    target.before = before;
    return target;
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
    const PlacedTarget n1{.name = "n1", .min = 1, .max = 7, .total = 4, .blocked = 2, .late = 2};
    const PlacedTarget n2{.name = "n2", .min = 1};
    const PlacedTarget a = with_pods("a", 3, 2), b = with_pods("b", 3, 2);
    const PlacedTarget shrinking = with_max(with_pods("a", 15, 2), 10);
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
    const PlacedTarget last = with_min(with_pods("b", 3, 3), 3);
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
        {"pods start in no target",
         proportional(10, {half("a", 5, 3), half("b", 5, 3)}),
         {{{"a", 5}, {"b", 5}}, 0, 6}},
        {"one target does not exist",
         proportional(10, {gone, half("b", 5, 0)}),
         {{{"a", 5}, {"b", 10}}}},
        {"there is no room even without a fallback",
         proportional(10, {with_max(half("a", 4, 4), 4), with_max(half("b", 4, 0), 4)}),
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
    EXPECT_EQ(place(proportional(10, {half("a", 5, 3), half("b", 5, 3)})).fallback, 0);
}

TEST(PlacementFallback, UsesTargetsThatStartMostOfTheirPods) {
    PlacedTarget starting = half("b", 100, 51);
    starting.late = 1;
    expect_all({
        {"one of 50 pods is late, and has nowhere to go",
         proportional(100, {half("a", 50, 50), half("b", 50, 1)}),
         {{{"a", 50}, {"b", 100}}, 0, 1}},
        {"and the extra pods are starting",
         proportional(100, {half("a", 50, 50), starting}),
         {{{"a", 50}, {"b", 100}}, 0, 1}},
        {"by priority one of three",
         priority(100, {with_pods("a", 100, 100), with_pods("b", 3, 1)}, {"a", "b"}),
         {{{"a", 100}, {"b", 100}}, 0, 1}},
        {"half of the pods",
         proportional(20, {half("a", 10, 10), half("b", 10, 5)}),
         {{{"a", 10}, {"b", 20}}, 0, 5}},
        {"not if more than half are late",
         proportional(20, {half("a", 10, 10), half("b", 10, 6)}),
         {{{"a", 10}, {"b", 10}}, 0, 16}},
        {"two targets replace each other's late pods",
         proportional(20, {half("a", 10, 1), half("b", 10, 2)}),
         {{{"a", 12}, {"b", 11}}}},
        {"never above the maximum",
         proportional(20, {half("a", 10, 10), with_max(half("b", 10, 1), 13)}),
         {{{"a", 10}, {"b", 13}}, 0, 8}},
    });
}

TEST(PlacementFallback, FollowsThePolicyAmongTargetsWithFewLatePods) {
    expect_all({
        {"by weight",
         proportional(99, {half("a", 33, 33), half("b", 33, 1), half("c", 33, 0)}),
         {{{"a", 33}, {"b", 50}, {"c", 50}}}},
        {"in order",
         priority(10, {with_pods("a", 10, 10), with_pods("b", 5, 1), with_pods("c", 0, 0)},
                  {"a", "b", "c"}),
         {{{"a", 10}, {"b", 10}, {"c", 1}}}},
    });
}

TEST(PlacementFallback, UsesTargetsWithManyLatePodsLast) {
    expect_all({
        {"proportional",
         proportional(15, {half("a", 5, 5), half("b", 5, 2), half("c", 5, 0)}),
         {{{"a", 5}, {"b", 5}, {"c", 12}}}},
        {"by priority",
         priority(10, {with_pods("a", 10, 10), with_pods("b", 5, 2), with_pods("c", 0, 0)},
                  {"a", "b", "c"}),
         {{{"a", 10}, {"b", 0}, {"c", 10}}}},
        {"when the others are full",
         priority(10,
                  {with_pods("a", 10, 10), with_pods("b", 5, 2), with_max(with_pods("c", 0, 0), 4)},
                  {"a", "b", "c"}),
         {{{"a", 10}, {"b", 6}, {"c", 4}}, 0, 2}},
        {"never those that start nothing",
         priority(10, {with_pods("a", 10, 10), with_pods("b", 5, 3), with_pods("c", 0, 0)},
                  {"a", "b", "c"}),
         {{{"a", 10}, {"b", 0}, {"c", 10}}}},
    });
}

TEST(PlacementFallback, ReplacesExtraReplicasThatAreLate) {
    expect_all({
        {"on the next target",
         priority(10, {with_pods("a", 10, 10), with_pods("b", 10, 2), with_pods("c", 0, 0)},
                  {"a", "b", "c"}),
         {{{"a", 10}, {"b", 10}, {"c", 2}}}},
        {"by weight",
         proportional(30, {half("a", 10, 10), half("b", 15, 2), half("c", 15, 0)}),
         {{{"a", 10}, {"b", 15}, {"c", 17}}}},
    });
}

TEST(PlacementFallback, LeavesExtraReplicasThatDoNotStartWhereTheyAre) {
    const PlacedTarget a = with_pods("a", 10, 10);
    expect_all({
        {"while another target has the replicas",
         priority(10, {a, with_before(with_pods("b", 10, 10), 10), with_pods("c", 10, 0)},
                  {"a", "b", "c"}),
         {{{"a", 10}, {"b", 10}, {"c", 10}}}},
        {"while none can take them",
         priority(10, {a, with_before(with_pods("b", 10, 10), 10)}, {"a", "b"}),
         {{{"a", 10}, {"b", 10}}, 0, 10}},
        {"as many as are needed",
         priority(10, {with_pods("a", 10, 6), with_before(with_pods("b", 10, 10), 10)}, {"a", "b"}),
         {{{"a", 10}, {"b", 6}}, 0, 6}},
        {"and asks no more of that target",
         proportional(40, {half("a", 20, 20), with_before(half("b", 40, 17), 40)}),
         {{{"a", 20}, {"b", 40}}, 0, 17}},
        {"until they are not needed",
         priority(10, {with_pods("a", 10, 0), with_before(with_pods("b", 10, 10), 10)}, {"a", "b"}),
         {{{"a", 10}, {"b", 0}}}},
    });
}

TEST(PlacementFallback, NeverShrinksATargetNorExceedsAMaximum) {
    std::mt19937 random(13);
    for (int round = 0; round < 2000; ++round) {
        PlacementRequest request{
            .policy = number(random, 0, 1) == 0 ? Policy::priority : Policy::proportional,
            .wanted = number(random, 0, 40),
            .order = {"a", "b", "c", "d"},
            .falls_back = true};
        bool fails = false;
        for (const char* name : {"a", "b", "c", "d"}) {
            PlacedTarget target{.name = name, .weight = number(random, 0, 3)};
            target.min = number(random, 0, 3);
            target.max = number(random, 0, 1) == 0 ? unlimited : target.min + number(random, 0, 12);
            target.total = number(random, 0, 20);
            target.blocked = number(random, 0, 2) > 0 ? 0 : number(random, 0, target.total);
            target.late = target.blocked == 0 ? 0 : number(random, 1, target.blocked);
            target.before = number(random, 0, 20);
            target.is_gone = number(random, 0, 9) == 0;
            fails = fails || target.blocked > 0 || target.is_gone;
            request.targets.push_back(std::move(target));
        }
        SCOPED_TRACE(round);
        const Placement with = place(request);
        request.falls_back = false;
        const Placement without = place(request);
        std::int64_t extra = 0;
        for (const PlacedTarget& target : request.targets) {
            const std::int64_t has = with.replicas.at(target.name),
                               own = without.replicas.at(target.name);
            EXPECT_GE(has, own);
            EXPECT_TRUE(has == own || (has <= target.max && !target.is_gone));
            extra += has - own;
        }
        EXPECT_EQ(with.fallback, extra);
        EXPECT_GE(with.overflow, without.overflow);
        if (!fails) {
            EXPECT_EQ(extra, 0);
        }
    }
}

/// A target that starts at most `room` pods. The others become late between two steps.
struct Zone {
    PlacedTarget target;
    std::int64_t room;
    std::int64_t started = 0;

    /// A Deployment removes the pods first that have not started, the youngest of them first.
    void scale(std::int64_t replicas) {
        started = std::min(std::max(started, std::min(room, replicas)), replicas);
        target.before = replicas;
        target.total = replicas;
        target.blocked = replicas - started;
        target.late = std::min(target.late, target.blocked);
    }
};

/// While pods are young, replicas are given on trust. Once it is known what starts, they stay where
/// they are, and every pod that can start has started.
TEST(PlacementFallback, ComesToRestAndUsesAllRoom) {
    std::mt19937 random(17);
    for (int round = 0; round < 1000; ++round) {
        SCOPED_TRACE(round);
        PlacementRequest request{
            .policy = number(random, 0, 1) == 0 ? Policy::priority : Policy::proportional,
            .wanted = number(random, 1, 60),
            .order = {"a", "b", "c", "d"},
            .falls_back = true};
        std::vector<Zone> zones;
        std::int64_t room = 0;
        for (const char* name : {"a", "b", "c", "d"}) {
            zones.push_back({{.name = name, .weight = number(random, 1, 3)},
                             number(random, 0, 3) == 0 ? 0 : number(random, 0, 80)});
            room += zones.back().room;
        }
        std::vector<Numbers> steps;
        for (int step = 0; step < 40; ++step) {
            request.targets.clear();
            for (const Zone& zone : zones) request.targets.push_back(zone.target);
            steps.push_back(place(request).replicas);
            for (Zone& zone : zones) {
                zone.scale(steps.back().at(zone.target.name));
                // Every other step is soon after the one before.
                if (step % 2 == 1) zone.target.late = zone.target.blocked;
            }
        }
        std::int64_t started = 0;
        for (const Zone& zone : zones) started += zone.started;
        EXPECT_GE(started, std::min(request.wanted, room));
        if (room < request.wanted) continue;
        EXPECT_EQ(std::set(steps.end() - 8, steps.end()).size(), 1u);
    }
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
