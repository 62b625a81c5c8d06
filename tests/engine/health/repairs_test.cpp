#include "engine/health/repairs.hpp"

#include <gmock/gmock.h>

#include "../test_cluster.hpp"
#include "engine/health/backoff.hpp"
#include "engine/health/health.hpp"
#include "engine/health/removal_backoff.hpp"

namespace capstan::engine::health {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const NodeGroupId repaired_group("web");

class MachineRepairs : public ::testing::Test {
protected:
    MachineRepairs() { settings.backoff = BackoffPolicy::until_joined; }

    const Repairs& pass_at(Time now) {
        const Snapshot snapshot = test_cluster.snapshot();
        const templates::Membership membership = templates::make_membership(snapshot);
        memory = remember(std::move(memory), snapshot, membership, settings, now);
        health = assess(snapshot, membership, memory, settings, now);
        repairs = plan_repairs({snapshot, membership, memory, settings, now}, health);
        return repairs;
    }
    void fail_machine(const std::string& id, MachineState state) {
        test_cluster.machine("web", id, state).error =
            Error{.code = ErrorCode::out_of_capacity, .message = "none left"};
    }
    /// The cloud returns this result for the removals.
    void respond(std::optional<Error> error, Time now) {
        Results results;
        for (std::size_t i = 0; i < repairs.removals.size(); ++i)
            results.removals.push_back(error ? std::vector{*error} : std::vector<Error>());
        const Decision decision{.removals = repairs.removals};
        memory = remember_refused_removals(std::move(memory), decision, results, settings, now);
    }
    std::vector<std::string> removed() const {
        std::vector<std::string> out;
        for (const MachineRemoval& removal : repairs.removals) {
            for (const MachineId& id : removal.machines) out.push_back(id.value());
        }
        return out;
    }
    int cancelled() const {
        int out = 0;
        for (const Decrease& decrease : repairs.decreases) out += decrease.by;
        return out;
    }

