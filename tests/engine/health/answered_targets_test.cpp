#include "engine/health/answered_targets.hpp"

#include <gmock/gmock.h>

#include "../pass_case.hpp"
#include "engine/health/backoff.hpp"
#include "engine/pass/explain.hpp"

namespace capstan::engine::health {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const NodeGroupId answered_group("web");

/// Three pods that need a node each, and a cloud with a group "web". The cloud lists the target
/// that the test sets, initially 0.
class AnsweredTargets : public ::testing::Test {
protected:
    AnsweredTargets() {
        c.group("web", 0, 20);
        c.pods("web", 3, 3000);
    }
    Time now() const { return c.call_context.now; }
    void advance(Duration time) { c.call_context.now += time; }
    /// Runs a pass whose changes the cloud accepts, and returns its increases.
    Growths pass() {
        pass::Outcome outcome = c.run();
        Results results;
        results.decreases.resize(outcome.decision.decreases.size());
        results.removals.resize(outcome.decision.removals.size());
        results.increases.resize(outcome.decision.increases.size());
        return record(std::move(outcome), results);
    }
    /// Runs a pass whose increases get this result from the cloud, and returns the increases.
    Growths pass_with(std::optional<Error> error, std::optional<int> answered = std::nullopt) {
        pass::Outcome outcome = c.run();
        Results results;
        results.increases.assign(outcome.decision.increases.size(), error);
        results.answered_targets.assign(outcome.decision.increases.size(), answered);
        return record(std::move(outcome), results);
    }
    /// Records a decision that was made outside a pass and succeeded.
    void apply(const Decision& decision) {
        Results results;
        results.decreases.resize(decision.decreases.size());
        results.removals.resize(decision.removals.size());
        results.increases.resize(decision.increases.size());
        c.memory =
            pass::remember_results(std::move(c.memory), decision, results, c.settings, now());
    }
    void list(int target) { c.test_cluster.change_group("web").group.target = target; }
    Result<pass::GroupAnswer> explain_answered_group() {
        const Snapshot snapshot = c.test_cluster.snapshot();
        const Policies policies = c.policies();
        return pass::explain_pass(snapshot, c.memory, policies, c.settings, c.call_context)
            .group(answered_group);
    }
    int counted_target() const { return c.memory.answered_targets.at(answered_group).target; }

