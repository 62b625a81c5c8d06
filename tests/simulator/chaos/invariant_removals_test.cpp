// Invariants of removals: minima, budgets and pods are respected, no taint remains without a
// removal, and in the calm phase no machine is kept or removed without a reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "engine/health/repairs.hpp"
#include "engine/node_marks.hpp"
#include "invariant_case.hpp"

namespace capstan::simulator::chaos {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(RemovalInvariants, RejectShrinkingBelowTheMinimumOfAGroup) {
    remove_node();
    EXPECT_THAT(pass(*minima_invariant()), ElementsAre(HasSubstr("would shrink to 0, below")));
    decision.removals[0].force = true;
    EXPECT_THAT(pass(*minima_invariant()), IsEmpty());
}

TEST_F(RemovalInvariants, DoNotCountMachinesThatAreBeingRemoved) {
    const auto invariant = minima_invariant();
    add_second_node();
    remove_node();
    EXPECT_THAT(pass(*invariant), IsEmpty());
    carry_out(*invariant);
    decision.removals[0].machines = {MachineId("m2")};
    decision.removals[0].nodes = {"n2"};
    EXPECT_THAT(pass(*invariant), ElementsAre(HasSubstr("would shrink to 0, below its minimum 1")));
}

TEST_F(RemovalInvariants, CountRemainingNodesForTheClusterMinimum) {
    group.group.min = 0;
    add_second_node();
    remove_node();
    settings.nodes.min = 1;
    EXPECT_THAT(pass(*minima_invariant()), IsEmpty());
    group.machines[1].state = MachineState::deleting;
    EXPECT_THAT(pass(*minima_invariant()), ElementsAre(HasSubstr("below the limit 1")));
}

TEST_F(RemovalInvariants, CheckBudgetsOverAllEvictionsOfAPass) {
    budgets.push_back({.name = "web",
                       .selector = LabelSelector{.match_labels = {{"app", "web"}}},
                       .disruptions_allowed = 1});
    for (const std::string name : {"web-1", "web-2"}) {
        pod(name, "n1");
        EXPECT_THAT(pass(*evictions_invariant()), IsEmpty());
        decision.evictions.push_back({.ns = "default", .pod = name, .node = "n1"});
    }
    EXPECT_THAT(pass(*evictions_invariant()),
                ElementsAre(HasSubstr("allows 1 disruption, but the pass evicts 2")));
}

TEST_F(RemovalInvariants, RejectRemovalsOfNodesWithUnmovablePods) {
    mark(engine::to_be_deleted_taint);
    pod("web-1", "n1");
    EXPECT_THAT(pass(*removals_invariant()), IsEmpty());
    pods[0].owner = {};
    EXPECT_THAT(pass(*removals_invariant()), ElementsAre(HasSubstr("has no controller")));
}

TEST_F(RemovalInvariants, ProtectPodsWithTwoBudgetsOrSafeToEvictOnCompletion) {
    mark(engine::to_be_deleted_taint);
    pod("web-1", "n1");
    for (const std::string name : {"web", "all"})
        budgets.push_back({.name = name,
                           .selector = LabelSelector{.match_labels = {{"app", "web"}}},
                           .disruptions_allowed = 1});
    EXPECT_THAT(pass(*removals_invariant()),
                ElementsAre(HasSubstr("has more than one PodDisruptionBudget")));
    budgets.pop_back();
    EXPECT_THAT(pass(*removals_invariant()), IsEmpty());
    pods[0].annotations["cluster-autoscaler.kubernetes.io/safe-to-evict"] = "on-completion";
    EXPECT_THAT(pass(*removals_invariant()),
                ElementsAre(HasSubstr("is safe to evict only on completion")));
}

TEST_F(RemovalInvariants, RequireTaintsBeforeARemoval) {
    remove_node();
    EXPECT_THAT(pass(*removals_invariant()),
                ElementsAre(HasSubstr("without the taint ToBeDeleted"),
                            HasSubstr("without the taint BeingDeleted")));
    add_taint(engine::to_be_deleted_taint);
    mark(engine::being_deleted_taint);
    EXPECT_THAT(pass(*removals_invariant()), IsEmpty());
}

TEST_F(RemovalInvariants, RequireThatPodsEndedBeforeARemoval) {
    const auto invariant = pods_invariant();
    remove_node();
    pod("web-1", "n1");
    pass(*invariant);
    EXPECT_THAT(carry_out(*invariant),
                ElementsAre(HasSubstr("while pod default/web-1 was running")));
    pods[0].owner.kind = "DaemonSet";
    pass(*invariant);
    EXPECT_THAT(carry_out(*invariant), IsEmpty());
}

TEST_F(RemovalInvariants, IgnoreExpendablePods) {
    pod("web-1", "n1").spec.priority = -20;
    pods[0].owner = {};
    mark(engine::to_be_deleted_taint);
    EXPECT_THAT(pass(*removals_invariant()), IsEmpty());
    remove_node();
    const auto invariant = pods_invariant();
    pass(*invariant);
    EXPECT_THAT(carry_out(*invariant), IsEmpty());
}

TEST_F(RemovalInvariants, RequireThatTheTaintWasSet) {
    remove_node();
    mark(engine::being_deleted_taint);
    engine::Results results{.removals = {{}}, .node_changes = {std::nullopt}};
    EXPECT_THAT(removals_invariant()->on_results(decision, results), IsEmpty());
    results.node_changes[0] = Error{ErrorCode::unavailable, "away"};
    EXPECT_THAT(removals_invariant()->on_results(decision, results),
                ElementsAre(HasSubstr("the taint could not be set")));
}

TEST_F(RemovalInvariants, DetectTaintsWithoutARemoval) {
    const auto invariant = leftovers_invariant();
    add_taint(engine::to_be_deleted_taint);
    EXPECT_THAT(pass(*invariant), IsEmpty());
    now += 2h;
    EXPECT_THAT(pass(*invariant), ElementsAre(HasSubstr("is not being removed")));
    EXPECT_THAT(pass(*invariant), IsEmpty()) << "reported once";
    EXPECT_THAT(end(*invariant), ElementsAre(HasSubstr("at the end of the run")));
}

TEST_F(RemovalInvariants, AllowTaintsOnANodeWhoseMachineIsGone) {
    const auto invariant = leftovers_invariant();
    add_taint(engine::to_be_deleted_taint);
    group.machines.clear();
    invariant->on_fact({.kind = FactKind::machine_ended, .node = "n1", .machine = "m1"});
    pass(*invariant);
    now += 2h;
    EXPECT_THAT(pass(*invariant), IsEmpty());
    EXPECT_THAT(end(*invariant), IsEmpty());
}

TEST_F(RemovalInvariants, DetectALeavingTaintOfAMachineThatStays) {
    for (const bool leaves : {true, false}) {
        const auto invariant = leftovers_invariant();
        node.taints.clear();
        add_taint(engine::leaving_taint);
        if (leaves) group.machines[0].leaves = Leaving{.at = now + 9h};
        if (!leaves) group.machines[0].leaves.reset();
        pass(*invariant);
        now += 4h;
        EXPECT_EQ(pass(*invariant).size(), leaves ? 0u : 1u);
        EXPECT_EQ(end(*invariant).size(), leaves ? 0u : 1u);
    }
}

TEST_F(RemovalInvariants, IgnoreUnreadyNodesWithoutAMachine) {
    const auto invariant = leftovers_invariant();
    add_taint(engine::to_be_deleted_taint);
    group.machines.clear();
    node.ready = false;
    pass(*invariant);
    now += 2h;
    EXPECT_THAT(pass(*invariant), IsEmpty());
    node.ready = true;
    pass(*invariant);
    now += 2h;
    EXPECT_THAT(pass(*invariant), ElementsAre(HasSubstr("is not being removed")))
        << "the taint of a ready node must be removed";
}

TEST_F(RemovalInvariants, DetectEmptyNodesInTheCalmPhase) {
    calm = noon;
    for (const int minimum : {0, 1}) {
        const auto invariant = thrift_invariant();
        group.group.min = minimum;
        pass(*invariant);
        EXPECT_EQ(end(*invariant, noon + 4h).size(), minimum == 0 ? 1u : 0u);
    }
    const auto invariant = thrift_invariant();
    group.group.min = 0;
    pod("web-1", "n1").spec.requests = {{"cpu", 3000}};
    pass(*invariant);
    EXPECT_THAT(end(*invariant, noon + 4h), IsEmpty());
}

TEST_F(RemovalInvariants, DetectUnneededNodesInTheCalmPhase) {
    calm = noon;
    add_second_node();
    pod("web-1", "n1").spec.requests = {{"cpu", 1000}};
    pod("web-2", "n2").spec.requests = {{"cpu", 2500}};
    auto invariant = thrift_invariant();
    pass(*invariant);
    EXPECT_THAT(end(*invariant, noon + 4h), ElementsAre(HasSubstr("fit on node n2")));
    pods[1].spec.requests = {{"cpu", 3500}};
    invariant = thrift_invariant();
    pass(*invariant);
    EXPECT_THAT(end(*invariant, noon + 4h), IsEmpty());
}

TEST_F(RemovalInvariants, AllowAnEmptyNodeOnlyForAPendingPodThatIsNotGated) {
    calm = noon;
    group.group.min = 0;
    pod("web-1", "");
    for (const bool is_gated : {false, true}) {
        const auto invariant = thrift_invariant();
        pods[0].gated = is_gated;
        pass(*invariant);
        EXPECT_EQ(end(*invariant, noon + 4h).size(), is_gated ? 1u : 0u);
    }
}

/// Node n1 has a pod that kube-scheduler would preempt for the pending one.
TEST_F(RemovalInvariants, AllowNodesWhileASchedulablePodThatWouldPreemptKeepsThem) {
    calm = noon;
    group.group.min = 0;
    add_second_node();
    pod("spare-1", "n1").spec = {.requests = {{"cpu", 2000}}, .priority = -20};
    pod("web-1", "").spec = {.requests = {{"cpu", 3000}}, .node_selector = {{"disk", "ssd"}}};
    node.labels = {{"disk", "ssd"}};
    for (const bool ignores_schedulable_pods : {true, false}) {
        settings.scale_down.ignore_schedulable_pods = ignores_schedulable_pods;
        const auto invariant = thrift_invariant();
        pass(*invariant);
        EXPECT_EQ(end(*invariant, noon + 4h).size(), ignores_schedulable_pods ? 1u : 0u);
    }
}

TEST_F(RemovalInvariants, DetectMachinesThatWereNeverUsed) {
    for (const bool served : {false, true}) {
        const auto invariant = rest_invariant();
        calm = now;
        order_for_one_pod();
        pass(*invariant);
        carry_out(*invariant);
        now += 1min;
        node.created = now;
        decision = {};
        if (served) pods[0].node_name = "n1";
        pass(*invariant);
        now += 20min;
        remove_node();
        pass(*invariant);
        EXPECT_EQ(carry_out(*invariant).size(), served ? 0u : 1u);
    }
}

TEST_F(RemovalInvariants, AllowAnUnusedMachineForAPodThatIsDeleted) {
    const auto invariant = rest_invariant();
    calm = now;
    order_for_one_pod();
    pass(*invariant);
    carry_out(*invariant);
    now += 1min;
    invariant->on_fact({.kind = FactKind::pod_deleted, .at = now, .pod = "default/p"});
    pods.clear();
    node.created = now;
    decision = {};
    remove_node();
    pass(*invariant);
    EXPECT_THAT(carry_out(*invariant), IsEmpty());
}

TEST_F(RemovalInvariants, AllowAnUnusedMachineThatEndsABackOff) {
    const auto invariant = rest_invariant();
    calm = now;
    increase(1);
    decision.increases[0].option = engine::health::no_option;
    memory.backoffs[NodeGroupId("web")] = {};
    pass(*invariant);
    carry_out(*invariant);
    memory.backoffs.clear();
    now += 1min;
    node.created = now;
    decision = {};
    remove_node();
    pass(*invariant);
    EXPECT_THAT(carry_out(*invariant), IsEmpty());
}

TEST_F(RemovalInvariants, AllowAnUnusedMachineThatExpendablePodsHaveTaken) {
    const auto invariant = rest_invariant();
    calm = now;
    order_for_one_pod();
    pass(*invariant);
    carry_out(*invariant);
    now += 1min;
    node.created = now;
    decision = {};
    remove_node();
    pod("filler", "n1").spec.priority = -20;
    pass(*invariant);
    EXPECT_THAT(carry_out(*invariant), IsEmpty());
}

TEST_F(RemovalInvariants, AllowOneUnusedMachinePerWrongTemplate) {
    const auto invariant = rest_invariant();
    calm = now;
    node.taints = {{.key = "quarantine"}};
    for (const std::size_t violations : {0u, 1u}) {
        decision = {};
        increase(1);
        pass(*invariant);
        carry_out(*invariant);
        now += 1min;
        node.created = now;
        decision = {};
        remove_node();
        pass(*invariant);
        EXPECT_EQ(carry_out(*invariant).size(), violations);
    }
}

}  // namespace
}  // namespace capstan::simulator::chaos
