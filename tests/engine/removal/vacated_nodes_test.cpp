#include "engine/removal/vacated_nodes.hpp"

#include <gmock/gmock.h>

#include <map>
#include <string>

#include "../node_removal.hpp"
#include "../pass_case.hpp"
#include "engine/node_marks.hpp"

namespace capstan::engine::removal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Passes over a group "a" of machines with 4 cores. All actions succeed.
struct LeavingMachines : ::testing::Test, PassCase {
    std::map<std::string, snapshot::PodObject*> pods_by_name;
    pass::Outcome last{};

    LeavingMachines() {
        memory.started = true;
        settings.scale_down.node_delete_delay_after_taint = 0s;
        test_cluster.group("a", 0).group.max = 10;
        test_cluster.describe("a", amounts(4000));
    }
    Group& group() { return test_cluster.change_group("a"); }
    void node(const std::string& name) {
        test_cluster.node(name, "a");
        ++*group().group.target;
    }
    Machine& machine(const std::string& name) {
        return *std::ranges::find(group().machines, MachineId(name), &Machine::id);
    }
    void notice(const std::string& name, std::optional<Time> at,
                LeaveReason reason = LeaveReason::spot_interruption) {
        machine(name).leaves = Leaving{reason, at};
    }
    /// A pod of a ReplicaSet. It requests 3 cores, so a machine has room for one such pod.
    snapshot::PodObject& pod(const std::string& name, const std::string& node) {
        snapshot::PodObject& out = test_cluster.pod(name, node);
        out.uid = name;
        out.labels = {{"app", "web"}};
        out.owner = {.kind = "ReplicaSet", .api_group = "apps", .name = "web"};
        out.spec.requests = {{"cpu", 3000}};
        pods_by_name[name] = &out;
        return out;
    }
    void unneeded_for_long(const std::string& name) { memory.unneeded[name] = {noon - 1h}; }
    NodeRemoval& removing(const std::string& name) {
        return memory.removals[name] = begun_removal(NodeGroupId("a"), MachineId(name),
                                                     RemovalPhase::draining, call_context.now);
    }

    const Decision& decide_at(Time now) {
        call_context.now = now;
        last = run();
        return last.decision;
    }
    /// A pass whose actions are applied: taints are set and evicted pods start terminating.
    const Decision& pass_at(Time now) {
        const Decision& decision = decide_at(now);
        Results results;
        results.increases.resize(decision.increases.size());
        results.removals.resize(decision.removals.size());
        results.node_changes.resize(decision.node_changes.size());
        results.evictions.resize(decision.evictions.size());
        for (const NodeChange& change : decision.node_changes) apply(change);
        for (const Eviction& eviction : decision.evictions)
            pods_by_name.at(eviction.pod)->deleted = now;
        memory = pass::remember_results(last.memory, decision, results, settings, now);
        return decision;
    }
    std::vector<Taint>& taints(const std::string& node) {
        return test_cluster.change_node(node).taints;
    }
    const NodeVerdict& verdict(const std::string& node) const {
        return *std::ranges::find(last.decision.nodes, node, &NodeVerdict::node);
    }
    std::vector<std::string> evicted() const {
        std::vector<std::string> out;
        for (const Eviction& eviction : last.decision.evictions) out.push_back(eviction.pod);
        return out;
    }

private:
    void apply(const NodeChange& change) {
        std::vector<Taint>& of_node = taints(change.node);
        std::erase_if(of_node, [&](const Taint& taint) {
            return std::ranges::count(change.drop_taints, taint.key) > 0 ||
                   std::ranges::count(change.set_taints, taint.key, &Taint::key) > 0;
        });
        of_node.insert(of_node.end(), change.set_taints.begin(), change.set_taints.end());
    }
};

TEST_F(LeavingMachines, AreNotADestinationForPods) {
    node("leaving");
    node("healthy");
    pod("web-1", "healthy").spec.requests = {{"cpu", 500}};
    pod("large", "leaving").spec.requests = {{"cpu", 4000}};
    unneeded_for_long("healthy");
    notice("leaving", noon + 61s);
    pass_at(noon);
    EXPECT_FALSE(memory.removals.contains("healthy"));
    EXPECT_EQ(verdict("healthy").reason, Unremovable::no_place_to_move_pods);
    EXPECT_THAT(verdict("healthy").because, HasSubstr("1 with a termination notice"));
}