    TestCluster test_cluster;
    Settings settings;
    Memory memory;
    Health health;
    Repairs repairs;
};

TEST_F(MachineRepairs, AreEmptyForAHealthyGroup) {
    test_cluster.group("web", 2);
    test_cluster.node("i-1", "web");
    test_cluster.machine("web", "i-2");
    pass_at(noon);
    EXPECT_THAT(repairs.decreases, IsEmpty());
    EXPECT_THAT(repairs.removals, IsEmpty());
    EXPECT_THAT(repairs.notes, IsEmpty());
}

TEST_F(MachineRepairs, RemoveMachinesThatDoNotJoinInTime) {
    test_cluster.group("web", 2);
    test_cluster.machine("web", "i-1");
    test_cluster.machine("web", "i-2", MachineState::creating).launched = noon - 3h;
    pass_at(noon);
    pass_at(noon + 15min);
    EXPECT_THAT(removed(), IsEmpty());
    EXPECT_EQ(health.wake_at, noon + 15min + 1ns);
    pass_at(noon + 15min + 1ns);
    EXPECT_THAT(removed(), ElementsAre("i-1", "i-2"));
    EXPECT_EQ(repairs.removals[0].cause, RemovalCause::never_joined);
    EXPECT_EQ(repairs.removals[0].because, "2 machines did not join within 15m");
    EXPECT_EQ(repairs.removals[0].nodes, (std::vector<std::string>{"", ""}));
    // No requested machine is left that could join, so the back-off has an end time.
    EXPECT_EQ(memory.backoffs.at(repaired_group).until, noon + 15min + 1ns + 5min);
}

TEST_F(MachineRepairs, ReplaceAMachineThatDoesNotJoinAtMinSize) {
    Group& group = test_cluster.group("web", 2);
    group.group.min = 1;
    test_cluster.machine("web", "i-1");
    test_cluster.machine("web", "i-2");
    pass_at(noon);
    pass_at(noon + 16min);
    EXPECT_THAT(removed(), ElementsAre("i-1"));
    EXPECT_FALSE(repairs.removals[0].keep_target);
    group.group.target = 1;
    std::erase_if(group.machines, [](const Machine& m) { return m.id == MachineId("i-1"); });
    for (const bool is_forced : {false, true}) {
        settings.force_delete_unregistered_nodes = is_forced;
        pass_at(noon + 17min);
        EXPECT_THAT(repairs.removals,
                    ElementsAre(MachineRemoval{
                        .group = repaired_group,
                        .cloud = PluginInstanceId("cloud"),
                        .machines = {MachineId("i-2")},
                        .nodes = {""},
                        .keep_target = true,
                        .cause = RemovalCause::never_joined,
                        .because = "1 machine did not join within 15m; node group min size reached "
                                   "(1): the cloud replaces 1 machine"}));
        EXPECT_THAT(repairs.notes, IsEmpty());
    }
}

TEST_F(MachineRepairs, KeepIrreplaceableMachinesAtMinSizeUnlessForced) {
    test_cluster.group("web", 1).group.min = 1;
    test_cluster.machine("web", "i-1");
    pass_at(noon);
    pass_at(noon + 16min);
    respond(Error{.code = ErrorCode::unsupported, .message = "no"}, noon + 16min);
    pass_at(noon + 17min);
    EXPECT_THAT(removed(), IsEmpty());
    EXPECT_THAT(repairs.notes, ElementsAre("group web: 1 machine did not join within 15m; 1 "
                                           "machine stays: node group min size reached (1)"));
    settings.force_delete_unregistered_nodes = true;
    pass_at(noon + 17min);
    EXPECT_THAT(removed(), ElementsAre("i-1"));
    EXPECT_TRUE(repairs.removals[0].force);
    EXPECT_FALSE(repairs.removals[0].keep_target);
    pass_at(noon + 24h + 17min);
    EXPECT_TRUE(repairs.removals.at(0).keep_target)
        << "the replacement is requested again after a day";
}

TEST_F(MachineRepairs, DoNotRepeatAReplacementAtOnce) {
    test_cluster.group("web", 1).group.min = 1;
    test_cluster.machine("web", "i-1");
    pass_at(noon);
    pass_at(noon + 16min);
    respond({}, noon + 16min);
    pass_at(noon + 17min);
    EXPECT_THAT(removed(), IsEmpty());
    pass_at(noon + 18min);
    EXPECT_THAT(removed(), ElementsAre("i-1")) << "the cloud has not removed it";
}

TEST_F(MachineRepairs, RemoveALimitedNumberOfMachinesPerPass) {
    for (const auto& [size, at_once] : {std::pair(12, 3U), std::pair(60, 6U)}) {
        test_cluster = TestCluster();
        memory = {};
        test_cluster.group("web", size);
        for (int i = 0; i < size; ++i) test_cluster.machine("web", "i-" + std::to_string(100 + i));
        pass_at(noon);
        pass_at(noon + 16min);
        EXPECT_EQ(removed().size(), at_once);
        EXPECT_EQ(repairs.removals[0].because,
                  std::to_string(size) + " machines did not join within 15m");
    }
}

TEST_F(MachineRepairs, KeepMachinesThatUnrecognizedNodesMayBelongTo) {
    test_cluster.group("web", 2);
    test_cluster.machine("web", "cloud:///zone/i-1").launched = noon;
    test_cluster.machine("web", "cloud:///zone/i-2").launched = noon;
    fail_machine("failed", MachineState::creating);
    for (const char* name : {"n1", "n2"}) {
        snapshot::NodeObject& node = test_cluster.node(name);
        node.created = noon + 1min;
        node.provider_id = std::string("other://") + name;
    }
    pass_at(noon);
    pass_at(noon + 16min);
    EXPECT_THAT(removed(), ElementsAre("failed"));
    std::erase_if(test_cluster.change_group("web").machines,
                  [](const Machine& m) { return m.error; });
    pass_at(noon + 17min);
    EXPECT_THAT(removed(), IsEmpty());
    EXPECT_THAT(repairs.warnings,
                ElementsAre("group web: 2 machines did not join within 15m; not removed because "
                            "nodes n1, n2 (spec.providerID matches no machine) may belong to the "
                            "group; correct spec.providerID"));
    test_cluster.change_node("n1").provider_id = "cloud:///zone/i-1";
    test_cluster.change_node("n2").provider_id = "cloud:///zone/i-2";
    pass_at(noon + 18min);
    EXPECT_THAT(removed(), IsEmpty());
    EXPECT_THAT(repairs.warnings, IsEmpty());
}

TEST_F(MachineRepairs, KeepAZeroOrMaxGroupThatUnrecognizedNodesMayBelongTo) {
    test_cluster.group("web", 2).options.zero_or_max = true;
    test_cluster.machine("web", "i-1").launched = noon;
    test_cluster.machine("web", "i-2").launched = noon;
    test_cluster.node("n1").created = noon + 1min;
    pass_at(noon);
    pass_at(noon + 16min);
    EXPECT_THAT(removed(), IsEmpty());
    EXPECT_EQ(repairs.warnings.size(), 1U);
}

TEST_F(MachineRepairs, DoNotLowerTheTargetWhileANodeMayBelongToTheGroup) {
    settings.backoff = BackoffPolicy::exponential;
    test_cluster.group("web", 3);
    test_cluster.node("i-0", "web");
    memory.last_by_group[repaired_group].scale_up = noon;
    for (const char* id : {"i-1", "i-2"}) fail_machine(id, MachineState::requested);
    test_cluster.node("n1").created = noon + 20s;
    pass_at(noon + 1min);
    EXPECT_EQ(cancelled(), 0);
    EXPECT_THAT(
        repairs.notes,
        ElementsAre("group web: 2 machines failed: none left; target not lowered because node n1 "
                    "(spec.providerID matches no machine) may belong to the group"));
    test_cluster.change_node("n1").created = noon - 1min;
    pass_at(noon + 1min);
    EXPECT_EQ(cancelled(), 2);
}

TEST_F(MachineRepairs, DoNotLowerTheTargetWhileTheListLags) {
    settings.backoff = BackoffPolicy::exponential;
    test_cluster.group("web", 5);  // the answered target; the list of the cloud has less
    for (const bool is_agreed : {true, false}) {
        memory.answered_targets[repaired_group] = {
            .target = 5, .since = noon, .deadline = noon + 2min, .agreed = is_agreed};
        fail_machine("i-1", MachineState::requested);
        pass_at(noon);
        EXPECT_EQ(cancelled(), 0);
    }
    memory.answered_targets.clear();
    pass_at(noon + 10s);
    EXPECT_GT(cancelled(), 0);
}

TEST_F(MachineRepairs, DoNotCountNodesBeingRemovedTowardsTheMinimum) {
    test_cluster.group("web", 3).group.min = 2;
    test_cluster.node("leaving", "web");
    test_cluster.node("stays", "web");
    test_cluster.machine("web", "late");
    memory.removals["leaving"] = {
        .group = repaired_group, .machine = MachineId("leaving"), .phase = RemovalPhase::deleting};
    memory.unreplaceable_groups[repaired_group] = {.until = noon + 1h};
    pass_at(noon);
    pass_at(noon + 16min);
    EXPECT_THAT(removed(), IsEmpty());
    EXPECT_THAT(repairs.notes, ElementsAre("group web: 1 machine did not join within 15m; 1 "
                                           "machine stays: node group min size reached (2)"));
    memory.removals.clear();
    pass_at(noon + 17min);
    EXPECT_THAT(removed(), ElementsAre("late"));
    EXPECT_FALSE(repairs.removals.at(0).keep_target);
}

TEST_F(MachineRepairs, DoNotCountAnIncreaseWithoutAnAnswerTowardsTheMinimum) {
    test_cluster.group("web", 2).group.min = 1;  // the cloud lists a target of 1
    test_cluster.machine("web", "late");
    memory.answered_targets[repaired_group] = {.target = 2, .since = noon, .deadline = noon + 1h};
    pass_at(noon);
    pass_at(noon + 16min);
    EXPECT_THAT(removed(), ElementsAre("late"));
    EXPECT_TRUE(repairs.removals.at(0).keep_target);
}

TEST_F(MachineRepairs, AreEmptyForAnUnreadableGroup) {
    settings.enforce_min_size = true;
    test_cluster.group("web", 3).group.min = 4;
    test_cluster.machine("web", "late");
    fail_machine("failed", MachineState::creating);
    test_cluster.change_group("web").unreadable_because = "groups[0].min is 4, above max 3";
    pass_at(noon);
    pass_at(noon + 1h);
    EXPECT_THAT(removed(), IsEmpty());
    EXPECT_EQ(cancelled(), 0);
    EXPECT_THAT(repairs.increases, IsEmpty());
    EXPECT_EQ(health.groups.at(0).outstanding, 3) << "upcoming machines still count";
}

TEST_F(MachineRepairs, RestartTheTimeOfAMachineThatLostItsNode) {
    test_cluster.group("web", 1);
    test_cluster.machine("web", "i-1").launched = noon - 24h;
    pass_at(noon);
    EXPECT_THAT(removed(), IsEmpty());
    EXPECT_EQ(health.groups.at(0).upcoming.missing, 0);
}

TEST_F(MachineRepairs, RemoveMachinesThatFailDuringCreationAtOnce) {
    test_cluster.group("web", 3);
    fail_machine("i-1", MachineState::creating);
    test_cluster.machine("web", "i-2", MachineState::failed);
    test_cluster.machine("web", "i-3", MachineState::creating);
    pass_at(noon);
    EXPECT_THAT(removed(), ElementsAre("i-1", "i-2"));
    EXPECT_EQ(repairs.removals[0].cause, RemovalCause::failed);
    EXPECT_FALSE(repairs.removals[0].force);
    EXPECT_EQ(repairs.removals[0].because, "2 machines failed: none left");
    EXPECT_EQ(health.groups.at(0).upcoming.missing, 1);
}

TEST_F(MachineRepairs, CancelFailedRequestsExceptOne) {
    test_cluster.group("web", 4);
    test_cluster.node("i-0", "web");
    for (const char* id : {"i-1", "i-2", "i-3"}) fail_machine(id, MachineState::requested);
    pass_at(noon);
    EXPECT_THAT(
        repairs.decreases,
        ElementsAre(Decrease{.group = repaired_group,
                             .cloud = PluginInstanceId("cloud"),
                             .from = 4,
                             .by = 2,
                             .because = "3 machines failed: none left; one request is kept"}));
    settings.backoff = BackoffPolicy::exponential;
    memory = {};
    pass_at(noon);
    EXPECT_EQ(cancelled(), 3);
}

TEST_F(MachineRepairs, CancelOtherRequestsIfSomeFail) {
    test_cluster.group("web", 6);
    test_cluster.node("i-0", "web");
    for (const char* id : {"i-1", "i-2"}) fail_machine(id, MachineState::requested);
    for (const char* id : {"i-3", "i-4", "i-5"})
        test_cluster.machine("web", id, MachineState::requested);
    pass_at(noon);
    EXPECT_EQ(cancelled(), 4) << "requests that have not failed are cancelled too";
}

TEST_F(MachineRepairs, CancelOtherRequestsIfAMachineFailsDuringCreation) {
    test_cluster.group("web", 4);
    fail_machine("i-1", MachineState::creating);
    for (const char* id : {"i-2", "i-3", "i-4"})
        test_cluster.machine("web", id, MachineState::requested);
    pass_at(noon);
    EXPECT_EQ(cancelled(), 2) << "the failed machine exists until it is removed";
}

TEST_F(MachineRepairs, KeepOneRequestWithoutATimeLimit) {
    test_cluster.group("web", 1);
    fail_machine("i-1", MachineState::requested);
    for (const Duration later : {0min, 30min, 600min}) pass_at(noon + later);
    EXPECT_EQ(cancelled(), 0);
    EXPECT_THAT(removed(), IsEmpty());

    // The time of a machine starts when the cloud begins to create it.
    test_cluster = TestCluster();
    test_cluster.group("web", 1);
    test_cluster.machine("web", "i-1", MachineState::creating).launched = noon + 700min;
    pass_at(noon + 701min);
    EXPECT_THAT(removed(), IsEmpty());
    EXPECT_EQ(health.groups.at(0).upcoming.missing, 1);
    EXPECT_NE(find_backoff(memory, repaired_group, noon + 701min), nullptr);
    test_cluster.node("i-1");
    pass_at(noon + 702min);
    EXPECT_EQ(find_backoff(memory, repaired_group, noon + 702min), nullptr);
}

TEST_F(MachineRepairs, LowerATargetThatIsNotReachedInTime) {
    settings.backoff = BackoffPolicy::exponential;
    test_cluster.group("web", 3);
    test_cluster.node("i-1", "web");
    memory.backoffs[repaired_group] = {.until = noon + 1h, .length = 1h, .last_failure = noon};
    pass_at(noon);
    EXPECT_EQ(memory.wrong_sizes.at(repaired_group),
              (IncorrectNodeGroupSize{.current = 1, .expected = 3, .since = noon}));
    pass_at(noon + 15min);
    EXPECT_EQ(cancelled(), 0);
    pass_at(noon + 15min + 1ns);
    EXPECT_THAT(
        repairs.decreases,
        ElementsAre(Decrease{.group = repaired_group,
                             .cloud = PluginInstanceId("cloud"),
                             .from = 3,
                             .by = 2,
                             .because = "target of 3 not reached for 15m: 1 machine exists"}));
}

TEST_F(MachineRepairs, IgnoreATargetBelowTheExistingMachines) {
    test_cluster.group("web", 1);
    test_cluster.node("i-1", "web");
    test_cluster.node("i-2", "web");
    pass_at(noon);
    pass_at(noon + 1h);
    EXPECT_EQ(cancelled(), 0);
    EXPECT_TRUE(memory.wrong_sizes.empty());
}

TEST_F(MachineRepairs, InAZeroOrMaxGroupRemoveAllMachinesWithoutANode) {
    test_cluster.group("web", 5).options.zero_or_max = true;
    test_cluster.node("i-0", "web");
    fail_machine("i-1", MachineState::creating);
    test_cluster.machine("web", "i-2");
    fail_machine("i-3", MachineState::requested);
    test_cluster.machine("web", "i-4", MachineState::requested);
    pass_at(noon);
    EXPECT_EQ(cancelled(), 2);
    EXPECT_THAT(removed(), ElementsAre("i-1", "i-2"));
    EXPECT_TRUE(memory.backoffs.at(repaired_group).until.has_value());
}

TEST_F(MachineRepairs, RemoveOnlyFailedMachinesInAnUnhealthyCluster) {
    settings.ok_total_unready_count = 0;
    settings.max_total_unready_percentage = 0;
    test_cluster.group("web", 2);
    test_cluster.machine("web", "late");
    fail_machine("failed", MachineState::creating);
    test_cluster.node("lost").ready = false;
    pass_at(noon - 1h);
    pass_at(noon);
    EXPECT_NE(health.unhealthy_because, "");
    EXPECT_THAT(removed(), ElementsAre("failed"));
}

TEST_F(MachineRepairs, RaiseGroupsToMinSizeIfConfigured) {
    Group& group = test_cluster.group("web", 1);
    group.group.min = 4;
    test_cluster.node("i-1", "web");
    EXPECT_THAT(pass_at(noon).increases, IsEmpty());
    settings.enforce_min_size = true;
    pass_at(noon);
    ASSERT_EQ(repairs.increases.size(), 1U);
    EXPECT_EQ(repairs.increases[0], (Increase{.group = repaired_group,
                                              .cloud = PluginInstanceId("cloud"),
                                              .from = 1,
                                              .by = 3,
                                              .option = no_option,
                                              .because = "min size is 4"}));
    group.group.max = 2;
    EXPECT_EQ(pass_at(noon).increases.at(0).by, 1);
    settings.nodes.max = 1;
    EXPECT_THAT(pass_at(noon).increases, IsEmpty());
    EXPECT_EQ(repairs.notes.size(), 1U);
    settings.nodes.max.reset();
    memory.backoffs[repaired_group] = {.until = noon + 1h, .length = 1h, .last_failure = noon};
    EXPECT_THAT(pass_at(noon).increases, IsEmpty());
}

TEST_F(MachineRepairs, CountAMachineOfTwoGroupsInTheFirst) {
    test_cluster.group("a", 2);
    test_cluster.group("web", 2);
    test_cluster.node("i-1", "a");
    for (const char* group : {"a", "web"}) test_cluster.machine(group, "i-2");
    test_cluster.machine("web", "i-1");
    pass_at(noon);
    EXPECT_EQ(health.groups.at(0).upcoming.missing, 1);
    EXPECT_EQ(health.groups.at(1).upcoming.missing, 0);
    pass_at(noon + 16min);
    ASSERT_EQ(repairs.removals.size(), 1U);
    EXPECT_EQ(repairs.removals[0].group, NodeGroupId("a"));
    EXPECT_THAT(removed(), ElementsAre("i-2"));
}

}  // namespace
}  // namespace capstan::engine::health
