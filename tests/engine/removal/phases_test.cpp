#include "engine/removal/phases.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "removal_case.hpp"

namespace capstan::engine::removal {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

const char* const marks = "n1: +ToBeDeleted cordon";
const char* const announces = "n1: +BeingDeleted";
const char* const removes = "remove n1 of a";

using enum RemovalPhase;

struct TransitionCase {
    const char* what;
    RemovalPhase before;
    Duration elapsed;
    std::function<void(RemovalCase&)> change;
    std::vector<std::string> actions;
    std::optional<RemovalPhase> after;  ///< absent: the removal is forgotten
    bool empty = true;
};

void no_change(RemovalCase&) {}
void add_pod(RemovalCase& c) { c.pod("web-1", "n1"); }
void add_unmovable_pod(RemovalCase& c) { c.unmovable("db", "n1"); }
void remove_node(RemovalCase& c) { c.nodes.erase("n1"); }
void unlist_machine(RemovalCase& c) { c.group("a").machines.clear(); }
void delete_machine(RemovalCase& c) { c.group("a").machines[0].state = MachineState::deleting; }
void fail_machine(RemovalCase& c) {
    c.group("a").machines[0].error = Error{ErrorCode::unavailable, "the operation failed"};
}
void replace_machine(RemovalCase& c) {
    c.group("a").machines[0].id = MachineId("m-new");
    c.nodes.at("n1").provider_id = "m-new";
}
void delay_deletion(RemovalCase& c) {
    c.nodes.at("n1").annotations = {
        {"delay-deletion.cluster-autoscaler.kubernetes.io/backup", "true"}};
}

const std::vector<TransitionCase> table = {
    {"repeats the mark until it is confirmed", tainting, 0s, no_change, {marks}, tainting},
    {"gives the scheduler time to see the taint", waiting, 4s, no_change, {}, waiting},
    {"an empty node is removed after the delay",
     waiting,
     5s,
     no_change,
     {announces, removes},
     deleting},
    {"an occupied node is drained", waiting, 5s, add_pod, {"evict web-1"}, draining, false},
    {"an empty node with new pods stays", waiting, 5s, add_pod, {unmark}, undoing},
    {"a node with an unmovable pod stays",
     waiting,
     5s,
     add_unmovable_pod,
     {unmark},
     undoing,
     false},
    {"a drained node is removed", draining, 1s, no_change, {announces, removes}, deleting, false},
    {"an unmovable pod ends the drain", draining, 1s, add_unmovable_pod, {unmark}, undoing, false},
    {"a delay annotation delays the removal", delayed, 119s, delay_deletion, {}, delayed},
    {"a delay annotation times out", delayed, 2min, delay_deletion, {announces, removes}, deleting},
    {"new pods during the delay keep the node", delayed, 1s, add_pod, {unmark}, undoing},
    {"repeats a request without a response",
     deleting,
     1s,
     no_change,
     {announces, removes},
     deleting},
    {"waits for the node to be deleted", removed, 299s, unlist_machine, {}, removed},
    {"stops waiting for the node after five minutes",
     removed,
     5min,
     unlist_machine,
     {},
     std::nullopt},
    {"waits while the machine is being deleted", removed, 1h, delete_machine, {}, removed},
    {"a machine that was not deleted is kept", removed, 5min, no_change, {unmark}, undoing},
    {"a machine whose removal failed is kept at once",
     removed,
     1s,
     fail_machine,
     {unmark},
     undoing},
    {"repeats the removal of marks", undoing, 1h, no_change, {unmark}, undoing},
    {"removes marks from a node without a machine", undoing, 1s, unlist_machine, {unmark}, undoing},
    {"ends with the node", tainting, 0s, remove_node, {}, std::nullopt},
    {"ends with the node", draining, 0s, remove_node, {}, std::nullopt},
    {"ends with the node", deleting, 0s, remove_node, {}, std::nullopt},
    {"ends with the node", removed, 0s, remove_node, {}, std::nullopt},
    {"ends with the node", undoing, 0s, remove_node, {}, std::nullopt},
    {"ends with the machine", waiting, 0s, unlist_machine, {}, std::nullopt},
    {"ends with the machine", deleting, 0s, unlist_machine, {}, std::nullopt},
    {"ends when another node has the name", draining, 0s, replace_machine, {}, std::nullopt},
    {"ends when another node has the name", undoing, 0s, replace_machine, {}, std::nullopt},
    {"another client removes the machine", draining, 0s, delete_machine, {}, removed, false},
};

using RemovalPhases = RemovalCase;

TEST_F(RemovalPhases, FollowTheTransitionTable) {
    for (const TransitionCase& row : table) {
        SCOPED_TRACE(std::to_string(static_cast<int>(row.before)) + ": " + row.what);
        RemovalCase::groups.clear();
        pods.clear();
        now = noon;
        node("n1");
        removing("n1", row.before, row.empty);
        now += row.elapsed;
        row.change(*this);
        const Decision decision = decide();
        std::vector<std::string> actions;
        for (const auto& change : decision.node_changes) actions.push_back(to_text(change));
        for (const auto& eviction : decision.evictions) actions.push_back(to_text(eviction));
        for (const auto& removal : decision.removals) actions.push_back(to_text(removal));
        EXPECT_THAT(actions, ElementsAreArray(row.actions));
        const auto at = memory.removals.find("n1");
        EXPECT_EQ(at != memory.removals.end() ? std::optional(at->second.phase) : std::nullopt,
                  row.after);
    }
}

TEST_F(RemovalPhases, RemoveAnEmptyNodeInThreeSteps) {
    node("n1");
    EXPECT_THAT(pass({"n1"}), ElementsAre(marks));
    EXPECT_EQ(nodes.at("n1").taints[0].value, "1750000000");
    EXPECT_EQ(find_next_step(memory, settings, now), noon + 5s);
    EXPECT_THAT(pass(), IsEmpty());
    EXPECT_EQ(steps.wake_at, noon + 5s);
    now += 5s;
    EXPECT_THAT(pass(), ElementsAre(announces, removes));
    EXPECT_EQ(steps.removals[0].because, "unneeded");
    EXPECT_EQ(memory.last.removal, now);
    EXPECT_EQ(memory.last_by_group.at(NodeGroupId("a")).removal, now);
    nodes.erase("n1");
    EXPECT_THAT(pass(), IsEmpty());
    EXPECT_THAT(memory.removals, IsEmpty());
}

TEST_F(RemovalPhases, ContinueAfterARestart) {
    node("n1");
    for (int pass_number = 0; pass_number < 3; ++pass_number) {
        const Memory saved = memory;
        const Decision lost =
            decide(pass_number == 0 ? std::vector<std::string>{"n1"} : std::vector<std::string>{});
        memory = saved;
        const auto again =
            pass(pass_number == 0 ? std::vector<std::string>{"n1"} : std::vector<std::string>{});
        std::vector<std::string> before;
        for (const auto& change : lost.node_changes) before.push_back(to_text(change));
        for (const auto& removal : lost.removals) before.push_back(to_text(removal));
        EXPECT_EQ(again, before);
        now += 5s;
    }
    EXPECT_EQ(phase("n1"), removed);
}

TEST_F(RemovalPhases, KeepACordonOfAnotherClient) {
    node("n1").unschedulable = true;
    EXPECT_THAT(pass({"n1"}), ElementsAre("n1: +ToBeDeleted"));
    pod("web-1", "n1");
    now += 5s;
    EXPECT_THAT(pass(), ElementsAre("n1: -ToBeDeleted -BeingDeleted"));
    EXPECT_TRUE(nodes.at("n1").unschedulable);
    EXPECT_THAT(nodes.at("n1").taints, IsEmpty());
    EXPECT_THAT(memory.removals, IsEmpty());
    EXPECT_EQ(memory.last.failed_removal, now);
}

TEST_F(RemovalPhases, UndoOurCordon) {
    node("n1");
    pass({"n1"});
    EXPECT_TRUE(nodes.at("n1").unschedulable);
    pod("web-1", "n1");
    now += 5s;
    EXPECT_THAT(pass(), ElementsAre(unmark));
    EXPECT_THAT(
        steps.notes,
        ElementsAre("node n1 is not removed: new pods were scheduled on it: default/web-1"));
    EXPECT_FALSE(nodes.at("n1").unschedulable);
    EXPECT_THAT(nodes.at("n1").annotations, IsEmpty());
}

TEST_F(RemovalPhases, DoNotCordonIfDisabled) {
    settings.scale_down.cordon_node_before_terminating = false;
    node("n1");
    EXPECT_THAT(pass({"n1"}), ElementsAre("n1: +ToBeDeleted"));
}

TEST_F(RemovalPhases, DoNotBlockOtherNodes) {
    node("n1");
    node("n2");
    pod("web-1", "n1");
    budget(0);
    pass({"n1", "n2"});
    now += 5s;
    EXPECT_THAT(pass(), ElementsAre("n2: +BeingDeleted", "remove n2 of a"));
    EXPECT_EQ(phase("n1"), draining);
}

TEST(RemovalPhasesDeathTest, NeverGoBackToAnEarlierPhase) {
    NodeRemoval removal{.phase = undoing};
    EXPECT_DEATH(enter(removal, deleting, noon), "a removal goes back to an earlier phase");
    removal.phase = draining;
    EXPECT_DEATH(enter(removal, waiting, noon), "a removal goes back to an earlier phase");
    enter(removal, deleting, noon);
    EXPECT_EQ(removal.phase, deleting);
}

}  // namespace
}  // namespace capstan::engine::removal
