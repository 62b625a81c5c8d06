// Invariants of what is ordered: machines and groups within their bounds, for a pod or a minimum,
// once, and at a good price.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "../../runtime/test_host.hpp"
#include "invariant_case.hpp"

namespace capstan::simulation::chaos {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST_F(Chaos, BoundsSayThatAGroupGrowsAboveItsMaximum) {
    increase(2);
    EXPECT_THAT(pass(*bounds_invariant()), IsEmpty());
    increase(1);
    EXPECT_THAT(pass(*bounds_invariant()), ElementsAre(HasSubstr("would grow to 4, above")));
}

TEST_F(Chaos, BoundsDoNotCountAMachineThatItsCloudAgreedToRemoveAndStillLists) {
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

TEST_F(Chaos, LimitsCountNodesAndAllThatMayComeOfATarget) {
    settings.nodes.max = 2;
    increase(1);
    EXPECT_THAT(pass(*limits_invariant()), IsEmpty());
    group.group.target = 2;
    EXPECT_THAT(pass(*limits_invariant()), ElementsAre(HasSubstr("above the limit 2")));
    memory.backoffs[group.group.id] = {.because = "none left"};
    EXPECT_THAT(pass(*limits_invariant()), ElementsAre(HasSubstr("above the limit 2")))
        << "a group that is backed off may get its machine all the same";
}

TEST_F(Chaos, LimitsLookAtEverythingThatIsLimited) {
    node.capacity = {{"cpu", 4000}, {"nvidia.com/gpu", 2}};
    increase(1);
    settings.cpu.max = 7999;
    settings.gpu.max = settings.gpu_types["nvidia.com/gpu"].max = 1;
    EXPECT_THAT(pass(*limits_invariant()),
                ElementsAre(HasSubstr("cpu"), HasSubstr("gpu"), HasSubstr("nvidia.com/gpu")));
}

TEST_F(Chaos, AGroupIsMadeOnceAndForPods) {
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

TEST_F(Chaos, OnlyAnEmptyGroupThatWasMadeIsDeleted) {
    const auto says = [&](const std::string& what) {
        return ElementsAre(HasSubstr("is deleted although it " + what));
    };
    delete_group("web");
    EXPECT_THAT(pass(*made_groups_invariant()), says("was not created by auto-provisioning"));
    group.group.autoprovisioned = true;
    EXPECT_THAT(pass(*made_groups_invariant()), says("has machines"));
    group.machines.clear();
    EXPECT_THAT(pass(*made_groups_invariant()), says("has a target size"));
    group.group.target = 0;
    EXPECT_THAT(pass(*made_groups_invariant()), IsEmpty());
    increase(1);
    EXPECT_THAT(pass(*made_groups_invariant()), says("grows in the same pass"));
    has_group = false;
    EXPECT_THAT(pass(*made_groups_invariant()), says("does not exist"));
}

TEST_F(Chaos, AMachineThatNoPodCouldUseHasNoPurpose) {
    increase(1);
    EXPECT_THAT(pass(*purpose_invariant()), ElementsAre(HasSubstr("0 pods could run there"),
                                                        HasSubstr("0 pods could use them")));
    pod("web-1", "").spec.requests = {{"cpu", 9000}};
    EXPECT_THAT(pass(*purpose_invariant()), ElementsAre(HasSubstr("0 pods could run there")));
    pods[0].spec.requests = {{"cpu", 3000}};
    EXPECT_THAT(pass(*purpose_invariant()), IsEmpty());
    group.group.min = 2;
    pods.clear();
    EXPECT_THAT(pass(*purpose_invariant()), IsEmpty()) << "its minimum is a purpose";
}

TEST_F(Chaos, AMachineHasAPurposeForPodsOfAMachineThatLeaves) {
    increase(1);
    pod("web-1", "n1");
    EXPECT_THAT(pass(*purpose_invariant()), Not(IsEmpty()));
    group.machines[0].leaves = Leaving{.at = now + 2min};
    EXPECT_THAT(pass(*purpose_invariant()), IsEmpty());
}

TEST_F(Chaos, WhatWasAskedForIsNotAskedForAgainWhileThePictureIsTheSame) {
    for (const bool came_another : {false, true}) {
        const auto invariant = purpose_invariant();
        order_for_one_pod();
        EXPECT_THAT(pass(*invariant), IsEmpty());
        group.group.target = 2;
        if (came_another) pod("web-2", "");
        EXPECT_EQ(pass(*invariant).size(), came_another ? 0u : 1u);
    }
}

TEST_F(Chaos, WhatACloudShowsLateIsNotAskedForTwiceEither) {
    const auto invariant = purpose_invariant();
    order_for_one_pod();
    pass(*invariant);
    EXPECT_THAT(pass(*invariant), IsEmpty()) << "less may have come than was asked for";
    decision = {};
    group.group.target = 3;
    EXPECT_THAT(pass(*invariant), ElementsAre(HasSubstr("requested again")));
}

TEST_F(Chaos, AGroupBelowItsMinimumDoesNotExcuseWhatIsAskedOfAnotherInTheSamePass) {
    const auto invariant = purpose_invariant();
    another_group("low").group.min = 1;
    order_for_one_pod();
    pass(*invariant);
    group.group.target = 2;
    decision = {};
    increase(1, "low");
    increase(1);
    EXPECT_THAT(pass(*invariant), ElementsAre(HasSubstr("requested again")));
}

TEST_F(Chaos, AGroupThatGrowsAsAWholeNeedsOnePod) {
    group.options.zero_or_max = true;
    group.group.min = group.group.target = 0;
    increase(3);
    EXPECT_THAT(pass(*purpose_invariant()), ElementsAre(HasSubstr("0 pods could run there"),
                                                        HasSubstr("0 pods could use them")));
    pod("web-1", "");
    EXPECT_THAT(pass(*purpose_invariant()), IsEmpty());
}

TEST_F(Chaos, GrowthForANewPodConvictsNoEarlierOrder) {
    for (const bool came_another : {false, true}) {
        const auto invariant = purpose_invariant();
        order_for_one_pod();
        pass(*invariant);
        EXPECT_THAT(pass(*invariant), IsEmpty());
        decision = {};
        if (came_another) pod("web-2", "");
        EXPECT_THAT(pass(*invariant), IsEmpty());
        group.group.target = 3;
        EXPECT_EQ(pass(*invariant).size(), came_another ? 0u : 1u);
    }
}

TEST_F(Chaos, WhatWasAskedForBeforeARestartIsNotAskedForAgain) {
    const auto invariant = restart_invariant();
    order_for_one_pod();
    EXPECT_THAT(pass(*invariant), IsEmpty());
    group.group.target = 2;
    invariant->on_restart();
    EXPECT_THAT(pass(*invariant), ElementsAre(HasSubstr("after a restart group web")));
}

TEST_F(Chaos, OnlyABackOffThatBeganOrEndedMeanwhileExcusesAnOrderAfterARestart) {
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

TEST_F(Chaos, APodThatCameMeanwhileMayBeServedAfterARestart) {
    const auto invariant = restart_invariant();
    order_for_one_pod();
    pass(*invariant);
    group.group.target = 2;
    pod("web-2", "");
    invariant->on_restart();
    EXPECT_THAT(pass(*invariant), IsEmpty());
}

TEST_F(Chaos, PodsThatLookAtOthersAreJudgedAfterARestartWhileNobodyMoves) {
    for (const bool moved : {false, true}) {
        const auto invariant = restart_invariant();
        group.group.target = 1;
        pods.clear();
        pod("web-1", "");
        pods[0].spec.spread.push_back({.topology_key = "topology.kubernetes.io/zone"});
        pass(*invariant);
        if (moved) pod("web-2", "n1");
        invariant->on_restart();
        increase(1);
        EXPECT_EQ(pass(*invariant).size(), moved ? 0u : 1u);
        decision = {};
    }
}

TEST_F(Chaos, MemoryThatDoesNotComeBackFromItsTextIsNoticed) {
    memory.backoffs[NodeGroupId("web")] = {.because = "no capacity"};
    EXPECT_THAT(pass(*memory_invariant()), IsEmpty());
    memory.backoffs[NodeGroupId("web")].because = "\xff";
    EXPECT_THAT(pass(*memory_invariant()), ElementsAre(HasSubstr("memory")));
}

/// The price by name: the invariant reads the name, and no pass asks the expander.
struct NamedPrice {
    void filter(const Call&, const ExpanderRequest&, const Selection&) const {}
};

/// The price decides first. A machine holds one of the pods that wait; "web" costs ten times as
/// much as "cheap".
struct ByPrice : InvariantCase {
    runtime::TestHost host;
    runtime::Running<NamedPrice> price{host, runtime::identity("price")};
    engine::Group& cheap;

    ByPrice() : cheap(another_group("cheap")) {
        wiring.expanders = {{.expander = price.shared()}};
        group.price_per_hour = 10;
        cheap.price_per_hour = 1;
    }
    // An instance ends before its host does.
    ~ByPrice() override { wiring = {}; }

    /// One more pod waits, and a machine of the group is ordered for it.
    void buy(const std::string& of) {
        pod("web-" + std::to_string(pods.size()), "").spec.requests = {{"cpu", 3000}};
        const engine::snapshot::Cluster there = cluster();
        const engine::snapshot::PodGroupId equivalence_group =
            there.equivalence_group_of(*there.unbound().begin());
        decision.options.push_back(
            {.group = NodeGroupId(of),
             .nodes = 1,
             .pods = {{.equivalence_group = equivalence_group, .count = 1}}});
        increase(1, of);
        decision.increases.back().option = decision.options.size() - 1;
    }
    /// A machine of each group is ordered. The one of "web" is too dear unless `bound` is `full`,
    /// with which "cheap" has no room for a second machine.
    template <class Bound>
    void expect_dear_unless(Bound& bound, int full) {
        buy("web");
        buy("cheap");
        bound = full;
        EXPECT_THAT(pass(*cost_invariant()), IsEmpty());
        bound = full + 1;
        EXPECT_THAT(pass(*cost_invariant()), ElementsAre(HasSubstr("of group cheap")));
    }
};

TEST_F(ByPrice, ADearGroupIsNotGrownWhileACheapOneHasRoom) {
    buy("web");
    EXPECT_THAT(pass(*cost_invariant()),
                ElementsAre(HasSubstr("group web grows by 1 although 1 machine of group cheap")));
    cheap.price_per_hour = 9;
    EXPECT_THAT(pass(*cost_invariant()), IsEmpty());
}

TEST_F(ByPrice, ACheapGroupThatAnotherOrderOfThePassFillsHasNoRoom) {
    expect_dear_unless(cheap.group.max, 1);
}

TEST_F(ByPrice, ACheapGroupThatIsBackedOffHasNoRoomUntilThatEnds) {
    buy("web");
    memory.backoffs[NodeGroupId("cheap")] = {.until = noon + 5min};
    EXPECT_THAT(pass(*cost_invariant()), IsEmpty());
    now += 1h;
    EXPECT_THAT(pass(*cost_invariant()), ElementsAre(HasSubstr("of group cheap")));
}

TEST_F(ByPrice, ALimitThatAnotherOrderOfThePassUsesUpHasNoRoomForACheapGroup) {
    expect_dear_unless(settings.nodes.max, 2);
}

TEST_F(ByPrice, ACheapGroupWhoseNodesTurnOutToTakeNoSuchPodsIsNoAlternative) {
    buy("web");
    second_node();
    group.machines.pop_back();
    more_nodes[0].taints = {{.key = "reserved"}};
    cheap.machines = {{.id = MachineId("m2"), .group = NodeGroupId("cheap")}};
    EXPECT_THAT(pass(*cost_invariant()), IsEmpty());
    more_nodes[0].taints.clear();
    EXPECT_THAT(pass(*cost_invariant()), ElementsAre(HasSubstr("of group cheap")));
}

}  // namespace
}  // namespace capstan::simulation::chaos
