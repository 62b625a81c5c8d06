#include "engine/removal/phases.hpp"
#include "removal_case.hpp"

namespace capstan::engine::removal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using enum RemovalPhase;

struct MachineBatches : RemovalCase {
    NodeRemoval& ready(const std::string& name) {
        node(name);
        return removing(name, delayed, true);
    }
    struct Size {
        int min, target;
    };
    void set_size(const Size& size) {
        group("a").group.min = size.min;
        group("a").group.target = size.target;
    }
    /// The note about a node that is kept because group a has reached its min size.
    static std::string kept_at_minimum(const std::string& node) {
        return "node " + node + " is not removed: node group min size reached (1): group a";
    }
};

TEST_F(MachineBatches, AreFormedByGroupAndCause) {
    ready("n1");
    ready("n2").ready = false;
    ready("n3").empty = false;
    ready("n4");
    node("b1", "b");
    removing("b1", delayed, true).group = NodeGroupId("b");
    pass();
    std::vector<std::string> removals;
    for (const MachineRemoval& removal : steps.removals)
        removals.push_back(to_text(removal) + " " + std::string(name_of(removal.cause)));
    EXPECT_THAT(removals, ElementsAre("remove n3 of a underutilized", "remove n1, n4 of a empty",
                                      "remove n2 of a unready", "remove b1 of b empty"));
    EXPECT_EQ(steps.removals[1].because, "n1: unneeded, n4: unneeded");
}

