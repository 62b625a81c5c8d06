#include "engine/health/removed_machines.hpp"

#include <gmock/gmock.h>

#include "../test_cluster.hpp"
#include "engine/health/answered_targets.hpp"
#include "engine/health/group_counts.hpp"

namespace capstan::engine::health {
namespace {

using ::testing::IsEmpty;

const NodeGroupId shrinking("web");

/// A group "web" with a target of 3 and the machines i-1, i-2 and i-3, which have no nodes. The
/// cloud was asked to remove i-1 and i-2.
struct RemovedMachines : ::testing::Test {
    RemovedMachines() {
        test_cluster.group("web", 3);
        for (const char* const id : {"i-1", "i-2", "i-3"}) test_cluster.machine("web", id);
        expect_removals(memory, decision.removals, *test_cluster.snapshot().groups, noon);
    }
    /// The cloud's answer to both removals.
    void answer(const std::vector<Error>& errors) {
        remember_removed_machines(memory, decision, {.removals = {errors}}, noon);
    }
    /// The target that counts, with what the cloud lists now.
    int target_at(Time now) {
        const Snapshot listed = test_cluster.snapshot();
        update_removed_machines(memory, listed, now);
        return *with_answered_targets(listed, memory).groups->front().group.target;
    }
    MachineCounts counts() {
        const Snapshot counted = with_answered_targets(test_cluster.snapshot(), memory);
        const templates::Membership membership = templates::make_membership(counted);
        return count_groups(counted, membership, {}, memory, Settings()).front().machines;
    }
    void unlist(const char* id) {
        std::erase_if(test_cluster.change_group("web").machines,
                      [&](const Machine& machine) { return machine.id.value() == id; });
    }

    TestCluster test_cluster;
    Memory memory;
    Decision decision{.removals = {{.group = shrinking,
                                    .machines = {MachineId("i-1"), MachineId("i-2")},
                                    .nodes = {"", ""}}}};
};

TEST_F(RemovedMachines, DoNotCountInTheTargetWhileTheyAreListed) {
    answer({});
    EXPECT_EQ(target_at(noon + 1min), 1);
    EXPECT_EQ(counts().ended, 2);
    EXPECT_EQ(counts().removal_asked, 0);
    unlist("i-1");
    test_cluster.change_group("web").group.target = 2;
    EXPECT_EQ(target_at(noon + 1min), 1);
    unlist("i-2");
    EXPECT_EQ(target_at(noon + 1min), 2) << "another client has set this target";
    EXPECT_THAT(memory.removed_machines, IsEmpty());
}

TEST_F(RemovedMachines, CountAgainAfterTwoMinutes) {
    answer({});
    EXPECT_EQ(next_removed_machine_end(memory, noon), noon + 2min);
    EXPECT_EQ(target_at(noon + 2min - 1ns), 1);
    EXPECT_EQ(target_at(noon + 2min), 3);
    EXPECT_EQ(next_removed_machine_end(memory, noon + 2min), std::nullopt);
}

TEST_F(RemovedMachines, LowerTheTargetByWhatTheSameDecisionTook) {
    decision.decreases = {{.group = shrinking, .from = 3, .by = 1}};
    remember_removed_machines(memory, decision, {.decreases = {std::nullopt}, .removals = {{}}},
                              noon);
    test_cluster.change_group("web").group.target = 2;
    EXPECT_EQ(target_at(noon), 0);
}

TEST_F(RemovedMachines, WithoutAnAnswerAreOnlyTakenOffWhatMayBeRemoved) {
    answer({{.code = ErrorCode::deadline, .message = "no response"}});
    EXPECT_EQ(target_at(noon + 1min), 3);
    EXPECT_EQ(counts().removal_asked, 2);
    EXPECT_EQ(count_unanswered(memory, shrinking), 2);
    EXPECT_EQ(target_at(noon + 2min), 3);
    EXPECT_EQ(counts().removal_asked, 0);
}

TEST_F(RemovedMachines, AreForgottenIfTheRemovalIsRefused) {
    answer({{.code = ErrorCode::permission, .message = "no", .subject = "i-1"}});
    EXPECT_EQ(find_removed_machine(memory, shrinking, MachineId("i-1")), nullptr);
    EXPECT_EQ(target_at(noon), 2);
    answer({{.code = ErrorCode::permission, .message = "no"}});
    EXPECT_THAT(memory.removed_machines, IsEmpty());
}

TEST_F(RemovedMachines, ThatAreReplacedStayInTheTarget) {
    memory.removed_machines.clear();
    decision.removals[0].keep_target = true;
    expect_removals(memory, decision.removals, *test_cluster.snapshot().groups, noon);
    EXPECT_EQ(count_unanswered(memory, shrinking), 0);
    answer({});
    EXPECT_EQ(target_at(noon), 3);
    EXPECT_EQ(counts().unlisted, 2) << "their successors are upcoming";
}

TEST_F(RemovedMachines, ThatWereGoneBeforeStayInTheTarget) {
    answer({{.code = ErrorCode::not_found, .message = "gone"}});
    EXPECT_EQ(target_at(noon), 3);
    EXPECT_EQ(counts().ended, 2);
}

TEST_F(RemovedMachines, AreKeptWhileTheGroupCannotBeRead) {
    answer({});
    Group& group = test_cluster.change_group("web");
    group.machines.clear();
    group.unreadable_because = "the cloud has not been read since the start";
    target_at(noon);
    EXPECT_EQ(memory.removed_machines.size(), 1U);
}

TEST_F(RemovedMachines, HaveNoNode) {
    memory.removed_machines.clear();
    decision.removals[0].nodes = {"n1", "n2"};
    expect_removals(memory, decision.removals, *test_cluster.snapshot().groups, noon);
    EXPECT_THAT(memory.removed_machines, IsEmpty());
}

}  // namespace
}  // namespace capstan::engine::health
