#include "node_groups.hpp"

#include <gmock/gmock.h>

#include <capstan/testing/builders.hpp>

namespace capstan::balancer {
namespace {

using ::testing::ElementsAre;
using testing::FakeCall;
using testing::group;
using testing::split;

TEST(NodeGroups, AddsFourNodesThreeToTheSmallestAndOneToTheNext) {
    const FakeCall call;
    EXPECT_THAT(
        split(NodeGroups(), 4,
              {group("a", {.target = 1}), group("b", {.target = 3}), group("c", {.target = 6})},
              call),
        ElementsAre(3, 1, 0));
    EXPECT_THAT(call.explanations(),
                ElementsAre("distributes 4 nodes: a from 1 to 4, b from 3 to 4"));
}

TEST(NodeGroups, ReportsNodesWithoutRoom) {
    const FakeCall call;
    EXPECT_THAT(
        split(NodeGroups(), 5,
              {group("a", {.target = 1, .max = 3}), group("b", {.target = 3, .max = 3})}, call),
        ElementsAre(2, 0));
    EXPECT_THAT(call.explanations(),
                ElementsAre("distributes 2 nodes: a from 1 to 3",
                            "3 nodes of 5 not placed: max node group size reached in 2 groups"));
}

TEST(NodeGroups, IgnoresMinima) {
    EXPECT_THAT(split(NodeGroups(), 1,
                      {group("a", {.target = 5, .min = 9}), group("b", {.target = 4, .min = 0})}),
                ElementsAre(0, 1));
}

std::string failure_of(int nodes, const std::vector<NodeGroup>& groups) {
    try {
        split(NodeGroups(), nodes, groups);
    } catch (const Failure& failure) {
        EXPECT_EQ(failure.error().code, ErrorCode::invalid_argument);
        return failure.error().message;
    }
    return "no failure";
}

TEST(NodeGroups, RejectsAGroupWithoutTargetOrMaximum) {
    NodeGroup unknown = group("b");
    unknown.target = std::nullopt;
    EXPECT_EQ(failure_of(1, {group("a"), unknown}), "group b has no target");
    EXPECT_EQ(failure_of(1, {group("a", {.max = std::nullopt})}), "group a has no maximum");
}

TEST(NodeGroups, RejectsANegativeNumberOfNodes) {
    EXPECT_EQ(failure_of(-1, {group("a")}), "cannot distribute -1 nodes");
}

}  // namespace
}  // namespace capstan::balancer
