#include "simulation/expect.hpp"

#include <gtest/gtest.h>

namespace capstan::simulation {
namespace {

using Lines = std::vector<std::string>;

TEST(Expect, WhatIsNotExpectedIsNotLookedAt) {
    EXPECT_EQ(find_unmet({}, {.commands = {"increase web by 1"}, .pending = 3}), Lines());
    EXPECT_EQ(count_of({}), 0);
}

TEST(Expect, ShowsTheDifferenceLineByLine) {
    const Expectations expected{.commands = Lines{"increase a by 1", "increase b by 2"}};
    const Seen seen{.commands = {"increase a by 1", "increase b by 3", "increase c by 1"}};
    EXPECT_EQ(find_unmet(expected, seen), Lines{"the clouds were asked for something else:\n"
                                                "    increase a by 1\n"
                                                "  - increase b by 2\n"
                                                "  + increase b by 3\n"
                                                "  + increase c by 1"});
}

TEST(Expect, NoCommandsIsAnExpectationToo) {
    const Expectations expected{.commands = Lines{}};
    EXPECT_EQ(find_unmet(expected, {}), Lines());
    EXPECT_EQ(find_unmet(expected, {.commands = {"increase a by 1"}}).size(), 1u);
}

TEST(Expect, AGroupThatIsNotThereHasNoNodes) {
    const Expectations expected{.nodes = {{"a", 0}, {"b", 1}}, .targets = {{"a", 2}}};
    EXPECT_EQ(find_unmet(expected, {.targets = {{"a", 1}}}),
              (Lines{"nodes of b: expected 1, is 0", "target of a: expected 2, is 1"}));
    EXPECT_EQ(count_of(expected), 3);
}

const std::vector<Unhelped> web{
    {.batch = "web", .count = 2, .because = "no", .in_group = {{"a", "full"}, {"b", "small"}}}};

TEST(Expect, AnyTrueSentenceAboutABatchWithoutRoomWillDo) {
    for (const char* line : {"web: no", "web in a: full", "web in b: small"}) {
        EXPECT_EQ(find_unmet({.unhelped = Lines{line}}, {.unhelped = web}), Lines()) << line;
    }
}

TEST(Expect, AFalseSentenceIsShownWithAllThatAreTrue) {
    EXPECT_EQ(find_unmet({.unhelped = Lines{"web in a: small"}}, {.unhelped = web}),
              Lines{"pods without room:\n"
                    "  - web in a: small\n"
                    "  + web: no\n"
                    "  + web in a: full\n"
                    "  + web in b: small"});
}

TEST(Expect, EveryBatchWithoutRoomNeedsASentence) {
    EXPECT_EQ(find_unmet({.unhelped = Lines{}}, {.unhelped = web}).size(), 1u);
    EXPECT_EQ(find_unmet({.unhelped = Lines{}}, {}), Lines());
}

}  // namespace
}  // namespace capstan::simulation
