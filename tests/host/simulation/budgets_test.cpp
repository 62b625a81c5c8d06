#include "simulation/budgets.hpp"

#include <gtest/gtest.h>

namespace capstan::simulation {
namespace {

const Labels web_labels{{"app", "web"}};

std::vector<PodSet> crowd(int wanted, int healthy) {
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

/// How many may go now; nothing: as many as the last time.
std::optional<int> allowed(Budgets& budgets, const std::vector<PodSet>& crowds) {
    const auto objects = budgets.refresh(crowds);
    return objects.empty() ? std::nullopt : std::optional(objects.at(0).disruptions_allowed);
}

TEST(Budgets, AllowWhatIsAboveTheMinimum) {
    Budgets budgets;
    budgets.set(budget(8, {}));
    EXPECT_EQ(allowed(budgets, crowd(10, 10)), 2);
    EXPECT_EQ(allowed(budgets, crowd(10, 10)), std::nullopt) << "nothing new";
    EXPECT_EQ(allowed(budgets, crowd(10, 8)), 0);
    EXPECT_EQ(allowed(budgets, crowd(10, 3)), std::nullopt) << "never below zero";
}

TEST(Budgets, CountTheUnavailableFromWhatIsWanted) {
    Budgets budgets;
    budgets.set(budget({}, 1));
    EXPECT_EQ(allowed(budgets, crowd(10, 10)), 1);
    EXPECT_EQ(allowed(budgets, crowd(10, 9)), 0);
}

constexpr bool percent = true;

TEST(Budgets, RoundPercentagesUpAsTheDisruptionControllerDoes) {
    struct Case {
        Budget rule;
        int wanted, allowed;
    };
    const Case cases[]{
        {budget(PodShare(50, percent), {}), 10, 5},
        {budget(PodShare(50, percent), {}), 7, 3},  // 3.5 have to stay: 4
        {budget(PodShare(1, percent), {}), 7, 6},
        {budget(PodShare(100, percent), {}), 7, 0},
        {budget(PodShare(0, percent), {}), 7, 7},
        {budget({}, PodShare(30, percent)), 10, 3},
        {budget({}, PodShare(30, percent)), 7, 3},  // 2.1 may go: 3
        {budget({}, PodShare(1, percent)), 1, 1},
        {budget({}, PodShare(100, percent)), 7, 7},
        {budget({}, PodShare(0, percent)), 7, 0},
    };
    for (const Case& c : cases) {
        Budgets budgets;
        budgets.set(c.rule);
        EXPECT_EQ(allowed(budgets, crowd(c.wanted, c.wanted)), c.allowed) << &c - cases;
    }
}

TEST(Budgets, TakePercentagesOfWhatControllersWantNotOfWhatIsThere) {
    Budgets budgets;
    budgets.set(budget(PodShare(50, percent), {}));
    EXPECT_EQ(allowed(budgets, crowd(10, 6)), 1);
    EXPECT_EQ(allowed(budgets, crowd(10, 4)), 0);
    EXPECT_EQ(allowed(budgets, {}), std::nullopt) << "nothing to disrupt";
}

TEST(Budgets, CountEachControllerOnceHoweverManyLooksItsPodsHave) {
    Budgets budgets;
    budgets.set(budget({}, PodShare(50, percent)));
    std::vector<PodSet> crowds = crowd(4, 2);
    crowds.push_back(crowds.front());
    EXPECT_EQ(allowed(budgets, crowds), 2) << "4 healthy of 4 wanted, 2 have to stay";
}

TEST(Budgets, ExpectNothingOfPodsWithoutControllerButForAWholeMinimum) {
    std::vector<PodSet> bare = crowd(3, 3);
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

TEST(Budgets, AllowNothingWhereAControllerHasNoScale) {
    std::vector<PodSet> jobs = crowd(3, 3);
    jobs[0].wanted.reset();
    Budgets budgets;
    budgets.set(budget({}, 2));
    EXPECT_EQ(allowed(budgets, jobs), 0);
    EXPECT_EQ(budgets.find_refusal("default", web_labels, false, jobs),
              "PodDisruptionBudget default/b allows 0 disruptions");
}

TEST(Budgets, APodThatIsNotHealthyMayGoWhileTheOthersAreEnough) {
    Budgets budgets;
    budgets.set(budget(8, {}));
    EXPECT_EQ(budgets.find_refusal("default", web_labels, true, crowd(10, 8)),
              "PodDisruptionBudget default/b allows 0 disruptions");
    EXPECT_EQ(budgets.find_refusal("default", web_labels, false, crowd(10, 8)), std::nullopt);
    EXPECT_NE(budgets.find_refusal("default", web_labels, false, crowd(10, 7)), std::nullopt);
    EXPECT_EQ(budgets.find_refusal("other", web_labels, true, crowd(10, 0)), std::nullopt);
}

}  // namespace
}  // namespace capstan::simulation
