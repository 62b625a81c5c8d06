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

struct Row {
    const char* what;
    RemovalPhase before;
    Duration later;
    std::function<void(RemovalCase&)> happens;
    std::vector<std::string> asks_for;
    std::optional<RemovalPhase> after;  ///< nothing: it is forgotten
    bool empty = true;
};

void nothing(RemovalCase&) {}
void a_pod_is_there(RemovalCase& c) { c.pod("web-1", "n1"); }
void an_unmovable_pod_comes(RemovalCase& c) { c.unmovable("db", "n1"); }
void the_node_vanishes(RemovalCase& c) { c.nodes.erase("n1"); }
void the_machine_vanishes(RemovalCase& c) { c.group("a").machines.clear(); }
void the_machine_is_going(RemovalCase& c) {
    c.group("a").machines[0].state = MachineState::deleting;
}
void its_cloud_fails_to_remove_it(RemovalCase& c) {
    c.group("a").machines[0].error = Error{ErrorCode::unavailable, "the operation failed"};
}
void another_node_has_its_name(RemovalCase& c) {
    c.group("a").machines[0].id = MachineId("m-new");
    c.nodes.at("n1").provider_id = "m-new";
}
void somebody_delays_it(RemovalCase& c) {
    c.nodes.at("n1").annotations = {
        {"delay-deletion.cluster-autoscaler.kubernetes.io/backup", "true"}};
}

const std::vector<Row> table = {
    {"asks again until it is known to be marked", tainting, 0s, nothing, {marks}, tainting},
    {"gives the scheduler time to see the taint", waiting, 4s, nothing, {}, waiting},
    {"an empty node goes at once after that", waiting, 5s, nothing, {announces, removes}, deleting},
    {"an occupied node is drained", waiting, 5s, a_pod_is_there, {"evict web-1"}, draining, false},
    {"an empty node with new pods stays", waiting, 5s, a_pod_is_there, {unmark}, undoing},
    {"a node with a pod that may not move stays",
     waiting,
     5s,
     an_unmovable_pod_comes,
     {unmark},
     undoing,
     false},
    {"a drained node goes", draining, 1s, nothing, {announces, removes}, deleting, false},
    {"a pod that may not move ends the drain",
     draining,
     1s,
     an_unmovable_pod_comes,
     {unmark},
     undoing,
     false},
    {"waits for those who ask for a delay", delayed, 119s, somebody_delays_it, {}, delayed},
    {"but not for ever", delayed, 2min, somebody_delays_it, {announces, removes}, deleting},
    {"pods that came during the delay keep it", delayed, 1s, a_pod_is_there, {unmark}, undoing},
    {"asks again for what nobody answered", deleting, 1s, nothing, {announces, removes}, deleting},
    {"waits for the node to vanish", removed, 299s, the_machine_vanishes, {}, removed},
    {"no longer than a node may take", removed, 5min, the_machine_vanishes, {}, std::nullopt},
    {"waits longer while the machine goes", removed, 1h, the_machine_is_going, {}, removed},
    {"a machine that did not go is kept", removed, 5min, nothing, {unmark}, undoing},
    {"a machine that its cloud failed to remove is kept at once",
     removed,
     1s,
     its_cloud_fails_to_remove_it,
     {unmark},
     undoing},
    {"takes its marks off until that is done", undoing, 1h, nothing, {unmark}, undoing},
    {"takes its marks off a node that is no machine's",
     undoing,
     1s,
     the_machine_vanishes,
     {unmark},
     undoing},
    {"ends with the node", tainting, 0s, the_node_vanishes, {}, std::nullopt},
    {"ends with the node", draining, 0s, the_node_vanishes, {}, std::nullopt},
    {"ends with the node", deleting, 0s, the_node_vanishes, {}, std::nullopt},
    {"ends with the node", removed, 0s, the_node_vanishes, {}, std::nullopt},
    {"ends with the node", undoing, 0s, the_node_vanishes, {}, std::nullopt},
    {"ends with the machine", waiting, 0s, the_machine_vanishes, {}, std::nullopt},
    {"ends with the machine", deleting, 0s, the_machine_vanishes, {}, std::nullopt},
    {"is not about another node", draining, 0s, another_node_has_its_name, {}, std::nullopt},
    {"is not about another node", undoing, 0s, another_node_has_its_name, {}, std::nullopt},
    {"somebody else removes the machine", draining, 0s, the_machine_is_going, {}, removed, false},
};

using RemovalPhases = RemovalCase;

TEST_F(RemovalPhases, FollowTheTransitionTable) {
    for (const Row& row : table) {
        SCOPED_TRACE(std::to_string(static_cast<int>(row.before)) + ": " + row.what);
        RemovalCase::groups.clear();
        pods.clear();
        now = noon;
        node("n1");
        removing("n1", row.before, row.empty);
        now += row.later;
        row.happens(*this);
        const Decision decision = decide();
        std::vector<std::string> asked;
        for (const auto& change : decision.node_changes) asked.push_back(told(change));
        for (const auto& eviction : decision.evictions) asked.push_back(told(eviction));
        for (const auto& removal : decision.removals) asked.push_back(told(removal));
        EXPECT_THAT(asked, ElementsAreArray(row.asks_for));
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
        for (const auto& change : lost.node_changes) before.push_back(told(change));
        for (const auto& removal : lost.removals) before.push_back(told(removal));
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
