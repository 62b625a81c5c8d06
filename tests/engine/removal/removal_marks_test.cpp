// Marks that another client removes, and nodes that are backed off after a failed removal.
#include "engine/health/removal_backoff.hpp"
#include "removal_case.hpp"

namespace capstan::engine::removal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using enum RemovalPhase;

struct RemovedMarks : RemovalCase {
    RemovedMarks() {
        node("n1");
        pod("web-1", "n1");
        errors["web-1"] = refused;
    }
    void remove_marks() { nodes.at("n1").taints.clear(); }
    const RemovalBackoff* backoff() const {
        return health::find_removal_backoff(memory, NodeGroupId("a"), MachineId("m-n1"), now);
    }
};

TEST_F(RemovedMarks, EndTheRemovalAndBackTheNodeOff) {
    pass({"n1"});
    now += 5s;
    EXPECT_THAT(pass(), ElementsAre("evict web-1"));
    remove_marks();
    now += 1s;
    EXPECT_THAT(pass(), ElementsAre(unmark));
    EXPECT_THAT(steps.notes, ElementsAre("node n1 is not removed: another client removed its taint "
                                         "ToBeDeletedByClusterAutoscaler"));
    EXPECT_FALSE(nodes.at("n1").unschedulable);
    EXPECT_THAT(memory.removals, IsEmpty());
    EXPECT_EQ(memory.last.failed_removal, std::nullopt) << "other nodes may be removed";
    ASSERT_NE(backoff(), nullptr);
    EXPECT_EQ(backoff()->until, now + settings.scale_down.delay_after_failure);
}

TEST_F(RemovedMarks, EndTheRemovalDuringTheDelayAfterTheTaint) {
    pass({"n1"});
    now += 1s;
    pass();
    remove_marks();
    EXPECT_THAT(pass(), ElementsAre(unmark));
}

TEST_F(RemovedMarks, AreNotMarksThatAStaleViewDoesNotShow) {
    pass({"n1"});
    const std::vector<Taint> mark = nodes.at("n1").taints;
    remove_marks();  // the view is older than the mark
    now += 5s;
    EXPECT_THAT(pass(), ElementsAre("evict web-1"));
    nodes.at("n1").taints = mark;
    now += 10s;
    EXPECT_THAT(pass(), ElementsAre("evict web-1"));
    remove_marks();
    EXPECT_THAT(pass(), ElementsAre(unmark));
}

TEST_F(RemovedMarks, AreNotMarksOfAnEarlierRemovalInAStaleView) {
    pass({"n1"});
    nodes.at("n1").taints.front().value = "1700000000";
    now += 5s;
    EXPECT_THAT(pass(), ElementsAre("evict web-1"));
    remove_marks();
    now += 10s;
    EXPECT_THAT(pass(), ElementsAre("evict web-1"));
}

TEST_F(RemovedMarks, DoNotEndARemovalThatWasRequestedFromTheCloud) {
    pods.clear();
    errors["m-n1"] = {ErrorCode::cancelled, "the host stops"};
    removing("n1", delayed, true).mark_seen = true;
    nodes.at("n1").taints = {{.key = std::string(to_be_deleted_taint)}};
    pass();
    remove_marks();
    pass();
    EXPECT_EQ(phase("n1"), deleting);
}

TEST_F(RemovedMarks, EndARemovalWhoseRequestWasNotSent) {
    pods.clear();
    errors["m-n1"] = {.code = ErrorCode::cancelled,
                      .message = "this host leads no longer",
                      .provider_code = std::string(not_asked)};
    removing("n1", delayed, true).mark_seen = true;
    nodes.at("n1").taints = {{.key = std::string(to_be_deleted_taint)}};
    pass();
    ASSERT_EQ(phase("n1"), deleting);
    remove_marks();
    EXPECT_THAT(pass(), ElementsAre(unmark));
}

using RetriedRemoval = RemovalCase;

TEST_F(RetriedRemoval, EndsIfAPodIsScheduledOnTheNode) {
    node("n1");
    removing("n1", delayed, true);
    errors["m-n1"] = {ErrorCode::cancelled, "the host stops"};
    pass();
    ASSERT_EQ(phase("n1"), deleting);
    pod("web-1", "n1");
    EXPECT_THAT(pass(), ElementsAre(unmark));
    EXPECT_THAT(memory.removals, IsEmpty());
}

TEST_F(RetriedRemoval, EndsForAZeroOrMaxGroupIfAPodIsScheduledOnANode) {
    group("a").options.zero_or_max = true;
    for (const char* name : {"n1", "n2"}) {
        node(name);
        removing(name, delayed, true);
        errors[std::string("m-") + name] = {ErrorCode::cancelled, "the host stops"};
    }
    pass();
    ASSERT_EQ(phase("n2"), deleting);
    pod("web-1", "n1");
    EXPECT_THAT(pass(), ElementsAre(unmark, "n2: -ToBeDeleted -BeingDeleted uncordon"));
}

using BackedOffNodes = RemovedMarks;

TEST_F(BackedOffNodes, AreNodesWhosePodsCannotBeEvicted) {
    removing("n1", draining);
    errors["web-1"] = {ErrorCode::permission, "a policy denies it"};
    pass();
    now += 2min;
    EXPECT_THAT(pass(), ElementsAre(unmark));
    EXPECT_THAT(steps.notes, ElementsAre("node n1 is not removed: pod default/web-1 cannot be "
                                         "evicted: a policy denies it"));
    ASSERT_NE(backoff(), nullptr);
    EXPECT_EQ(backoff()->until, now + 3min);
    now += 3min;
    removing("n1", draining);
    pass();
    now += 2min;
    pass();
    EXPECT_EQ(backoff()->until, now + 6min) << "longer after each consecutive failure";
}

TEST_F(BackedOffNodes, AreNodesWhoseMachineRemovalWasRefused) {
    pods.clear();
    removing("n1", deleting, true);
    errors["m-n1"] = {ErrorCode::permission, "it is protected"};
    pass();
    ASSERT_NE(backoff(), nullptr);
    EXPECT_EQ(backoff()->because, "the machine was not removed: it is protected");
}

TEST_F(BackedOffNodes, AreNotNodesThatGotNewPods) {
    removing("n1", draining, true);
    EXPECT_THAT(pass(), ElementsAre(unmark));
    EXPECT_EQ(backoff(), nullptr);
}

}  // namespace
}  // namespace capstan::engine::removal
