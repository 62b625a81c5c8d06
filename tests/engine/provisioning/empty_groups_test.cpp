#include "engine/provisioning/empty_groups.hpp"

#include <gmock/gmock.h>

#include "group_creation_case.hpp"

namespace capstan::engine::provisioning {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Two empty groups: one created by Capstan, one not.
GroupCreationCase with_empty_groups() {
    GroupCreationCase c({});
    c.test_cluster.group("nap-m", 0).group.autoprovisioned = true;
    c.test_cluster.describe("nap-m", amounts(4000));
    c.test_cluster.group("web", 0);
    return c;
}

TEST(EmptyGroups, AreDeletedIfCreatedByCapstan) {
    GroupCreationCase c = with_empty_groups();
    c.test_cluster.group("theirs", 0).group.autoprovisioned = true;  // another prefix
    const Decision decision = c.run().decision;
    ASSERT_THAT(decision.deletions, SizeIs(1));
    EXPECT_EQ(decision.deletions[0].group, NodeGroupId("nap-m"));
    EXPECT_EQ(decision.deletions[0].cloud, PluginInstanceId("cloud"));
}

TEST(EmptyGroups, AreDeletedAfterTheConfiguredTime) {
    GroupCreationCase c = with_empty_groups();
    c.settings.scale_down.empty_group_time = 10min;
    const pass::Outcome first = c.run_and_apply();
    EXPECT_THAT(first.decision.deletions, IsEmpty());
    EXPECT_EQ(first.wake_at, noon + 10min);
    c.now += 10min;
    EXPECT_THAT(c.run().decision.deletions, SizeIs(1));
}

TEST(EmptyGroups, HaveATargetOfZeroAndNoMachines) {
    GroupCreationCase target = with_empty_groups();
    target.test_cluster.change_group("nap-m").group.target = 1;
    EXPECT_THAT(target.run().decision.deletions, IsEmpty());
    GroupCreationCase machine = with_empty_groups();
    machine.test_cluster.machine("nap-m", "m-1", MachineState::deleting);
    EXPECT_THAT(machine.run().decision.deletions, IsEmpty());
}

TEST(EmptyGroups, AreKeptIfPodsNeedThem) {
    GroupCreationCase c = with_empty_groups();
    c.test_cluster.pod("web");
    const Decision decision = c.run().decision;
    EXPECT_THAT(decision.increases, SizeIs(1));
    EXPECT_THAT(decision.deletions, IsEmpty());
}

TEST(EmptyGroups, AreKeptIfScaleDownIsDisabledOrANodeIsDrained) {
    GroupCreationCase c = with_empty_groups();
    c.settings.scale_down.enabled = false;
    EXPECT_THAT(c.run().decision.deletions, IsEmpty());
    c.settings.scale_down.enabled = true;
    c.test_cluster.group("busy", 1);
    c.test_cluster.node("n1", "busy");
    c.memory.removals["n1"] = {.group = NodeGroupId("busy"),
                               .machine = MachineId("n1"),
                               .phase = RemovalPhase::waiting,
                               .since = noon,
                               .phase_since = noon};
    EXPECT_THAT(c.run().decision.deletions, IsEmpty());
}

/// `c` after a pass with these results of deletions.
GroupCreationCase after(GroupCreationCase c, std::vector<std::optional<Error>> deletions) {
    const pass::Outcome first = c.run();
    EXPECT_EQ(first.decision.deletions.size(), deletions.size());
    Results results;
    results.deletions = std::move(deletions);
    c.memory = pass::remember_results(first.memory, first.decision, results, c.settings, c.now);
    return c;
}

TEST(EmptyGroups, AreTriedAgainLaterAfterAFailedDeletion) {
    GroupCreationCase both = with_empty_groups();
    both.test_cluster.group("nap-n", 0).group.autoprovisioned = true;
    GroupCreationCase c = after(both, {Error{ErrorCode::unavailable, "try later"}, std::nullopt});
    c.test_cluster = with_empty_groups().test_cluster;
    c.now += 10s;
    const pass::Outcome soon = c.run();
    EXPECT_THAT(soon.decision.deletions, IsEmpty());
    EXPECT_EQ(soon.wake_at, noon + c.settings.backoff_initial);
    c.memory = soon.memory;
    c.now = noon + c.settings.backoff_initial;
    EXPECT_THAT(c.run().decision.deletions, SizeIs(1));
}

TEST(EmptyGroups, AreTriedAgainAfterADayIfTheirCloudCannotDeleteGroups) {
    GroupCreationCase both = with_empty_groups();
    both.test_cluster.group("nap-n", 0).group.autoprovisioned = true;
    GroupCreationCase c =
        after(both, {Error{ErrorCode::unsupported, "groups are permanent"}, std::nullopt});
    c.test_cluster = with_empty_groups().test_cluster;
    c.now += 1h;
    const pass::Outcome later = c.run();
    EXPECT_THAT(later.decision.deletions, IsEmpty());
    EXPECT_EQ(later.wake_at, noon + 24h);
}

TEST(EmptyGroups, AreNotDeletedAgainInEveryPass) {
    GroupCreationCase quick = with_empty_groups(), slow = with_empty_groups();
    slow.settings.scale_down.empty_group_time = 1h;
    slow.run_and_apply();
    slow.now += 1h;
    for (const GroupCreationCase& stale : {quick, slow}) {
        GroupCreationCase c = after(stale, {std::nullopt});
        c.now += 10s;
        EXPECT_THAT(c.run_and_apply().decision.deletions, IsEmpty());
        c.now = stale.now + c.settings.backoff_initial;
        EXPECT_THAT(c.run().decision.deletions, SizeIs(1));
    }
}

TEST(EmptyGroups, AreDeletedAtOnceIfRecreated) {
    GroupCreationCase c = after(with_empty_groups(), {std::nullopt});
    c.test_cluster = TestCluster();
    c.now += 10s;
    c.run_and_apply();
    c.test_cluster = with_empty_groups().test_cluster;
    c.now += 10s;
    EXPECT_THAT(c.run().decision.deletions, SizeIs(1));
}

}  // namespace
}  // namespace capstan::engine::provisioning
