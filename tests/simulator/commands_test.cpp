#include "simulator/commands.hpp"

#include <gtest/gtest.h>

namespace capstan::simulator {
namespace {

TEST(SimulationCommands, NameAMachineByItsNodeOrTheEndOfItsId) {
    EXPECT_EQ(name_of_machine(MachineId("simulated://web/3"), "web-3"), "web-3");
    EXPECT_EQ(name_of_machine(MachineId("simulated://web/3"), ""), "web/3");
    EXPECT_EQ(name_of_machine(MachineId("aws:///eu-central-1a/i-0abc"), ""), "i-0abc");
    EXPECT_EQ(name_of_machine(MachineId("7"), ""), "7");
}

TEST(SimulationCommands, NameEveryNodeOfARemoval) {
    EXPECT_EQ(command_of(engine::MachineRemoval{
                  .group = NodeGroupId("web"),
                  .machines = {MachineId("simulated://web/1"), MachineId("simulated://web/2")},
                  .nodes = {"web-1", ""}}),
              "remove web-1, web/2 from web");
}

TEST(SimulationCommands, ArePrefixesOnlyAtWordBoundaries) {
    EXPECT_TRUE(begins_with_words("increase web by 3", "increase"));
    EXPECT_TRUE(begins_with_words("increase web by 3", "increase web by 3"));
    EXPECT_FALSE(begins_with_words("increase web by 30", "increase web by 3"));
}

TEST(SimulationCommands, MatchAStarWithinOneWord) {
    EXPECT_TRUE(matches_pattern("create nap-n1-a-a7b5", "create nap-*"));
    EXPECT_TRUE(matches_pattern("create nap-n1-a-a7b5", "create *-a-*"));
    EXPECT_TRUE(matches_pattern("increase nap-1 by 2", "increase * by 2"));
    EXPECT_FALSE(matches_pattern("increase nap-1 by 2", "increase *"));
    EXPECT_FALSE(matches_pattern("create web", "create nap-*"));
    EXPECT_TRUE(begins_with_words("increase nap-1 by 2", "increase nap-*"));
    EXPECT_FALSE(begins_with_words("increase nap-1 by 2", "increase web-*"));
}

TEST(SimulationCommands, MatchAStarWithAnyPartOfAWord) {
    struct Case {
        const char *text, *pattern;
        bool is_match;
    };
    for (const auto& [text, pattern, is_match] :
         {Case{"", "", true}, Case{"", "*", true}, Case{"a", "", false}, Case{"web", "web*", true},
          Case{"web", "*web", true}, Case{"web-1", "*", true}, Case{"a b", "*", false},
          Case{"a b", "* *", true}, Case{"a b", "**", false}, Case{"abcbd", "a*b*d", true},
          Case{"abcb", "a*b", true}, Case{"abc", "a*b", false}, Case{"web", "WEB", false}})
        EXPECT_EQ(matches_pattern(text, pattern), is_match) << text << " and " << pattern;
}

TEST(SimulationCommands, AreNotPrefixesOfShorterCommands) {
    EXPECT_FALSE(begins_with_words("increase", "increase web"));
    EXPECT_FALSE(begins_with_words("increase web", ""));
    EXPECT_TRUE(begins_with_words("increase nap-1 by 2", "* nap-*"));
    EXPECT_FALSE(begins_with_words("increase nap-1 by 2", "* by"));
}

}  // namespace
}  // namespace capstan::simulator
