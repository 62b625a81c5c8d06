#include "new_splitter.hpp"

#include <gmock/gmock.h>

#include <capstan/testing/builders.hpp>

namespace {

using capstan::testing::FakeCall;
using capstan::testing::group;
using capstan::testing::split;
using ::testing::ElementsAre;

const std::vector<capstan::NodeGroup> groups{group("a", {.target = 9, .max = 10}),
                                             group("b", {.target = 0, .max = 6}),
                                             group("c", {.target = 8, .max = 10})};

TEST(NewSplitter, GivesEverythingToTheGroupWithTheMostRoom) {
    EXPECT_THAT(split(NewSplitter(), 4, groups), ElementsAre(0, 4, 0));
}

TEST(NewSplitter, GoesOnWithTheNextWhenAGroupIsFull) {
    EXPECT_THAT(split(NewSplitter(), 8, groups), ElementsAre(0, 6, 2));
}

TEST(NewSplitter, SaysWhatFoundNoRoom) {
    const FakeCall call;
    EXPECT_THAT(split(NewSplitter(), 12, groups, call), ElementsAre(1, 6, 2));
    EXPECT_THAT(call.explanations(), ElementsAre("the groups have no room for 3 nodes"));
}

TEST(NewSplitter, LeavesAGroupThatIsOverItsMaximumAlone) {
    EXPECT_THAT(split(NewSplitter(), 1, {group("a", {.target = 12, .max = 10})}), ElementsAre(0));
}

}  // namespace
