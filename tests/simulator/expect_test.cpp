#include "simulator/expect.hpp"

#include <gtest/gtest.h>

namespace capstan::simulator {
namespace {

using CommandLines = std::vector<std::string>;

TEST(Expectations, IgnoreResultsWithoutAnExpectation) {
    EXPECT_EQ(find_unmet({}, {.commands = {{"increase web by 1"}}, .pending = 3}), CommandLines());
    EXPECT_EQ(count_of({}), 0);
}

TEST(Expectations, ShowADiffOfCommands) {
    const Expectations expected{.commands = CommandLines{"increase a by 1", "increase b by 2"}};
    const Seen seen{.commands = {{"increase a by 1"}, {"increase b by 3"}, {"increase c by 1"}}};
    EXPECT_EQ(find_unmet(expected, seen), CommandLines{"commands differ (- expected, + given):\n"
                                                       "    increase a by 1\n"
                                                       "  - increase b by 2\n"
                                                       "  + increase b by 3\n"
                                                       "  + increase c by 1"});
}

TEST(Expectations, IncludeAnEmptyListOfCommands) {
    const Expectations expected{.commands = CommandLines{}};
    EXPECT_EQ(find_unmet(expected, {}), CommandLines());
    EXPECT_EQ(find_unmet(expected, {.commands = {{"increase a by 1"}}}).size(), 1u);
}

TEST(Expectations, TreatUnknownGroupsAsEmpty) {
    const Expectations expected{.nodes = {{"a", 0}, {"b", 1}}, .targets = {{"a", 2}}};
    EXPECT_EQ(
        find_unmet(expected, {.targets = {{"a", 1}}}),
        (CommandLines{"nodes of b: expected 1, found 0", "target of a: expected 2, found 1"}));
    EXPECT_EQ(count_of(expected), 3);
}

const std::vector<UnschedulablePods> unschedulable_web{
    {.batch = "web",
     .count = 2,
     .reason = {.sentence = "no"},
     .in_group = {{"a", "full"}, {"b", "small"}}}};

TEST(Expectations, AcceptAnyReasonOfABatch) {
    for (const char* line : {"web: no", "web in a: full", "web in b: small"}) {
        EXPECT_EQ(
            find_unmet({.unschedulable = CommandLines{line}}, {.unschedulable = unschedulable_web}),
            CommandLines())
            << line;
    }
}

TEST(Expectations, ShowAllReasonsIfOneIsWrong) {
    EXPECT_EQ(find_unmet({.unschedulable = CommandLines{"web in a: small"}},
                         {.unschedulable = unschedulable_web}),
              CommandLines{"unschedulable pods (- expected, + found):\n"
                           "  - web in a: small\n"
                           "  + web: no\n"
                           "  + web in a: full\n"
                           "  + web in b: small"});
}

TEST(Expectations, RequireAReasonForEachUnschedulableBatch) {
    EXPECT_EQ(
        find_unmet({.unschedulable = CommandLines{}}, {.unschedulable = unschedulable_web}).size(),
        1u);
    EXPECT_EQ(find_unmet({.unschedulable = CommandLines{}}, {}), CommandLines());
}

/// Commands, each with its time in minutes.
Seen commands_at(std::vector<std::pair<std::string, int>> commands) {
    Seen out;
    for (const auto& [text, minutes] : commands)
        out.commands.push_back({text, std::chrono::minutes(minutes)});
    return out;
}

TEST(Expectations, CompareOnlyTheSelectedKindsOfCommands) {
    const Expectations expected{.commands = CommandLines{"remove web-1 from web"},
                                .only = {"remove"}};
    EXPECT_EQ(
        find_unmet(expected, commands_at({{"evict default/a", 1}, {"remove web-1 from web", 2}})),
        CommandLines());
}

TEST(Expectations, RequireACommandWithinItsWindow) {
    const Expectations expected{.within = {{.command = "increase web by 2",
                                            .from = std::chrono::minutes(4),
                                            .until = std::chrono::minutes(6)}}};
    EXPECT_EQ(find_unmet(expected, commands_at({{"increase web by 2", 6}})), CommandLines());
    EXPECT_EQ(find_unmet(expected, commands_at({{"increase web by 2", 7}})),
              CommandLines{"\"increase web by 2\": expected from 4m to 6m, given at 7m"});
    EXPECT_EQ(find_unmet(expected, {}),
              CommandLines{"\"increase web by 2\": expected from 4m to 6m, not given"});
}

TEST(Expectations, MatchExpectNeverOnlyAtWordBoundaries) {
    const Expectations expected{.never = {"increase web"}};
    EXPECT_EQ(find_unmet(expected, commands_at({{"increase web-b by 1", 1}})), CommandLines());
    EXPECT_EQ(
        find_unmet(expected, commands_at({{"increase web by 1", 1}})),
        CommandLines{"expected never \"increase web\": \"increase web by 1\" was given at 1m"});
}

TEST(Expectations, CheckNodesAndTheirTaints) {
    const Expectations expected{
        .present = {"a", "b"}, .absent = {"c"}, .taints = {{.node = "a", .has = {"x", "y"}}}};
    Seen seen;
    seen.taints = {{"a", {"x"}}, {"c", {}}};
    EXPECT_EQ(find_unmet(expected, seen), (CommandLines{"node b does not exist", "node c exists",
                                                        "node a does not have the taint y"}));
    EXPECT_EQ(count_of(expected), 5);
}

TEST(Expectations, LimitTheLongestPendingTime) {
    const Expectations expected{.longest_pending = std::chrono::minutes(5)};
    EXPECT_EQ(find_unmet(expected, {.longest_pending = std::chrono::minutes(4)}), CommandLines());
    EXPECT_EQ(find_unmet(expected, {.longest_pending = std::chrono::minutes(5)}),
              CommandLines{"longest pending time: expected less than 5m, found 5m"});
}

TEST(Expectations, MatchStarsInCommands) {
    const Expectations expected{.commands = CommandLines{"create nap-*", "increase nap-* by 1"}};
    EXPECT_EQ(find_unmet(expected, commands_at({{"create nap-a", 1}, {"increase nap-a by 1", 1}})),
              CommandLines());
    EXPECT_EQ(find_unmet(expected, commands_at({{"create nap-a", 1}, {"increase nap-a by 2", 1}})),
              CommandLines{"commands differ (- expected, + given):\n"
                           "    create nap-a\n"
                           "  - increase nap-* by 1\n"
                           "  + increase nap-a by 2"});
}

TEST(Expectations, ShowCommandsInAnotherOrder) {
    const Expectations expected{.commands = CommandLines{"increase a by 1", "increase b by 1"}};
    EXPECT_EQ(
        find_unmet(expected, commands_at({{"increase b by 1", 1}, {"increase a by 1", 2}})).size(),
        1u);
}

TEST(Expectations, CheckWhichGroupsAreBackedOff) {
    const Seen seen{.backed_off = {"b"}};
    EXPECT_EQ(find_unmet({.backed_off = CommandLines{"a"}}, seen),
              CommandLines{"groups backed off after a failure (- expected, + found):\n"
                           "  - a\n"
                           "  + b"});
    EXPECT_EQ(find_unmet({.backed_off = CommandLines{}}, {}), CommandLines());
    EXPECT_EQ(find_unmet({.not_backed_off = {"a", "b"}}, seen),
              CommandLines{"group b is backed off after a failure"});
}

TEST(Expectations, CheckThatTaintsAreMissing) {
    Seen seen;
    seen.taints = {{"a", {"x"}}};
    const Expectations expected{.taints = {{.node = "a", .lacks = {"x", "y"}},
                                           {.node = "gone", .has = {"x"}, .lacks = {"y"}}}};
    EXPECT_EQ(find_unmet(expected, seen),
              (CommandLines{"node a has the taint x", "node gone does not have the taint x"}));
    EXPECT_EQ(count_of(expected), 4);
}

TEST(Expectations, CompareTheNumberOfPendingPods) {
    EXPECT_EQ(find_unmet({.pending = 0}, {}), CommandLines());
    EXPECT_EQ(find_unmet({.pending = 0}, {.pending = 3}),
              CommandLines{"pending pods: expected 0, found 3"});
    EXPECT_EQ(find_unmet({.pending = 3}, {}), CommandLines{"pending pods: expected 3, found 0"});
}

TEST(Expectations, AcceptACommandFromTheFirstMomentOfItsWindow) {
    const Expectations expected{
        .within = {{.command = "increase web", .from = std::chrono::minutes(4)}}};
    EXPECT_EQ(find_unmet(expected, commands_at({{"increase web by 1", 4}})), CommandLines());
    EXPECT_EQ(
        find_unmet(expected, commands_at({{"increase web by 1", 3}, {"increase web by 2", 9}})),
        CommandLines())
        << "one of several";
    EXPECT_EQ(
        find_unmet(expected, commands_at({{"increase web by 1", 1}, {"increase web by 1", 3}})),
        CommandLines{"\"increase web\": expected from 4m to the end of the step, given at 1m, 3m"});
}

TEST(Expectations, NameTheFirstCommandThatNeverShouldCome) {
    EXPECT_EQ(find_unmet({.never = {"remove", "evict"}},
                         commands_at({{"remove web-1 from web", 2}, {"remove web-2 from web", 3}})),
              CommandLines{"expected never \"remove\": \"remove web-1 from web\" was given at 2m"});
}

}  // namespace
}  // namespace capstan::simulator
