#include "removal_case.hpp"

namespace capstan::engine::removal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using enum RemovalPhase;

struct LeftoverMarks : RemovalCase {
    LeftoverMarks() {
        memory.started = false;
        node("n1").taints = {{.key = std::string(to_be_deleted_taint), .value = "1"}};
        nodes.at("n1").unschedulable = true;
    }
};

TEST_F(LeftoverMarks, AreRemovedInTheFirstPass) {
    node("n2").taints = {{.key = std::string(being_deleted_taint), .value = "1"}};
    EXPECT_THAT(pass(),
                ElementsAre("n1: -ToBeDeleted -BeingDeleted", "n2: -ToBeDeleted -BeingDeleted"));
    EXPECT_THAT(nodes.at("n1").taints, IsEmpty());
    EXPECT_TRUE(nodes.at("n1").unschedulable) << "a cordon of another client";
    EXPECT_EQ(memory.last.failed_removal, std::nullopt) << "not a failure of this process";
    EXPECT_THAT(memory.removals, IsEmpty());
}

TEST_F(LeftoverMarks, StayOnANodeWhoseMachineIsBeingDeleted) {
    group("a").machines.front().state = MachineState::deleting;
    EXPECT_THAT(pass(), IsEmpty());
    EXPECT_EQ(memory.removals.at("n1").phase, removed);
}

TEST_F(LeftoverMarks, IncludeOurCordon) {
    nodes.at("n1").annotations = {{std::string(cordoned_annotation), "true"}};
    EXPECT_THAT(pass(), ElementsAre(unmark));
    EXPECT_FALSE(nodes.at("n1").unschedulable);
    EXPECT_THAT(nodes.at("n1").annotations, IsEmpty());
}

TEST_F(LeftoverMarks, AreRemovedInALaterPassIfTheFirstFails) {
    errors["n1"] = {ErrorCode::unavailable, "the API server is away"};
    pass();
    memory.started = true;
    errors.clear();
    EXPECT_THAT(pass(), ElementsAre("n1: -ToBeDeleted -BeingDeleted"));
}

TEST_F(LeftoverMarks, AreNotRemovedAfterTheFirstPass) {
    memory.started = true;
    EXPECT_THAT(pass(), IsEmpty());
}

TEST_F(LeftoverMarks, AreNotRemovedFromNodesWithoutAGroup) {
    group("a").machines.clear();
    EXPECT_THAT(pass(), IsEmpty());
}

TEST_F(LeftoverMarks, AreRemovedIfTheGroupIsNoLongerListed) {
    memory.started = true;
    for (const RemovalPhase phase : {waiting, draining, deleting}) {
        removing("n1", phase);
        groups.clear();
        EXPECT_THAT(pass(), ElementsAre(unmark));
        EXPECT_EQ(steps.notes.at(0),
                  "node n1 is not removed: group a is no longer listed by any cloud");
        EXPECT_THAT(memory.removals, IsEmpty());
    }
}

TEST_F(LeftoverMarks, ExcludeMarksOfAKnownRemoval) {
    removing("n1", draining);
    pod("web-1", "n1");
    EXPECT_THAT(pass(), ElementsAre("evict web-1"));
}

}  // namespace
}  // namespace capstan::engine::removal