    PassCase c;

private:
    Growths record(pass::Outcome outcome, const Results& results) {
        last = outcome.decision;
        c.memory = pass::remember_results(std::move(outcome.memory), outcome.decision, results,
                                          c.settings, now());
        return growth(last);
    }

protected:
    Decision last;
};

const Growths three_of_web{{"web", 3}};

TEST_F(AnsweredTargets, DoNotRepeatAnIncreaseWhileTheListLags) {
    EXPECT_EQ(pass(), three_of_web);
    for (int second = 0; second < 6; ++second) {
        advance(1s);
        EXPECT_EQ(pass(), Growths()) << "after " << second + 1 << " seconds";
        EXPECT_EQ(count_unschedulable(last), 0);
    }
    list(3);
    advance(1s);
    EXPECT_EQ(pass(), Growths());
    EXPECT_THAT(c.memory.answered_targets, IsEmpty()) << "the list has the target";
}

TEST_F(AnsweredTargets, AreTheBaseOfTheNextIncrease) {
    pass();
    c.pods("more", 2, 3000);
    advance(1s);
    EXPECT_EQ(pass(), (Growths{{"web", 2}}));
    ASSERT_EQ(last.increases.size(), 1U);
    EXPECT_EQ(last.increases[0].from, 3);
    EXPECT_EQ(counted_target(), 5);
    list(3);  // the target before the second increase
    advance(1s);
    EXPECT_EQ(pass(), Growths());
    EXPECT_EQ(counted_target(), 5);
}

TEST_F(AnsweredTargets, AreForgottenOnceTheListShowsThem) {
    pass();
    list(3);
    advance(1s);
    pass();
    list(0);
    advance(1s);
    EXPECT_EQ(pass(), three_of_web);
}

TEST_F(AnsweredTargets, TimeOutAndBackTheGroupOff) {
    pass();
    advance(15min);
    EXPECT_EQ(pass(), Growths());
    EXPECT_EQ(counted_target(), 3);
    advance(1ns);
    EXPECT_EQ(pass(), Growths());
    EXPECT_NE(find_backoff(c.memory, answered_group, now()), nullptr);
    advance(1s);
    EXPECT_EQ(pass(), Growths());
    EXPECT_THAT(c.memory.answered_targets, IsEmpty());
}

TEST_F(AnsweredTargets, AreReplacedByALowerListedTargetAfterTheLagOfTheCloud) {
    c.test_cluster.change_group("web").target_lag = 2min;
    pass();
    advance(2min);
    EXPECT_EQ(pass(), Growths());
    EXPECT_THAT(last.notes,
                ElementsAre("group web: the cloud lists a target of 0, but accepted a "
                            "change to 3: 3 is used until it is listed, for at most 2m"));
    EXPECT_EQ(c.run().wake_at, now() + 1ns);
    advance(1ns);
    EXPECT_EQ(pass(), three_of_web) << "another client lowered the target";
    EXPECT_EQ(find_backoff(c.memory, answered_group, now()), nullptr) << "nothing has timed out";
}

TEST_F(AnsweredTargets, AreReplacedByAPartialTargetAfterTheLagOfTheCloud) {
    c.test_cluster.change_group("web").target_lag = 2min;
    pass();
    list(2);
    advance(2min + 1ns);
    EXPECT_EQ(pass(), (Growths{{"web", 1}}));
    EXPECT_EQ(last.increases[0].from, 2);
    EXPECT_EQ(find_backoff(c.memory, answered_group, now()), nullptr);
}

TEST_F(AnsweredTargets, LastAtMostTheNodeProvisionTime) {
    c.test_cluster.change_group("web").target_lag = 1h;
    pass();
    advance(15min);
    EXPECT_EQ(pass(), Growths());
    EXPECT_EQ(c.memory.answered_targets.at(answered_group).deadline, noon + 15min);
}

TEST_F(AnsweredTargets, UseTheNodeProvisionTimeOfTheGroup) {
    c.test_cluster.change_group("web").options.max_node_provision_time = 1h;
    pass();
    advance(59min);
    EXPECT_EQ(pass(), Growths());
    EXPECT_EQ(counted_target(), 3);
    EXPECT_EQ(c.memory.answered_targets.at(answered_group).deadline, noon + 1h);
}

TEST_F(AnsweredTargets, AreReportedInOneNoteWithBothNumbers) {
    pass();
    EXPECT_THAT(last.notes, IsEmpty());
    const std::string sentence =
        "group web: the cloud lists a target of 0, but accepted a change to 3: 3 is used until it "
        "is "
        "listed, for at most 15m";
    for (int i = 0; i < 2; ++i) {
        advance(1s);
        pass();
        EXPECT_THAT(last.notes, ElementsAre(sentence));
    }
    const auto answer = explain_answered_group();
    ASSERT_TRUE(answer) << answer.error();
    EXPECT_EQ("group web: " + answer->target_because, sentence);
}

TEST_F(AnsweredTargets, AreTheGrantedAndNotTheRequestedNumber) {
    EXPECT_EQ(pass_with({}, 2), three_of_web);
    EXPECT_EQ(counted_target(), 2);
    advance(1s);
    EXPECT_EQ(pass_with({}, 1000), (Growths{{"web", 1}}));
    EXPECT_EQ(counted_target(), 3) << "the granted target is at most the requested one";
}

TEST_F(AnsweredTargets, AreNotSetByARefusal) {
    pass_with(Error{.code = ErrorCode::quota, .message = "no"});
    EXPECT_THAT(c.memory.answered_targets, IsEmpty());
}

TEST_F(AnsweredTargets, IncludeACancelledIncreaseForTwoMinutes) {
    pass_with(Error{.code = ErrorCode::cancelled, .message = "the host stops"});
    advance(1min);
    EXPECT_EQ(pass(), Growths());
    EXPECT_THAT(last.notes, Contains(HasSubstr("3 was requested without a known response")));
    advance(1min + 1ns);
    EXPECT_EQ(pass(), three_of_web);
}

TEST_F(AnsweredTargets, AreNotSetByAnIncreaseThatWasNotSent) {
    pass_with(Error{.code = ErrorCode::cancelled,
                    .message = "this host leads no longer",
                    .provider_code = std::string(not_asked)});
    EXPECT_THAT(c.memory.answered_targets, IsEmpty());
    advance(1s);
    EXPECT_EQ(pass(), three_of_web);
}

TEST_F(AnsweredTargets, AreKeptAcrossACrashBeforeTheResponse) {
    c.memory = pass::remember_plan(c.memory, c.run(), c.settings, now());
    c.memory.started = false;
    advance(6s);
    EXPECT_EQ(pass(), Growths());
    // If the request was never sent, it is sent after the timeout.
    advance(2min);
    EXPECT_EQ(pass(), three_of_web);
}

TEST_F(AnsweredTargets, AreKeptWhileTheGroupIsNotListed) {
    pass();
    const Memory before = c.memory;
    const Snapshot none{.cluster = c.test_cluster.cluster(),
                        .groups = std::make_shared<const std::vector<Group>>()};
    c.memory = c.run(none).memory;
    EXPECT_EQ(c.memory.answered_targets, before.answered_targets);
    advance(15min + 1ns);
    EXPECT_THAT(c.run(none).memory.answered_targets, IsEmpty());
}

TEST_F(AnsweredTargets, AreForgottenWhenTheGroupIsDeleted) {
    pass();
    c.memory =
        pass::remember_results(std::move(c.memory), {.deletions = {{.group = answered_group}}},
                               {.deletions = {std::nullopt}}, c.settings, now());
    EXPECT_THAT(c.memory.answered_targets, IsEmpty());
}

TEST_F(AnsweredTargets, AreLoweredByDecreasesAndRemovals) {
    pass();
    apply({.decreases = {{.group = answered_group, .from = 3, .by = 1}}});
    EXPECT_EQ(counted_target(), 2);
    const Decision removal{
        .removals = {{.group = answered_group, .machines = {MachineId("m")}, .nodes = {""}}}};
    apply(removal);
    EXPECT_EQ(counted_target(), 1);
    apply(removal);
    EXPECT_EQ(counted_target(), 1) << "a removed machine counts once";
}

TEST_F(AnsweredTargets, AreNotLoweredByAReplacedMachine) {
    pass();
    apply({.removals = {{.group = answered_group,
                         .machines = {MachineId("m")},
                         .nodes = {""},
                         .keep_target = true}}});
    EXPECT_EQ(counted_target(), 3);
    EXPECT_EQ(c.memory.requests.at(answered_group).increase, 3);
}

TEST_F(AnsweredTargets, DoNotCancelIncreasesWithAnUnknownResult) {
    for (const BackoffPolicy policy : {BackoffPolicy::exponential, BackoffPolicy::until_joined}) {
        c.settings.backoff = policy;
        c.memory = {};
        pass_with(Error{.code = ErrorCode::cancelled, .message = "the host stops"});
        // An earlier request times out in the meantime.
        c.memory.requests[answered_group] = {
            .since = now() - 15min, .deadline = now(), .increase = 3};
        advance(10s);
        pass();
        EXPECT_NE(find_backoff(c.memory, answered_group, now()), nullptr);
        EXPECT_THAT(last.decreases, IsEmpty()) << "the cloud may have a target of 0";
        advance(2min);
        pass();
        EXPECT_THAT(last.decreases, IsEmpty());
    }
}

TEST_F(AnsweredTargets, DelayDecreasesWhileAnIncreaseMayStillTakeEffect) {
    pass();
    list(2);
    for (const char* id : {"m-1", "m-2"})
        c.test_cluster.machine("web", id, MachineState::requested).error =
            Error{.code = ErrorCode::out_of_capacity, .message = "none left"};
    expect_answer(c.memory, {.group = answered_group, .from = 3, .by = 2}, now());
    advance(1s);
    pass();
    EXPECT_THAT(last.decreases, IsEmpty());
    advance(2min);
    pass();
    ASSERT_EQ(last.decreases.size(), 1U) << "only the listed target is lowered";
    EXPECT_EQ(last.decreases[0].from, 2);
}

TEST_F(AnsweredTargets, AreNotLoweredByFailedRemovals) {
    pass();
    const Decision decision{.decreases = {{.group = answered_group, .from = 3, .by = 1}},
                            .removals = {{.group = answered_group,
                                          .machines = {MachineId("m"), MachineId("n")},
                                          .nodes = {"", ""}}}};
    const Error no{.code = ErrorCode::unavailable, .message = "no"};
    Results results{.decreases = {no}, .removals = {{no}}};
    c.memory = pass::remember_results(std::move(c.memory), decision, results, c.settings, now());
    EXPECT_EQ(counted_target(), 3);
    results.removals = {{Error{.code = no.code, .message = no.message, .subject = "m"}}};
    c.memory = pass::remember_results(std::move(c.memory), decision, results, c.settings, now());
    EXPECT_EQ(counted_target(), 2);
}

TEST_F(AnsweredTargets, IncludeARemovalInTheSamePass) {
    list(2);
    apply({.removals = {{.group = answered_group, .machines = {MachineId("m")}, .nodes = {"m"}}},
           .increases = {{.group = answered_group, .from = 2, .by = 3}}});
    EXPECT_EQ(counted_target(), 4);
}

TEST_F(AnsweredTargets, AreLoweredByAMachineThatFails) {
    pass();
    c.test_cluster.machine("web", "m-1", MachineState::creating);
    c.test_cluster.machine("web", "m-2", MachineState::failed);
    advance(1s);
    c.run();
    const pass::Outcome outcome = c.run();
    EXPECT_EQ(outcome.memory.answered_targets.at(answered_group).target, 2);
    EXPECT_EQ(outcome.decision.removals.size(), 1U) << "the failed machine is removed";
    // The machine being created and the one not listed yet are awaited.
    EXPECT_THAT(outcome.decision.unschedulable, Not(IsEmpty()));
    EXPECT_EQ(outcome.decision.unschedulable[0].pods.count, 1U);
}

TEST_F(AnsweredTargets, SubtractARemovedFailedMachineOnce) {
    pass();
    c.test_cluster.machine("web", "m-2", MachineState::failed);
    advance(1s);
    pass();
    ASSERT_EQ(last.removals.size(), 1U);
    EXPECT_EQ(counted_target(), 2);
    advance(1s);
    pass();  // the machine is still listed
    EXPECT_EQ(counted_target(), 2);
    c.test_cluster.change_group("web").machines.clear();
    advance(1s);
    pass();
    EXPECT_EQ(counted_target(), 2);
}

TEST_F(AnsweredTargets, AreNotLoweredByAMachineThatHadFailedBefore) {
    list(1);
    c.test_cluster.change_group("web").group.min = 1;  // so that m-0 is not removed
    c.test_cluster.machine("web", "m-0", MachineState::failed);
    c.settings.backoff_initial = 0s;
    pass();
    advance(1s);
    ASSERT_EQ(pass(), three_of_web);
    advance(1s);
    const pass::Outcome outcome = c.run();
    EXPECT_EQ(growth(outcome.decision), Growths());
    EXPECT_EQ(outcome.memory.answered_targets.at(answered_group).target, 4);
}

TEST_F(AnsweredTargets, AreNotLoweredByAnErrorOfAMachineWithANode) {
    c.test_cluster.node("m-0", "web");
    list(1);
    c.test_cluster.change_group("web").machines[0].error =
        Error{.code = ErrorCode::unavailable, .message = "a disk is slow"};
    pass();
    const int answered = counted_target();
    advance(1s);
    EXPECT_EQ(pass(), Growths()) << "requested twice";
    EXPECT_EQ(counted_target(), answered);
}

TEST_F(AnsweredTargets, IncludeAnIncreaseWhoseDeadlinePassed) {
    EXPECT_EQ(pass_with(Error{.code = ErrorCode::deadline, .message = "took 1m"}), three_of_web);
    EXPECT_EQ(counted_target(), 3);
    advance(10s);
    EXPECT_EQ(pass(), Growths()) << "requested twice";
    advance(2min);
    EXPECT_EQ(pass(), three_of_web) << "the increase was never listed";
}

TEST_F(AnsweredTargets, AreRemovedByALateRefusal) {
    pass_with(Error{.code = ErrorCode::cancelled, .message = "not answered yet"});
    EXPECT_EQ(counted_target(), 3);
    Results refused;
    refused.increases = {Error{.code = ErrorCode::quota, .message = "too many"}};
    advance(10s);
    c.memory = pass::remember_results(std::move(c.memory), Decision{.increases = last.increases},
                                      refused, c.settings, now());
    EXPECT_THAT(c.memory.answered_targets, IsEmpty());
    EXPECT_NE(find_backoff(c.memory, answered_group, now()), nullptr);
}

TEST_F(AnsweredTargets, AreTheGrantedNumberOfALateAnswer) {
    pass_with(Error{.code = ErrorCode::cancelled, .message = "not answered yet"});
    ASSERT_EQ(counted_target(), 3);
    c.group("other", 0, 20);
    Results late;
    late.increases = {std::nullopt};
    late.answered_targets = {2};
    late.shortfalls = {Error{.code = ErrorCode::out_of_capacity, .message = "2 machines are left"}};
    advance(10s);
    c.memory = pass::remember_results(std::move(c.memory), Decision{.increases = last.increases},
                                      late, c.settings, now());
    EXPECT_EQ(counted_target(), 2);
    EXPECT_NE(find_backoff(c.memory, answered_group, now()), nullptr);
    EXPECT_EQ(pass(), (Growths{{"other", 1}})) << "a group for the third pod";
}

TEST_F(AnsweredTargets, KeepTheGrantedNumberOfAnEarlierAnswer) {
    pass();
    c.pods("more", 2, 3000);
    advance(1s);
    pass_with(Error{.code = ErrorCode::cancelled, .message = "not answered yet"});
    ASSERT_EQ(counted_target(), 5);
    Results late;
    late.increases = {std::nullopt};
    late.answered_targets = {4};
    advance(10s);
    c.memory = pass::remember_results(std::move(c.memory), Decision{.increases = last.increases},
                                      late, c.settings, now());
    EXPECT_EQ(counted_target(), 4);
}

TEST_F(AnsweredTargets, AreNotSetByAThrottledIncrease) {
    pass_with(Error{.code = ErrorCode::throttled, .message = "slow down"});
    EXPECT_THAT(c.memory.answered_targets, IsEmpty());
    EXPECT_NE(find_backoff(c.memory, answered_group, now()), nullptr);
    EXPECT_EQ(c.run().wake_at, next_backoff_end(c.memory, now()));
}

TEST_F(AnsweredTargets, TimeOutSeparatelyForAnIncreaseWithAnUnknownResult) {
    pass();
    c.pods("more", 2, 3000);
    advance(1s);
    pass_with(Error{.code = ErrorCode::cancelled, .message = "the host stops"});
    EXPECT_EQ(counted_target(), 5);
    advance(2min);
    EXPECT_EQ(pass(), Growths());
    EXPECT_THAT(
        last.notes,
        Contains(HasSubstr(
            "accepted a change to 3, and 5 was requested without a known response: 5 is used")));
    EXPECT_EQ(c.run().wake_at, now() + 1ns);
    advance(1ns);
    EXPECT_EQ(pass(), (Growths{{"web", 2}}));
    EXPECT_EQ(last.increases[0].from, 3);
}

/// Machines whose removal the cloud accepted and which it still lists.
class RemovedMachinesInLists : public AnsweredTargets {
protected:
    NodeRemoval& removing(const std::string& machine, int target_without) {
        c.test_cluster.machine("web", machine);
        return c.memory.removals["node-" + machine] = {.group = answered_group,
                                                       .machine = MachineId(machine),
                                                       .phase = RemovalPhase::removed,
                                                       .since = now(),
                                                       .phase_since = now(),
                                                       .target = target_without};
    }
    void unlist(const std::string& machine) {
        std::erase_if(c.test_cluster.change_group("web").machines,
                      [&](const Machine& m) { return m.id == MachineId(machine); });
    }
    int effective_target() {
        const Snapshot counted = with_answered_targets(c.test_cluster.snapshot(), c.memory);
        return *find_group(counted, answered_group)->group.target;
    }
};

TEST_F(RemovedMachinesInLists, AreSubtractedFromTheListedTarget) {
    removing("m-0", 4);
    removing("m-1", 3);
    list(5);
    EXPECT_EQ(effective_target(), 3);
    unlist("m-0");
    list(4);
    EXPECT_EQ(effective_target(), 3);
    unlist("m-1");
    list(3);
    EXPECT_EQ(effective_target(), 3);
}

TEST_F(RemovedMachinesInLists, AreNotSubtractedFromATargetThatHasFallen) {
    removing("m-0", 3);
    removing("m-1", 3);
    list(3);
    EXPECT_EQ(effective_target(), 3);
    list(2);
    EXPECT_EQ(effective_target(), 2) << "another client lowered the target";
    list(6);
    EXPECT_EQ(effective_target(), 4) << "another client raised the target";
}

TEST_F(RemovedMachinesInLists, AreNotPartOfTheBaseOfAnIncrease) {
    removing("m-0", 0);
    list(1);
    EXPECT_EQ(pass(), three_of_web);
    EXPECT_EQ(last.increases[0].from, 0);
    advance(1s);
    EXPECT_EQ(pass(), Growths()) << "requested twice";
    list(3);  // 2 without the machine being removed
    advance(1s);
    EXPECT_EQ(pass(), Growths()) << "one of the three is still expected";
    EXPECT_EQ(counted_target(), 3);
}

TEST_F(RemovedMachinesInLists, AreReportedWithTheirNumber) {
    removing("m-0", 4);
    list(5);
    const auto answer = explain_answered_group();
    ASSERT_TRUE(answer) << answer.error();
    EXPECT_EQ(answer->target_because,
              "the cloud lists a target of 5, but accepted the removal of 1 machine: 4 is used");
}

TEST_F(RemovedMachinesInLists, AreOnlyThoseWhoseRemovalTheCloudAccepted) {
    for (const char* machine : {"m-0", "m-1", "m-2"})
        removing(machine, 5).phase = RemovalPhase::deleting;
    const Decision decision{
        .removals = {{.group = answered_group,
                      .machines = {MachineId("m-0"), MachineId("m-1"), MachineId("m-2")},
                      .nodes = {"node-m-0", "node-m-1", "node-m-2"}}}};
    const Results results{
        .removals = {{Error{.code = ErrorCode::quota, .message = "no", .subject = "m-1"}}}};
    c.memory = pass::remember_results(std::move(c.memory), decision, results, c.settings, now());
    EXPECT_EQ(c.memory.removals.at("node-m-0").target, 3);
    EXPECT_EQ(c.memory.removals.at("node-m-1").target, 5);
    list(5);
    EXPECT_EQ(effective_target(), 3);
}

TEST_F(AnsweredTargets, WakeThePassAtTheirDeadline) {
    pass_with(Error{.code = ErrorCode::cancelled, .message = "the host stops"});
    advance(1s);
    const pass::Outcome outcome = c.run();
    EXPECT_EQ(outcome.wake_at, noon + 2min + 1ns);
}

}  // namespace
}  // namespace capstan::engine::health
