#include "autoscaler/dump/budgets.hpp"

#include <gtest/gtest.h>

namespace capstan::autoscaler::dump {
namespace {

const Labels web_labels{{"app", "web"}};

std::vector<PodSet> pod_sets(int wanted, int healthy) {
    return {{.ns = "default",
             .labels = &web_labels,
             .present = wanted,
             .healthy = healthy,
             .controller = "web",
             .wanted = wanted}};
}

Budget budget(std::optional<PodShare> min_available, std::optional<PodShare> max_unavailable) {
    return {.name = "b",
            .selector = {.match_labels = web_labels},
            .min_available = min_available,
            .max_unavailable = max_unavailable};
}

/// The allowed disruptions. Absent: unchanged since the last call.
std::optional<int> allowed(Budgets& budgets, const std::vector<PodSet>& sets) {
    const auto objects = budgets.refresh(sets);
    return objects.empty() ? std::nullopt : std::optional(objects.at(0).disruptions_allowed);
}

TEST(SimulatedBudgets, AllowDisruptionsAboveMinAvailable) {
    Budgets budgets;
    budgets.set(budget(8, {}));
    EXPECT_EQ(allowed(budgets, pod_sets(10, 10)), 2);
    EXPECT_EQ(allowed(budgets, pod_sets(10, 10)), std::nullopt) << "unchanged";
    EXPECT_EQ(allowed(budgets, pod_sets(10, 8)), 0);
    EXPECT_EQ(allowed(budgets, pod_sets(10, 3)), std::nullopt) << "never below zero";
}

TEST(SimulatedBudgets, AllowMaxUnavailableOfTheDesiredPods) {
    Budgets budgets;
    budgets.set(budget({}, 1));
    EXPECT_EQ(allowed(budgets, pod_sets(10, 10)), 1);
    EXPECT_EQ(allowed(budgets, pod_sets(10, 9)), 0);
}

constexpr bool percent = true;

TEST(SimulatedBudgets, RoundPercentagesUp) {
    struct Case {
        Budget rule;
        int wanted, allowed;
    };
    const Case cases[]{
        {budget(PodShare(50, percent), {}), 10, 5},
        {budget(PodShare(50, percent), {}), 7, 3},  // 3.5 must stay: 4
        {budget(PodShare(1, percent), {}), 7, 6},
        {budget(PodShare(100, percent), {}), 7, 0},
        {budget(PodShare(0, percent), {}), 7, 7},
        {budget({}, PodShare(30, percent)), 10, 3},
        {budget({}, PodShare(30, percent)), 7, 3},  // 2.1 may be disrupted: 3
        {budget({}, PodShare(1, percent)), 1, 1},
        {budget({}, PodShare(100, percent)), 7, 7},
        {budget({}, PodShare(0, percent)), 7, 0},
    };
    for (const Case& c : cases) {
        Budgets budgets;
        budgets.set(c.rule);
        EXPECT_EQ(allowed(budgets, pod_sets(c.wanted, c.wanted)), c.allowed) << &c - cases;
    }
}

TEST(SimulatedBudgets, ComputePercentagesOfTheDesiredReplicas) {
    Budgets budgets;
    budgets.set(budget(PodShare(50, percent), {}));
    EXPECT_EQ(allowed(budgets, pod_sets(10, 6)), 1);
    EXPECT_EQ(allowed(budgets, pod_sets(10, 4)), 0);
    EXPECT_EQ(allowed(budgets, {}), std::nullopt) << "still 0: there is nothing to disrupt";
}

TEST(SimulatedBudgets, CountEachControllerOnce) {
    Budgets budgets;
    budgets.set(budget({}, PodShare(50, percent)));
    std::vector<PodSet> sets = pod_sets(4, 2);
    sets.push_back(sets.front());
    EXPECT_EQ(allowed(budgets, sets), 2) << "4 healthy of 4 wanted, 2 must stay";
}

TEST(SimulatedBudgets, AllowEvictionsOfBarePodsOnlyIfMinAvailableIsANumber) {
    std::vector<PodSet> bare = pod_sets(3, 3);
    bare[0].controller = {};
    bare[0].wanted.reset();
    const std::pair<Budget, int> cases[]{{budget(1, {}), 2},
                                         {budget(PodShare(50, percent), {}), 0},
                                         {budget({}, 1), 0},
                                         {budget({}, {}), 0}};
    for (const auto& [rule, expected] : cases) {
        Budgets budgets;
        budgets.set(rule);
        EXPECT_EQ(allowed(budgets, bare), expected);
    }
}

TEST(SimulatedBudgets, AllowNothingIfAControllerHasNoScale) {
    std::vector<PodSet> jobs = pod_sets(3, 3);
    jobs[0].wanted.reset();
    Budgets budgets;
    budgets.set(budget({}, 2));
    EXPECT_EQ(allowed(budgets, jobs), 0);
    EXPECT_EQ(budgets.find_refusal("default", web_labels, false, jobs),
              "PodDisruptionBudget default/b allows 0 disruptions");
}

TEST(SimulatedBudgets, AllowEvictionsOfUnhealthyPodsIfEnoughPodsAreHealthy) {
    Budgets budgets;
    budgets.set(budget(8, {}));
    EXPECT_EQ(budgets.find_refusal("default", web_labels, true, pod_sets(10, 8)),
              "PodDisruptionBudget default/b allows 0 disruptions");
    EXPECT_EQ(budgets.find_refusal("default", web_labels, false, pod_sets(10, 8)), std::nullopt);
    EXPECT_NE(budgets.find_refusal("default", web_labels, false, pod_sets(10, 7)), std::nullopt);
    EXPECT_EQ(budgets.find_refusal("other", web_labels, true, pod_sets(10, 0)), std::nullopt);
}

}  // namespace
}  // namespace capstan::autoscaler::dump
