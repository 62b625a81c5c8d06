#include "engine/removal/returning_pods.hpp"

#include "engine/pods/pod_group_key.hpp"
#include "removal_case.hpp"

namespace capstan::engine::removal {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Node n1 is drained. Its pods were to move to n2, where kube-scheduler has put other pods.
struct ReturningPods : RemovalCase {
    ReturningPods() {
        node("n1");
        node("n2");
        removing("n1", RemovalPhase::draining);
    }
    /// A pod that the controller of an evicted pod has created.
    snapshot::PodObject& replacement(const std::string& name) {
        snapshot::PodObject& out = pod(name, "");
        out.phase = snapshot::PodPhase::pending;
        out.unscheduled_reason = "Unschedulable";
        out.created = now;
        return out;
    }
    NodeRemoval& removal() { return memory.removals.at("n1"); }
    /// The number of pods that return, if the plan moves `moved` pods and `without_room` pods have
    /// room on no node.
    int count_returned(int moved, int without_room) {
        const Snapshot seen = snapshot();
        const templates::Membership membership = templates::make_membership(seen);
        const PodGroupId web = seen.cluster.equivalence_group_of(seen.cluster.unbound().front());
        removal().places = {{"n2", {{pods::pod_group_key(seen.cluster, web), moved}}}};
        const PodNumbers returned = give_up_for_evicted_pods(
            {seen, membership, memory, settings, now}, {{web, without_room}}, memory);
        return returned.empty() ? 0 : returned.at(web);
    }
};

TEST_F(ReturningPods, EndTheRemovalIfNoOtherNodeHasRoom) {
    replacement("web-new");
    EXPECT_EQ(count_returned(1, 1), 1);
    EXPECT_EQ(phase("n1"), RemovalPhase::undoing);
    EXPECT_THAT(removal().because.text(),
                HasSubstr("pod default/web-new was evicted and fits on no other node"));
    EXPECT_TRUE(memory.removal_backoffs.at(NodeGroupId("a")).contains(MachineId("m-n1")));
}

TEST_F(ReturningPods, AndThoseThatGotAnotherNodeAreNotMovedForTwoHours) {
    replacement("web-new");
    snapshot::PodObject& bound = replacement("web-bound");
    bound.node_name = "n2";
    bound.unscheduled_reason.clear();
    node("n3");
    pod("web-old", "n3").created = now - 1s;
    EXPECT_EQ(count_returned(2, 1), 1);
    const auto& backoffs = memory.removal_backoffs.at(NodeGroupId("a"));
    for (const char* const machine : {"m-n1", "m-n2"}) {
        const RemovalBackoff& backoff = backoffs.at(MachineId(machine));
        EXPECT_EQ(backoff.until, now + 2h) << machine;
        EXPECT_TRUE(backoff.only_drains) << machine;
    }
    EXPECT_FALSE(backoffs.contains(MachineId("m-n3"))) << "its pod was there before";
}

TEST_F(ReturningPods, LeaveTheRemovalAloneIfTheyHaveRoom) {
    replacement("web-new");
    EXPECT_EQ(count_returned(1, 0), 0);
    EXPECT_EQ(phase("n1"), RemovalPhase::draining);
    EXPECT_THAT(memory.removal_backoffs, IsEmpty());
}

TEST_F(ReturningPods, AreAsManyAsThePlanMoves) {
    replacement("web-new");
    replacement("web-more");
    EXPECT_EQ(count_returned(1, 2), 1);
}

TEST_F(ReturningPods, AreYoungerThanTheRemoval) {
    replacement("web-new").created = now - 1s;
    EXPECT_EQ(count_returned(1, 1), 0);
    EXPECT_EQ(phase("n1"), RemovalPhase::draining);
}

TEST_F(ReturningPods, HaveBeenTriedByTheScheduler) {
    replacement("web-new").unscheduled_reason.clear();
    EXPECT_EQ(count_returned(1, 1), 0);
}

TEST_F(ReturningPods, NeedAMachineOnceTheirOwnIsRemoved) {
    replacement("web-new");
    removal().phase = RemovalPhase::removed;
    EXPECT_EQ(count_returned(1, 1), 0);
    EXPECT_EQ(phase("n1"), RemovalPhase::removed);
}

TEST_F(ReturningPods, NeedAMachineIfTheirOwnLeavesOrWasNotReady) {
    replacement("web-new");
    memory.leaving["n1"] = {.machine = MachineId("m-n1"), .since = now};
    EXPECT_EQ(count_returned(1, 1), 0);
    memory.leaving.clear();
    removal().ready = false;
    EXPECT_EQ(count_returned(1, 1), 0);
}

TEST_F(ReturningPods, WaitWhileTheGroupCannotBeRead) {
    replacement("web-new");
    group("a").unreadable_because = "the cloud does not respond";
    EXPECT_EQ(count_returned(1, 1), 0);
}

}  // namespace
}  // namespace capstan::engine::removal
