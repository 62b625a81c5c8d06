// Invariants of orders: machines and groups stay within their bounds, are for a pod or a minimum,
// and are ordered once and at the lowest price.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "../../host/plugin_runtime/test_host.hpp"
#include "invariant_case.hpp"

namespace capstan::simulator::chaos {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST_F(OrderInvariants, RejectGrowthAboveTheMaximum) {
    increase(2);
    EXPECT_THAT(pass(*bounds_invariant()), IsEmpty());
    increase(1);
    EXPECT_THAT(pass(*bounds_invariant()), ElementsAre(HasSubstr("would grow to 4, above")));
}

TEST_F(OrderInvariants, DoNotCountMachinesThatAreBeingRemoved) {
    const auto invariant = bounds_invariant();
    group.group.target = 3;
    remove_node();
    EXPECT_THAT(pass(*invariant), IsEmpty());
    carry_out(*invariant);
    decision = {};
    increase(1);
    EXPECT_THAT(pass(*invariant), IsEmpty());
    increase(1);
    EXPECT_THAT(pass(*invariant), ElementsAre(HasSubstr("would grow to 4, above")));
}

TEST_F(OrderInvariants, CountNodesAndTargetsForTheClusterLimit) {
    settings.nodes.max = 2;
    increase(1);
    EXPECT_THAT(pass(*limits_invariant()), IsEmpty());
    group.group.target = 2;
    EXPECT_THAT(pass(*limits_invariant()), ElementsAre(HasSubstr("above the limit 2")));
    memory.backoffs[group.group.id] = {.because = "none left"};
    EXPECT_THAT(pass(*limits_invariant()), ElementsAre(HasSubstr("above the limit 2")))
        << "a machine of a backed-off group may still join";
}

TEST_F(OrderInvariants, CheckEveryResourceLimit) {
    node.capacity = {{"cpu", 4000}, {"nvidia.com/gpu", 2}};
    increase(1);
    settings.cpu.max = 7999;
    settings.gpu.max = settings.gpu_types["nvidia.com/gpu"].max = 1;
    EXPECT_THAT(pass(*limits_invariant()),
                ElementsAre(HasSubstr("cpu"), HasSubstr("gpu"), HasSubstr("nvidia.com/gpu")));
}

TEST_F(OrderInvariants, RequireThatAGroupIsCreatedOnceAndGrown) {
    create("made");
    EXPECT_THAT(pass(*made_groups_invariant()), ElementsAre(HasSubstr("is created but not grown")));
    decision.increases.push_back({.group = NodeGroupId("made"), .by = 1});
    EXPECT_THAT(pass(*made_groups_invariant()), IsEmpty());
    create("made");
    EXPECT_THAT(pass(*made_groups_invariant()), ElementsAre(HasSubstr("is created twice")));
    decision = {};
    create("web");
    increase(1);
    EXPECT_THAT(pass(*made_groups_invariant()),
                ElementsAre(HasSubstr("is created but already exists")));
}

TEST_F(OrderInvariants, AllowDeletingOnlyEmptyAutoprovisionedGroups) {
    const auto is_deleted_although = [&](const std::string& what) {
        return ElementsAre(HasSubstr("is deleted although it " + what));
    };
    delete_group("web");
    EXPECT_THAT(pass(*made_groups_invariant()),
                is_deleted_although("was not created by auto-provisioning"));
    group.group.autoprovisioned = true;
    EXPECT_THAT(pass(*made_groups_invariant()), is_deleted_although("has machines"));
    group.machines.clear();
    EXPECT_THAT(pass(*made_groups_invariant()), is_deleted_although("has a target size"));
    group.group.target = 0;
    EXPECT_THAT(pass(*made_groups_invariant()), IsEmpty());
    increase(1);
    EXPECT_THAT(pass(*made_groups_invariant()), is_deleted_although("grows in the same pass"));
    has_group = false;
    EXPECT_THAT(pass(*made_groups_invariant()), is_deleted_although("does not exist"));
}

TEST_F(OrderInvariants, RequireAPodForEachMachine) {
    increase(1);
    EXPECT_THAT(pass(*purpose_invariant()), ElementsAre(HasSubstr("0 pods could run there"),
                                                        HasSubstr("0 pods could use them")));
    pod("web-1", "").spec.requests = {{"cpu", 9000}};
    EXPECT_THAT(pass(*purpose_invariant()), ElementsAre(HasSubstr("0 pods could run there")));
    pods[0].spec.requests = {{"cpu", 3000}};
    EXPECT_THAT(pass(*purpose_invariant()), IsEmpty());
    group.group.min = 2;
    pods.clear();
    EXPECT_THAT(pass(*purpose_invariant()), IsEmpty()) << "the minimum requires it";
}

TEST_F(OrderInvariants, CountPodsOfMachinesThatLeave) {
    increase(1);
    pod("web-1", "n1");
    EXPECT_THAT(pass(*purpose_invariant()), Not(IsEmpty()));
    group.machines[0].leaves = Leaving{.at = now + 2min};
    EXPECT_THAT(pass(*purpose_invariant()), IsEmpty());
}

TEST_F(OrderInvariants, RejectRepeatedOrdersForTheSamePods) {
    for (const bool has_new_pod : {false, true}) {
        const auto invariant = purpose_invariant();
        order_for_one_pod();
        EXPECT_THAT(pass(*invariant), IsEmpty());
        group.group.target = 2;
        if (has_new_pod) pod("web-2", "");
        EXPECT_EQ(pass(*invariant).size(), has_new_pod ? 0u : 1u);
    }
}

TEST_F(OrderInvariants, AllowARepeatedOrderWhenANodeKeepsATaintAfterItsSettlingTime) {
    for (const bool is_tainted : {false, true}) {
        const auto invariant = purpose_invariant();
        now = noon;
        node.ready_since = noon - 30s;
        node.taints.clear();
        if (is_tainted) node.taints.push_back({.key = "x", .effect = Effect::no_schedule});
        order_for_one_pod();
        EXPECT_THAT(pass(*invariant), IsEmpty());
        group.group.target = 2;
        now = noon + 30s;  // settling_time is a minute
        EXPECT_EQ(pass(*invariant).size(), is_tainted ? 0u : 1u);
    }
}

/// A machine that the list lacks counts as upcoming, although its node is there.
TEST_F(OrderInvariants, AllowARepeatedOrderWhenTheMachineOfANodeIsListedAgain) {
    add_second_node();
    const std::vector<Machine> all = group.machines;
    const std::vector<Machine> first_only = {all[0]};
    const auto violations = [&](const std::vector<Machine>& before,
                                const std::vector<Machine>& after) {
        const auto invariant = purpose_invariant();
        order_for_one_pod();
        group.group.target = 2;
        group.machines = before;
        EXPECT_THAT(pass(*invariant), IsEmpty());
        group.group.target = 3;
        group.machines = after;
        return pass(*invariant);
    };
    EXPECT_THAT(violations(first_only, all), IsEmpty());
    for (const auto& [before, after] :
         {std::pair(all, all), std::pair(first_only, first_only), std::pair(all, first_only)})
        EXPECT_THAT(violations(before, after), ElementsAre(HasSubstr("requested again")));
}

TEST_F(OrderInvariants, RejectRepeatedOrdersIfTheCloudReportsLate) {
    const auto invariant = purpose_invariant();
    order_for_one_pod();
    pass(*invariant);
    EXPECT_THAT(pass(*invariant), IsEmpty())
        << "fewer machines may have been created than requested";
    decision = {};
    group.group.target = 3;
    EXPECT_THAT(pass(*invariant), ElementsAre(HasSubstr("requested again")));
}

TEST_F(OrderInvariants, RejectRepeatedOrdersNextToAnOrderForAMinimum) {
    const auto invariant = purpose_invariant();
    add_group("low").group.min = 1;
    order_for_one_pod();
    pass(*invariant);
    group.group.target = 2;
    decision = {};
    increase(1, "low");
    increase(1);
    EXPECT_THAT(pass(*invariant), ElementsAre(HasSubstr("requested again")));
}

TEST_F(OrderInvariants, RequireOnePodForAZeroOrMaxGroup) {
    group.options.zero_or_max = true;
    group.group.min = group.group.target = 0;
    increase(3);
    EXPECT_THAT(pass(*purpose_invariant()), ElementsAre(HasSubstr("0 pods could run there"),
                                                        HasSubstr("0 pods could use them")));
    pod("web-1", "");
    EXPECT_THAT(pass(*purpose_invariant()), IsEmpty());
}

TEST_F(OrderInvariants, AllowGrowthForANewPod) {
    for (const bool has_new_pod : {false, true}) {
        const auto invariant = purpose_invariant();
        order_for_one_pod();
        pass(*invariant);
        EXPECT_THAT(pass(*invariant), IsEmpty());
        decision = {};
        if (has_new_pod) pod("web-2", "");
        EXPECT_THAT(pass(*invariant), IsEmpty());
        group.group.target = 3;
        EXPECT_EQ(pass(*invariant).size(), has_new_pod ? 0u : 1u);
    }
}

TEST_F(OrderInvariants, AllowGrowthForAPodThatTheSchedulerHadNotTried) {
    const auto invariant = purpose_invariant();
    order_for_one_pod();
    pod("web-2", "").unscheduled_reason = "";
    pass(*invariant);
    pods.back().unscheduled_reason = "Unschedulable";
    group.group.target = 2;
    EXPECT_THAT(pass(*invariant), IsEmpty());
    decision = {};
    group.group.target = 3;
    EXPECT_THAT(pass(*invariant), IsEmpty());
}

TEST_F(OrderInvariants, RejectRepeatedOrdersAfterARestart) {
    const auto invariant = restart_invariant();
    order_for_one_pod();
    EXPECT_THAT(pass(*invariant), IsEmpty());
    group.group.target = 2;
    invariant->on_restart();
    EXPECT_THAT(pass(*invariant), ElementsAre(HasSubstr("after a restart group web")));
}

TEST_F(OrderInvariants, AllowOrdersAfterARestartIfABackOffChanged) {
    for (const bool has_ended : {false, true}) {
        const auto invariant = restart_invariant();
        memory.backoffs[NodeGroupId("web")] = {.until = has_ended ? noon - 1h : noon + 1min};
        now = noon;
        order_for_one_pod();
        pass(*invariant);
        group.group.target = 2;
        now = noon + 2min;
        invariant->on_restart();
        EXPECT_EQ(pass(*invariant).size(), has_ended ? 1u : 0u);
    }
}

TEST_F(OrderInvariants, AllowOrdersAfterARestartForMachinesThatAreGivenUp) {
    for (const engine::RemovalCause cause :
         {engine::RemovalCause::never_joined, engine::RemovalCause::empty}) {
        const auto invariant = restart_invariant();
        order_for_one_pod();
        pass(*invariant);
        group.group.target = 2;
        remove_node();
        decision.removals[0].cause = cause;
        invariant->on_restart();
        EXPECT_EQ(pass(*invariant).size(), cause == engine::RemovalCause::empty ? 1u : 0u);
    }
}

/// The order may not have been carried out, which shows a few minutes after the first restart.
TEST_F(OrderInvariants, AllowOrdersAfterASecondRestartSoonAfterTheFirst) {
    for (const Duration between : {1min, 4min}) {
        const auto invariant = restart_invariant();
        now = noon;
        order_for_one_pod();
        pass(*invariant);
        group.group.target = 2;
        decision = {};
        invariant->on_restart();
        pass(*invariant);
        now += between;
        pass(*invariant);
        invariant->on_restart();
        increase(1);
        EXPECT_EQ(pass(*invariant).size(), between == 1min ? 0u : 1u);
        decision = {};
    }
}

TEST_F(OrderInvariants, AllowOrdersForNewPodsAfterARestart) {
    const auto invariant = restart_invariant();
    order_for_one_pod();
    pass(*invariant);
    group.group.target = 2;
    pod("web-2", "");
    invariant->on_restart();
    EXPECT_THAT(pass(*invariant), IsEmpty());
}

TEST_F(OrderInvariants, AllowOrdersAfterARestartIfAPodWasBound) {
    for (const bool moved : {false, true}) {
        const auto invariant = restart_invariant();
        group.group.target = 1;
        pods.clear();
        pod("web-1", "");
        pass(*invariant);
        if (moved) pod("web-2", "n1");
        invariant->on_restart();
        increase(1);
        EXPECT_EQ(pass(*invariant).size(), moved ? 0u : 1u);
        decision = {};
    }
}

TEST_F(OrderInvariants, DetectMemoryThatIsNotRestoredFromItsText) {
    memory.backoffs[NodeGroupId("web")] = {.because = "no capacity"};
    EXPECT_THAT(pass(*memory_invariant()), IsEmpty());
    memory.backoffs[NodeGroupId("web")].because = "\xff";
    EXPECT_THAT(pass(*memory_invariant()), ElementsAre(HasSubstr("memory")));
}

/// An expander named "price". The invariant reads only the name; the expander is never called.
struct NamedPrice {
    void filter(const Call&, const ExpanderRequest&, const Selection&) const {}
};

/// The price expander comes first. A machine holds one of the pending pods; "web" costs ten times
/// as much as "cheap".
struct PriceInvariant : InvariantCase {
    plugin_runtime::TestHost host;
    plugin_runtime::Running<NamedPrice> price{host, plugin_runtime::identity("price")};
    engine::Group& cheap;

