#include "simulation/commands.hpp"

#include <gtest/gtest.h>

namespace capstan::simulation {
namespace {

TEST(Commands, AMachineIsCalledByItsNodeOrTheLastPartOfItsId) {
    EXPECT_EQ(name_of_machine(MachineId("simulated://web/3"), "web-3"), "web-3");
    EXPECT_EQ(name_of_machine(MachineId("simulated://web/3"), ""), "web/3");
    EXPECT_EQ(name_of_machine(MachineId("aws:///eu-central-1a/i-0abc"), ""), "i-0abc");
    EXPECT_EQ(name_of_machine(MachineId("7"), ""), "7");
}

TEST(Commands, ARemovalNamesAllThatGo) {
    EXPECT_EQ(command_of(engine::MachineRemoval{
                  .group = NodeGroupId("web"),
                  .machines = {MachineId("simulated://web/1"), MachineId("simulated://web/2")},
                  .nodes = {"web-1", ""}}),
              "remove web-1, web/2 from web");
}

TEST(Commands, BeginWithWholeWords) {
    EXPECT_TRUE(begins_with_words("increase web by 3", "increase"));
    EXPECT_TRUE(begins_with_words("increase web by 3", "increase web by 3"));
    EXPECT_FALSE(begins_with_words("increase web by 30", "increase web by 3"));
}

}  // namespace
}  // namespace capstan::simulation
