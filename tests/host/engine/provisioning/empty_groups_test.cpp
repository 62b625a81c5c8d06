#include "engine/provisioning/empty_groups.hpp"

#include <gmock/gmock.h>

#include "maker.hpp"

namespace capstan::engine {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Two empty groups: one that was made, one that somebody else has.
MakingCase with_empty_groups() {
    MakingCase c({});
    c.world.group("nap-m", 0).group.autoprovisioned = true;
    c.world.describe("nap-m", amounts(4000));
    c.world.group("web", 0);
    return c;
}

TEST(EmptyGroups, WhatWasMadeAndIsEmptyIsDeletedAndNothingElse) {
    MakingCase c = with_empty_groups();
    c.world.group("theirs", 0).group.autoprovisioned = true;  // another prefix
    const Decision decision = c.run().decision;
    ASSERT_THAT(decision.deletions, SizeIs(1));
    EXPECT_EQ(decision.deletions[0].group, NodeGroupId("nap-m"));
    EXPECT_EQ(decision.deletions[0].cloud, PluginInstanceId("cloud"));
}

TEST(EmptyGroups, OnlyAfterTheTimeThatIsSet) {
    MakingCase c = with_empty_groups();
    c.settings.scale_down.empty_group_time = 10min;
    const Outcome first = c.run_and_do();
    EXPECT_THAT(first.decision.deletions, IsEmpty());
    EXPECT_EQ(first.wake_at, noon + 10min);
    c.now += 10min;
    EXPECT_THAT(c.run().decision.deletions, SizeIs(1));
}

TEST(EmptyGroups, NeitherWithATargetNorWithMachines) {
    MakingCase target = with_empty_groups();
    target.world.change_group("nap-m").group.target = 1;
    EXPECT_THAT(target.run().decision.deletions, IsEmpty());
    MakingCase machine = with_empty_groups();
    machine.world.machine("nap-m", "m-1", MachineState::deleting);
    EXPECT_THAT(machine.run().decision.deletions, IsEmpty());
}

TEST(EmptyGroups, NotWhileAPodWantsIt) {
    MakingCase c = with_empty_groups();
    c.world.pod("web");
    const Decision decision = c.run().decision;
    EXPECT_THAT(decision.increases, SizeIs(1));
    EXPECT_THAT(decision.deletions, IsEmpty());
}

TEST(EmptyGroups, NotWhileRemovalsAreSwitchedOffOrANodeIsDrained) {
    MakingCase c = with_empty_groups();
    c.settings.scale_down.enabled = false;
    EXPECT_THAT(c.run().decision.deletions, IsEmpty());
    c.settings.scale_down.enabled = true;
    c.world.group("busy", 1);
    c.world.node("n1", "busy");
    c.memory.removals["n1"] = {.group = NodeGroupId("busy"),
                               .machine = MachineId("n1"),
                               .phase = RemovalPhase::waiting,
                               .since = noon,
                               .phase_since = noon};
    EXPECT_THAT(c.run().decision.deletions, IsEmpty());
}

TEST(EmptyGroups, OneDeletionThatFailsKeepsNoOtherAndIsTriedAgain) {
    MakingCase c = with_empty_groups();
    c.world.group("nap-n", 0).group.autoprovisioned = true;
    const Outcome first = c.run();
    ASSERT_THAT(first.decision.deletions, SizeIs(2));
    Results results;
    results.deletions = {Error{ErrorCode::unavailable, "try later"}, std::nullopt};
    c.memory = remember_results(first.memory, first.decision, results, c.settings, c.now);
    EXPECT_THAT(c.run().decision.deletions, SizeIs(2));
}

}  // namespace
}  // namespace capstan::engine