TEST_F(MachineBatches, WaitForTheIntervalAfterTheFirstNodeIsReady) {
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

TEST_F(MachineBatches, KeepNodesAtTheMinSizeOfTheirGroup) {
    ready("n1");
    ready("n2");
    set_size({.min = 1, .target = 2});  // the target was higher when the nodes were chosen
    EXPECT_THAT(pass(), ElementsAre("n1: +BeingDeleted", "n2: -ToBeDeleted -BeingDeleted uncordon",
                                    "remove n1 of a"));
    EXPECT_THAT(steps.notes, ElementsAre(kept_at_minimum("n2")));
}

TEST_F(MachineBatches, KeepARetriedMachineAtTheMinSizeOfItsGroup) {
    ready("n1").phase = deleting;
    set_size({.min = 1, .target = 2});
    errors["n1"] = Error{.code = ErrorCode::unavailable, .message = "no answer"};
    errors["m-n1"] = errors["n1"];
    EXPECT_THAT(pass(), ElementsAre("n1: +BeingDeleted", "remove n1 of a"));
    group("a").group.target = 1;
    errors.clear();
    EXPECT_THAT(pass(), ElementsAre(unmark));
    EXPECT_THAT(steps.notes, ElementsAre(kept_at_minimum("n1")));
}

TEST_F(MachineBatches, CountRepairsOfTheSamePassAgainstMinSize) {
    ready("n1").phase = deleting;
    set_size({.min = 2, .target = 3});
    repairs.removals = {{.group = NodeGroupId("a"), .machines = {MachineId("late")}}};
    EXPECT_THAT(pass(), ElementsAre(unmark));
}

TEST_F(MachineBatches, KeepNodesAtTheMinimumOfTheCluster) {
    for (const char* name : {"n1", "n2", "n3"}) {
        ready(name);
        nodes[name].capacity = {{"cpu", 4000}};
    }
    node("large", "b");
    nodes["large"].capacity = {{"cpu", 8000}};
    settings.cpu.min = 16'000;  // another large node existed when the nodes were chosen
    EXPECT_THAT(pass(), ElementsAre("n1: +BeingDeleted", "n2: -ToBeDeleted -BeingDeleted uncordon",
                                    "n3: -ToBeDeleted -BeingDeleted uncordon", "remove n1 of a"));
    EXPECT_EQ(steps.notes.at(0),
              "node n2 is not removed: min cluster cpu limit reached (16): the cluster has 16, the "
              "node 4");
}

TEST_F(MachineBatches, WaitWhileTheirGroupIsUnderRepair) {
    ready("n1");
    under_repair = {NodeGroupId("a")};
    EXPECT_THAT(pass(), IsEmpty());
    EXPECT_EQ(steps.wake_at, now + 10s);
    under_repair.clear();
    EXPECT_THAT(pass(), ElementsAre("n1: +BeingDeleted", "remove n1 of a"));
}

TEST_F(MachineBatches, WaitWhileTheirGroupIsUnreadable) {
    for (const RemovalPhase phase : {tainting, waiting, draining, delayed, deleting, removed}) {
        ready("n1").phase = phase;
        pod("web-1", "n1");
        group("a").unreadable_because = "groups[0].id is listed twice";
        const Snapshot seen = snapshot();
        now += 1h;
        EXPECT_THAT(pass(), IsEmpty()) << name_of(phase);
        EXPECT_EQ(this->phase("n1"), phase);
        EXPECT_EQ(find_next_step(memory, settings, now, &seen), std::nullopt);
        group("a").machines.clear();
        pass();
        EXPECT_EQ(this->phase("n1"), phase) << "its machine is not listed";
    }
    removing("n1", undoing);
    EXPECT_THAT(pass(), ElementsAre(unmark));
}

TEST_F(MachineBatches, WakeThePassIfOtherNodesAreWaiting) {
    for (const bool is_another_waiting : {false, true}) {
        has_waiting = is_another_waiting;
        ready("n1");
        EXPECT_THAT(pass(), ElementsAre("n1: +BeingDeleted", "remove n1 of a"));
        EXPECT_EQ(steps.wake_at == now, is_another_waiting) << "when a node is removed";
        removing("n1", undoing);
        EXPECT_THAT(pass(), ElementsAre(unmark));
        EXPECT_EQ(steps.wake_at == now, is_another_waiting) << "when a node is kept";
    }
}

TEST_F(MachineBatches, DoNotWakeThePassForAStepThatIsRepeated) {
    has_waiting = true;
    node("n1");
    errors = {{"m-n1", {ErrorCode::deadline, "no answer"}}};
    removing("n1", deleting);
    now += 10s;
    EXPECT_THAT(pass(), ElementsAre("n1: +BeingDeleted", "remove n1 of a"));
    EXPECT_EQ(steps.wake_at, std::nullopt);
    errors = {{"n1", {ErrorCode::unavailable, "the API server is down"}}};
    removing("n1", undoing);
    now += 10s;
    EXPECT_THAT(pass(), ElementsAre(unmark));
    EXPECT_EQ(steps.wake_at, std::nullopt);
}

struct ZeroOrMaxBatches : MachineBatches {
    ZeroOrMaxBatches() { group("a").options.zero_or_max = true; }
};

TEST_F(ZeroOrMaxBatches, WaitForTheLastNode) {
    ready("n1");
    node("n2");
    removing("n2", draining);
    pod("web-1", "n2");
    EXPECT_THAT(pass(), ElementsAre("evict web-1"));
    EXPECT_THAT(pass(),
                ElementsAre("n1: +BeingDeleted", "n2: +BeingDeleted", "remove n1, n2 of a"));
}

TEST_F(ZeroOrMaxBatches, KeepAllNodesIfOneStays) {
    ready("n1");
    node("n2");
    removing("n2", draining);
    unmovable("db", "n2");
    EXPECT_THAT(pass(), ElementsAre("n1: -ToBeDeleted -BeingDeleted uncordon",
                                    "n2: -ToBeDeleted -BeingDeleted uncordon"));
    EXPECT_THAT(
        steps.notes[0],
        "node n1 is not removed: group a is removed atomically, and another of its nodes stays");
}

TEST_F(ZeroOrMaxBatches, EvictNothingIfOneNodeStays) {
    node("n1");
    removing("n1", draining);
    pod("web-1", "n1");
    node("n2");
    removing("n2", draining);
    unmovable("db", "n2");
    decide();
    EXPECT_THAT(steps.evictions, IsEmpty());
}

TEST_F(ZeroOrMaxBatches, KeepAllNodesOrNoneAtTheMinimumOfTheCluster) {
    for (const char* name : {"n1", "n2"}) {
        ready(name);
        nodes[name].capacity = {{"cpu", 4000}};
    }
    node("other", "b");
    nodes["other"].capacity = {{"cpu", 4000}};
    settings.cpu.min = 8000;
    EXPECT_THAT(pass(), ElementsAre("n1: -ToBeDeleted -BeingDeleted uncordon",
                                    "n2: -ToBeDeleted -BeingDeleted uncordon"));
    settings.cpu.min = 4000;
    for (const char* name : {"n1", "n2"}) removing(name, delayed, true);
    EXPECT_THAT(pass(),
                ElementsAre("n1: +BeingDeleted", "n2: +BeingDeleted", "remove n1, n2 of a"));
}

TEST_F(ZeroOrMaxBatches, DoNotBlockOtherGroups) {
    ready("n1");
    node("b1", "b");
    removing("b1", draining).group = NodeGroupId("b");
    unmovable("db", "b1");
    EXPECT_THAT(pass(), ElementsAre("b1: -ToBeDeleted -BeingDeleted uncordon", "n1: +BeingDeleted",
                                    "remove n1 of a"));
}

}  // namespace
}  // namespace capstan::engine::removal