TEST_F(LeavingMachines, AreNotAvailableToPendingPods) {
    node("leaving");
    pod("web-1", "");
    pods_by_name["web-1"]->unscheduled_reason = "Unschedulable";
    notice("leaving", noon + 44s);
    EXPECT_EQ(growth(decide_at(noon)), (Growths{{"a", 1}}));
}

TEST_F(LeavingMachines, AreReplacedInTheSamePass) {
    node("leaving");
    pod("web-1", "leaving");
    EXPECT_THAT(decide_at(noon).increases, IsEmpty());
    notice("leaving", noon + 2min);
    EXPECT_EQ(growth(decide_at(noon)), (Growths{{"a", 1}}));
}

TEST_F(LeavingMachines, HaveTheirNodesTaintedAtOnce) {
    node("leaving");
    pod("web-1", "leaving");
    notice("leaving", noon + 2min);
    const Decision& decision = pass_at(noon);
    ASSERT_EQ(decision.node_changes.size(), 1u);
    EXPECT_THAT(decision.node_changes[0].because,
                HasSubstr("the machine has a termination notice: spot interruption"));
    EXPECT_THAT(taints("leaving"), ElementsAre(Taint{.key = "capstan.io/leaving",
                                                     .value = "1750000120",
                                                     .effect = Effect::no_schedule}));
    EXPECT_THAT(decide_at(noon + 1s).node_changes, IsEmpty());
}

TEST_F(LeavingMachines, LoseTheTaintWhenTheNoticeIsWithdrawn) {
    node("leaving");
    pod("web-1", "leaving");
    notice("leaving", noon + 2min);
    pass_at(noon);
    memory = {.started = true};  // a restart, or another leader
    machine("leaving").leaves.reset();
    group().unreadable_because = "throttled";
    EXPECT_THAT(pass_at(noon + 10s).node_changes, IsEmpty());
    group().unreadable_because.clear();
    pass_at(noon + 20s);
    EXPECT_THAT(taints("leaving"), IsEmpty());
    EXPECT_THAT(memory.leaving, IsEmpty());
}

TEST_F(LeavingMachines, LoseTheTaintAfterTheirTimeIfTheyAreNoLongerListed) {
    node("leaving");
    pod("web-1", "leaving");
    notice("leaving", noon + 2min);
    pass_at(noon);
    ASSERT_EQ(taints("leaving").size(), 1u);
    group().machines.clear();
    const Duration most = settings.scale_down.max_deletion_time;
    pass_at(noon + 2min + most - 1s);
    EXPECT_EQ(taints("leaving").size(), 1u) << "the machine may be gone";
    EXPECT_EQ(last.wake_at, noon + 2min + most);
    test_cluster.change_node("leaving").ready = false;
    pass_at(noon + 2min + most);
    EXPECT_EQ(taints("leaving").size(), 1u) << "its node is about to be deleted";
    test_cluster.change_node("leaving").ready = true;
    pass_at(noon + 2min + most);
    EXPECT_THAT(taints("leaving"), IsEmpty());
}

TEST_F(LeavingMachines, AreAvoidedButNotVacatedWithoutATime) {
    node("leaving");
    node("healthy");
    pod("web-1", "leaving");
    pod("web-2", "healthy").spec.requests = {{"cpu", 500}};
    unneeded_for_long("healthy");
    notice("leaving", {}, LeaveReason::rebalance);
    const Decision& decision = pass_at(noon);
    EXPECT_THAT(decision.increases, IsEmpty());
    EXPECT_THAT(decision.evictions, IsEmpty());
    EXPECT_FALSE(memory.removals.contains("healthy"));
    ASSERT_EQ(taints("leaving").size(), 1u);
    EXPECT_EQ(taints("leaving")[0].effect, Effect::prefer_no_schedule);
    notice("leaving", noon + 2min);
    pass_at(noon + 10s);
    ASSERT_EQ(taints("leaving").size(), 1u);
    EXPECT_EQ(taints("leaving")[0].effect, Effect::no_schedule);
}

TEST_F(LeavingMachines, EvictPodsWithADestinationAtOnce) {
    node("leaving");
    node("healthy");
    pod("web-1", "leaving").spec.termination_grace = 10min;
    notice("leaving", noon + 61s);
    const Decision& decision = pass_at(noon);
    ASSERT_THAT(evicted(), ElementsAre("web-1"));
    EXPECT_EQ(decision.evictions[0].grace, 51s);
    EXPECT_THAT(decision.evictions[0].because,
                HasSubstr("the machine has a termination notice: spot interruption at "));
    EXPECT_THAT(decision.increases, IsEmpty());
    EXPECT_EQ(verdict("leaving").reason, Unremovable::currently_being_deleted);
    EXPECT_THAT(verdict("leaving").because, HasSubstr("the node takes no new pods"));
}

