#include "removal_case.hpp"

namespace capstan::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using enum RemovalPhase;

struct Batches : RemovalCase {
    NodeRemoval& ready(const std::string& name) {
        node(name);
        return removing(name, delayed, true);
    }
};

TEST_F(Batches, GoByGroupAndCause) {
    ready("n1");
    ready("n2").ready = false;
    ready("n3").empty = false;
    ready("n4");
    node("b1", "b");
    removing("b1", delayed, true).group = NodeGroupId("b");
    pass();
    std::vector<std::string> asked;
    for (const MachineRemoval& removal : steps.removals)
        asked.push_back(told(removal) + " " + std::string(name_of(removal.cause)));
    EXPECT_THAT(asked, ElementsAre("remove n3 of a underutilized", "remove n1, n4 of a empty",
                                   "remove n2 of a unready", "remove b1 of b empty"));
    EXPECT_EQ(steps.removals[1].because, "n1: unneeded, n4: unneeded");
}

TEST_F(Batches, WaitForTheIntervalSinceTheFirstWasReady) {
    settings.scale_down.node_deletion_batcher_interval = 30s;
    ready("n1");
    EXPECT_THAT(pass(), IsEmpty());
    EXPECT_EQ(steps.wake_at, noon + 30s);
    now += 20s;
    ready("n2");
    EXPECT_THAT(pass(), IsEmpty());
    now += 10s;
    EXPECT_THAT(pass(),
                ElementsAre("n1: +BeingDeleted", "n2: +BeingDeleted", "remove n1, n2 of a"));
}

TEST_F(Batches, KeepWhatItsGroupHasToKeepByNow) {
    ready("n1");
    ready("n2");
    group("a").group.min = 1;
    group("a").group.target = 2;  // it had more when the nodes were chosen
    EXPECT_THAT(pass(), ElementsAre("n1: +BeingDeleted", "n2: -ToBeDeleted -BeingDeleted uncordon",
                                    "remove n1 of a"));
    EXPECT_THAT(steps.notes,
                ElementsAre("node n2 is not removed: group a is at its minimum of 1 now"));
}

TEST_F(Batches, WaitWhileTheSizeOfTheirGroupIsPutRight) {
    ready("n1");
    settling = {NodeGroupId("a")};
    EXPECT_THAT(pass(), IsEmpty());
    EXPECT_EQ(steps.wake_at, now);
    settling.clear();
    EXPECT_THAT(pass(), ElementsAre("n1: +BeingDeleted", "remove n1 of a"));
}

TEST_F(Batches, LetThoseWhoWaitForATurnHaveItAtOnce) {
    for (const bool is_anyone_waiting : {false, true}) {
        has_waiting = is_anyone_waiting;
        ready("n1");
        EXPECT_THAT(pass(), ElementsAre("n1: +BeingDeleted", "remove n1 of a"));
        EXPECT_EQ(steps.wake_at == now, is_anyone_waiting) << "one goes";
        ready("n1").phase = undoing;
        EXPECT_THAT(pass(), ElementsAre("n1: -ToBeDeleted -BeingDeleted uncordon"));
        EXPECT_EQ(steps.wake_at == now, is_anyone_waiting) << "one stays after all";
    }
}

struct ZeroOrMax : Batches {
    ZeroOrMax() { group("a").options.zero_or_max = true; }
};

TEST_F(ZeroOrMax, AGroupWaitsForItsLastNode) {
    ready("n1");
    node("n2");
    removing("n2", draining);
    pod("web-1", "n2");
    EXPECT_THAT(pass(), ElementsAre("evict web-1"));
    EXPECT_THAT(pass(),
                ElementsAre("n1: +BeingDeleted", "n2: +BeingDeleted", "remove n1, n2 of a"));
}

TEST_F(ZeroOrMax, OneNodeThatStaysKeepsAll) {
    ready("n1");
    node("n2");
    removing("n2", draining);
    unmovable("db", "n2");
    EXPECT_THAT(pass(), ElementsAre("n1: -ToBeDeleted -BeingDeleted uncordon",
                                    "n2: -ToBeDeleted -BeingDeleted uncordon"));
    EXPECT_THAT(steps.notes[0],
                "node n1 is not removed: group a goes as a whole or not at all, and another of its "
                "nodes stays");
}

TEST_F(ZeroOrMax, NothingIsEvictedFromANodeThatStaysWithTheOthers) {
    node("n1");
    removing("n1", draining);
    pod("web-1", "n1");
    node("n2");
    removing("n2", draining);
    unmovable("db", "n2");
    decide();
    EXPECT_THAT(steps.evictions, IsEmpty());
}

TEST_F(ZeroOrMax, OtherGroupsGoOn) {
    ready("n1");
    node("b1", "b");
    removing("b1", draining).group = NodeGroupId("b");
    unmovable("db", "b1");
    EXPECT_THAT(pass(), ElementsAre("b1: -ToBeDeleted -BeingDeleted uncordon", "n1: +BeingDeleted",
                                    "remove n1 of a"));
}

}  // namespace
}  // namespace capstan::engine