    PriceInvariant() : cheap(add_group("cheap")) {
        wiring.expanders = {{.expander = price.shared()}};
        group.price_per_hour = 10;
        cheap.price_per_hour = 1;
    }
    // An instance must be destroyed before its host.
    ~PriceInvariant() override { wiring = {}; }

    /// Adds a pending pod and orders a machine of the group for it.
    void buy(const std::string& of) {
        pod("web-" + std::to_string(pods.size()), "").spec.requests = {{"cpu", 3000}};
        const engine::snapshot::Cluster there = cluster();
        const engine::PodGroupId equivalence_group =
            there.equivalence_group_of(*there.unbound().begin());
        decision.options.push_back(
            {.group = NodeGroupId(of),
             .nodes = 1,
             .pods = {{.equivalence_group = equivalence_group, .count = 1}}});
        increase(1, of);
        decision.increases.back().option = decision.options.size() - 1;
    }
    /// A machine of each group is ordered. The one of "web" is too expensive unless `bound` is
    /// `full`, with which "cheap" has no room for a second machine.
    template <class Bound>
    void expect_expensive_unless(Bound& bound, int full) {
        buy("web");
        buy("cheap");
        bound = full;
        EXPECT_THAT(pass(*price_invariant()), IsEmpty());
        bound = full + 1;
        EXPECT_THAT(pass(*price_invariant()), ElementsAre(HasSubstr("of group cheap")));
    }
};

TEST_F(PriceInvariant, RejectsAnExpensiveGroupWhileACheapOneHasRoom) {
    buy("web");
    EXPECT_THAT(pass(*price_invariant()),
                ElementsAre(HasSubstr("group web grows by 1 although 1 machine of group cheap")));
    cheap.price_per_hour = 9;
    EXPECT_THAT(pass(*price_invariant()), IsEmpty());
}

/// Four options, of one pod each, were chosen one after the other. Their nodes are one increase.
TEST_F(PriceInvariant, ComparesAnIncreaseWithThePodsOfAllItsOptions) {
    cheap.price_per_hour = group.price_per_hour;
    for (int n = 0; n < 4; ++n) buy("web");
    decision.increases.resize(1);
    decision.increases[0].by = 4;
    group.group.max = 9;
    EXPECT_THAT(pass(*price_invariant()), IsEmpty());
}

TEST_F(PriceInvariant, CountsOtherOrdersOfThePass) { expect_expensive_unless(cheap.group.max, 1); }

TEST_F(PriceInvariant, IgnoresACheapGroupDuringItsBackOff) {
    buy("web");
    memory.backoffs[NodeGroupId("cheap")] = {.until = noon + 5min};
    EXPECT_THAT(pass(*price_invariant()), IsEmpty());
    now += 1h;
    EXPECT_THAT(pass(*price_invariant()), ElementsAre(HasSubstr("of group cheap")));
}

TEST_F(PriceInvariant, CountsOtherOrdersForTheClusterLimit) {
    expect_expensive_unless(settings.nodes.max, 2);
}

TEST_F(PriceInvariant, IgnoresACheapGroupWhoseNodesDoNotFit) {
    buy("web");
    add_second_node();
    group.machines.pop_back();
    more_nodes[0].taints = {{.key = "reserved"}};
    cheap.machines = {{.id = MachineId("m2"), .group = NodeGroupId("cheap")}};
    EXPECT_THAT(pass(*price_invariant()), IsEmpty());
    more_nodes[0].taints.clear();
    EXPECT_THAT(pass(*price_invariant()), ElementsAre(HasSubstr("of group cheap")));
}

}  // namespace
}  // namespace capstan::simulator::chaos