TEST_F(LeavingMachines, EvictPodsWithoutADestinationAsLateAsPossible) {
    node("leaving");
    group().group.max = 1;  // no replacement is possible
    pod("web-1", "leaving");
    notice("leaving", noon + 2min);
    const Decision& decision = pass_at(noon);
    EXPECT_THAT(decision.increases, IsEmpty());
    EXPECT_THAT(evicted(), IsEmpty());
    EXPECT_EQ(last.wake_at, noon + 70s);
    EXPECT_EQ(count_unschedulable(decision), 1);
    const Decision& late = pass_at(noon + 70s);
    ASSERT_THAT(evicted(), ElementsAre("web-1"));
    EXPECT_EQ(late.evictions[0].grace, std::nullopt);
}

TEST_F(LeavingMachines, EvictPodsBlockedByADrainRuleAsLateAsPossible) {
    node("leaving");
    node("healthy");
    pod("web-1", "leaving").annotations = {
        {"cluster-autoscaler.kubernetes.io/safe-to-evict", "false"}};
    notice("leaving", noon + 2min);
    pass_at(noon);
    EXPECT_THAT(evicted(), IsEmpty());
    pass_at(noon + 70s);
    EXPECT_THAT(evicted(), ElementsAre("web-1"));
}

TEST_F(LeavingMachines, DoNotEvictPodsThatCouldNotTerminateInTime) {
    node("leaving");
    node("healthy");
    pod("web-1", "leaving");
    pod("quick", "leaving").spec = {.requests = {{"cpu", 100}}, .termination_grace = 1s};
    notice("leaving", noon + 14s);
    pass_at(noon);
    EXPECT_THAT(evicted(), ElementsAre("quick"));
}

TEST_F(LeavingMachines, AreReplacedButNotDrainedIfTheirTimeHasPassed) {
    node("leaving");
    pod("web-1", "leaving");
    notice("leaving", noon, LeaveReason::other);
    const Decision& decision = pass_at(noon + 1s);
    EXPECT_THAT(evicted(), IsEmpty());
    EXPECT_EQ(growth(decision), (Growths{{"a", 1}}));
    EXPECT_EQ(taints("leaving").size(), 1u);
}

TEST_F(LeavingMachines, RespectDisruptionBudgets) {
    node("leaving");
    node("healthy");
    for (const char* name : {"web-1", "web-2"})
        pod(name, "leaving").spec.requests = {{"cpu", 1000}};
    snapshot::DisruptionBudgetObject& budget = test_cluster.budget("web", 0);
    notice("leaving", noon + 2min);
    pass_at(noon);
    EXPECT_THAT(evicted(), IsEmpty());
    EXPECT_THAT(memory.leaving.at("leaving").evictions.at("default/web-1/web-1").refused_because,
                HasSubstr("web allows 0 disruptions"));
    budget.disruptions_allowed = 1;
    pass_at(noon + 5s);  // too early for another attempt
    EXPECT_THAT(evicted(), IsEmpty());
    pass_at(noon + 10s);
    EXPECT_THAT(evicted(), ElementsAre("web-1"));
}

TEST_F(LeavingMachines, CountAnEvictedPodOnce) {
    node("leaving");
    node("healthy");
    pod("web-1", "leaving");
    notice("leaving", noon + 2min);
    pass_at(noon);
    ASSERT_THAT(evicted(), ElementsAre("web-1"));
    pod("web-new", "").unscheduled_reason = "Unschedulable";  // its replacement
    const Decision& decision = decide_at(noon + 1s);
    EXPECT_THAT(decision.increases, IsEmpty());
    EXPECT_THAT(decision.evictions, IsEmpty());
}

TEST_F(LeavingMachines, UseBudgetsInTheOrderInWhichTheyLeave) {
    node("first");
    node("second");
    node("healthy");
    pod("web-1", "second").spec.requests = {{"cpu", 1000}};
    pod("web-2", "first").spec.requests = {{"cpu", 1000}};
    test_cluster.budget("web", 1);
    notice("second", noon + 3min);
    notice("first", noon + 2min);
    pass_at(noon);
    EXPECT_THAT(evicted(), ElementsAre("web-2"));
}

TEST_F(LeavingMachines, AreAllReplacedWhenTheyLeaveTogether) {
    for (const char* name : {"n1", "n2"}) {
        node(name);
        pod(std::string("web-") + name, name);
        notice(name, noon + 2min);
    }
    EXPECT_EQ(growth(decide_at(noon)), (Growths{{"a", 2}}));
}

TEST_F(LeavingMachines, ShortenTheGracePeriodOfARunningDrain) {
    node("leaving");
    node("healthy");
    pod("web-1", "leaving").spec.termination_grace = 5min;
    removing("leaving");
    notice("leaving", noon + 61s);
    const Decision& decision = pass_at(noon);
    ASSERT_THAT(evicted(), ElementsAre("web-1"));
    EXPECT_EQ(decision.evictions[0].grace, 51s);
    EXPECT_THAT(decision.increases, IsEmpty());
}

TEST_F(LeavingMachines, EndADrainThatNeedsTheSameRoom) {
    node("leaving");
    node("drained");
    node("healthy");
    pod("web-1", "leaving");
    pod("web-2", "drained");
    removing("drained");
    notice("leaving", noon + 2min);
    pass_at(noon);
    EXPECT_THAT(evicted(), ElementsAre("web-1"));  // web-1 goes to "healthy"
    EXPECT_EQ(memory.removals.count("drained"), 0u);
}

TEST_F(LeavingMachines, RepeatTheSameActionsInADryRun) {
    node("leaving");
    node("healthy");
    pod("web-1", "leaving");
    notice("leaving", noon + 2min);
    const Decision first = decide_at(noon);
    memory = pass::remember_results(last.memory, first, {}, settings, noon);
    const Decision& second = decide_at(noon + 10s);
    EXPECT_EQ(second.evictions, first.evictions);
    EXPECT_EQ(second.node_changes, first.node_changes);
}

TEST_F(LeavingMachines, AreIgnoredWithAStaleViewOfTheCluster) {
    node("leaving");
    node("healthy");
    pod("web-1", "leaving");
    notice("leaving", noon + 2min);
    call_context.unobserved_because = "Pod was last synced 40s ago";
    const Decision& decision = decide_at(noon);
    EXPECT_THAT(decision.evictions, IsEmpty());
    EXPECT_THAT(decision.node_changes, IsEmpty());
}

TEST_F(LeavingMachines, AreReplacedButNotDrainedIfDrainingIsDisabled) {
    settings.scale_down.drain_leaving_nodes = false;
    node("leaving");
    pod("web-1", "leaving");
    taints("leaving") = {
        {.key = std::string(leaving_taint), .value = "1", .effect = Effect::no_schedule}};
    notice("leaving", noon + 2min);
    const Decision& decision = pass_at(noon);
    EXPECT_EQ(growth(decision), (Growths{{"a", 1}}));
    EXPECT_THAT(taints("leaving"), IsEmpty());
    pass_at(noon + 70s);
    EXPECT_THAT(evicted(), IsEmpty());
}

TEST_F(LeavingMachines, AreRemovedAtOnceWhenEmpty) {
    node("leaving");
    notice("leaving", noon + 2min);
    memory.last.scale_up = noon;  // a cooldown
    pass_at(noon);
    ASSERT_TRUE(memory.removals.contains("leaving"));
    EXPECT_THAT(memory.removals.at("leaving").because, HasSubstr("is about to be terminated"));
    EXPECT_TRUE(memory.removals.at("leaving").empty);
}

TEST_F(LeavingMachines, AreNotRemovedIfTooLittleTimeIsLeft) {
    node("leaving");
    notice("leaving", noon + 30s);
    unneeded_for_long("leaving");
    pass_at(noon);
    EXPECT_FALSE(memory.removals.contains("leaving"));
    EXPECT_THAT(verdict("leaving").because, HasSubstr("the cloud terminates the machine"));
}

TEST_F(LeavingMachines, AreNotAwaitedIfTheyHaveNotJoined) {
    test_cluster.machine("a", "coming", MachineState::creating).leaves =
        Leaving{LeaveReason::spot_interruption, noon + 2min};
    group().group.target = 1;
    pod("web-1", "").unscheduled_reason = "Unschedulable";
    EXPECT_EQ(growth(decide_at(noon)), (Growths{{"a", 1}}));
}

}  // namespace
}  // namespace capstan::engine::removal
