// Each invariant speaks when it is broken, and is silent otherwise.
#include "simulation/chaos/invariant.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "engine/removal/node_marks.hpp"
#include "engine/snapshot/cluster_builder.hpp"
#include "simulation/chaos/witness.hpp"

namespace capstan::simulation {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Time noon = time_from_unix_ns(1'750'000'000'000'000'000);

/// A group "web" of one node n1, and what a pass is made to decide.
struct Chaos : ::testing::Test {
    engine::Group group;
    engine::NodeObject node{.name = "n1", .provider_id = "m1"};
    std::vector<engine::PodObject> pods;
    std::vector<engine::DisruptionBudgetObject> budgets;
    engine::Settings settings;
    engine::Decision decision;
    engine::Memory memory;
    Time now = noon;

    Chaos() {
        group.group.id = NodeGroupId("web");
        group.group.min = 1;
        group.group.max = 3;
        group.group.target = 1;
        group.group.healthy = true;
        group.machines = {
            {.id = MachineId("m1"), .group = NodeGroupId("web"), .state = MachineState::running}};
        const Resources size{{"cpu", 4000}, {"memory", 1 << 30}, {"pods", 110}};
        group.described = std::make_shared<const NodeTemplate>(
            NodeTemplate{.capacity = size, .allocatable = size});
        node.capacity = node.allocatable = size;
        node.ready = true;
    }

    engine::PodObject& pod(const std::string& name, const std::string& on) {
        pods.push_back({.name = name,
                        .uid = name,
                        .labels = {{"app", "web"}},
                        .owner = {.kind = "ReplicaSet", .api_group = "apps", .name = "web"},
                        .node_name = on,
                        .created = noon});
        return pods.back();
    }
    void increase(int by) {
        decision.increases.push_back({.group = NodeGroupId("web"), .by = by, .because = "pods"});
    }
    void remove_node() {
        decision.removals.push_back(
            {.group = NodeGroupId("web"), .machines = {MachineId("m1")}, .nodes = {"n1"}});
    }
    void mark(std::string_view taint) {
        decision.node_changes.push_back(
            {.node = "n1", .set_taints = {{.key = std::string(taint)}}});
    }
    void carries(std::string_view taint) { node.taints.push_back({.key = std::string(taint)}); }

    std::vector<std::string> pass(Invariant& invariant) {
        with_moment([&](const Moment& moment) { said_ = invariant.on_pass(moment); });
        return said_;
    }
    std::vector<std::string> end(Invariant& invariant) {
        with_moment([&](const Moment& moment) { said_ = invariant.on_end(moment); });
        return said_;
    }

private:
    template <class Use>
    void with_moment(Use use) {
        engine::ClusterBuilder builder;
        builder.set(node);
        for (const auto& one : pods) builder.set(one);
        for (const auto& one : budgets) builder.set(one);
        const auto groups = std::make_shared<const std::vector<engine::Group>>(1, group);
        const runtime::PassInput input{.snapshot = {builder.build(), groups},
                                       .settings = settings,
                                       .circumstances = {.now = now}};
        const runtime::PassResult result{
            .outcome = {decision, memory, {}}, .groups = groups, .misses = {}, .notes = {}};
        use(Moment{input, result});
    }
    std::vector<std::string> said_;
};

TEST_F(Chaos, BoundsSayThatAGroupGrowsAboveItsMaximum) {
    increase(2);
    EXPECT_THAT(pass(*bounds_invariant()), IsEmpty());
    increase(1);
    EXPECT_THAT(pass(*bounds_invariant()), ElementsAre(HasSubstr("to grow to 4, above")));
}

TEST_F(Chaos, BoundsSayThatAGroupShrinksBelowItsMinimum) {
    remove_node();
    EXPECT_THAT(pass(*bounds_invariant()), ElementsAre(HasSubstr("to shrink to 0, below")));
    decision.removals[0].force = true;
    EXPECT_THAT(pass(*bounds_invariant()), IsEmpty());
}

TEST_F(Chaos, LimitsCountNodesAndAllThatMayComeOfATarget) {
    settings.nodes.max = 2;
    increase(1);
    EXPECT_THAT(pass(*limits_invariant()), IsEmpty());
    group.group.target = 2;
    EXPECT_THAT(pass(*limits_invariant()), ElementsAre(HasSubstr("above the limit 2")));
    memory.backoffs[group.group.id] = {.because = "none left"};
    EXPECT_THAT(pass(*limits_invariant()), ElementsAre(HasSubstr("above the limit 2")))
        << "who is left alone may get its machine all the same";
}

TEST_F(Chaos, LimitsLookAtEverythingThatIsLimited) {
    node.capacity = {{"cpu", 4000}, {"nvidia.com/gpu", 2}};
    increase(1);
    settings.cpu.max = 7999;
    settings.gpu.max = settings.gpu_types["nvidia.com/gpu"].max = 1;
    EXPECT_THAT(pass(*limits_invariant()),
                ElementsAre(HasSubstr("cpu"), HasSubstr("gpu"), HasSubstr("nvidia.com/gpu")));
}

TEST_F(Chaos, LimitsHaveALowerEnd) {
    remove_node();
    EXPECT_THAT(pass(*limits_invariant()), IsEmpty());
    settings.nodes.min = 1;
    EXPECT_THAT(pass(*limits_invariant()), ElementsAre(HasSubstr("below the limit 1")));
}

TEST_F(Chaos, BudgetsAreHeldToOverAllEvictionsOfAPass) {
    budgets.push_back({.name = "web",
                       .selector = LabelSelector{.match_labels = {{"app", "web"}}},
                       .disruptions_allowed = 1});
    for (const std::string name : {"web-1", "web-2"}) {
        pod(name, "n1");
        EXPECT_THAT(pass(*evictions_invariant()), IsEmpty());
        decision.evictions.push_back({.ns = "default", .pod = name, .node = "n1"});
    }
    EXPECT_THAT(pass(*evictions_invariant()), ElementsAre(HasSubstr("allows 1, and 2")));
}

TEST_F(Chaos, ARemovalDoesNotBeginWithAPodThatMayNotBeMoved) {
    mark(engine::to_be_deleted_taint);
    pod("web-1", "n1");
    EXPECT_THAT(pass(*removals_invariant()), IsEmpty());
    pods[0].owner = {};
    EXPECT_THAT(pass(*removals_invariant()), ElementsAre(HasSubstr("has no controller")));
}

TEST_F(Chaos, ANodeDoesNotGoUnannouncedOrWithAPodThatRuns) {
    remove_node();
    pod("web-1", "n1");
    EXPECT_THAT(pass(*removals_invariant()),
                ElementsAre(HasSubstr("without ToBeDeleted"), HasSubstr("without BeingDeleted"),
                            HasSubstr("still runs there")));
    carries(engine::to_be_deleted_taint);
    mark(engine::being_deleted_taint);
    pods.clear();
    EXPECT_THAT(pass(*removals_invariant()), IsEmpty());
}

TEST_F(Chaos, AMachineDoesNotGoWhoseNodeCouldNotBeTold) {
    remove_node();
    mark(engine::being_deleted_taint);
    engine::Results results{.removals = {{}}, .node_changes = {std::nullopt}};
    EXPECT_THAT(removals_invariant()->on_results(decision, results), IsEmpty());
    results.node_changes[0] = Error{ErrorCode::unavailable, "away"};
    EXPECT_THAT(removals_invariant()->on_results(decision, results),
                ElementsAre(HasSubstr("could not be marked")));
}

TEST_F(Chaos, AMarkThatNobodyRemembersIsALeftover) {
    const auto invariant = leftovers_invariant();
    carries(engine::to_be_deleted_taint);
    EXPECT_THAT(pass(*invariant), IsEmpty());
    now += 2h;
    EXPECT_THAT(pass(*invariant), ElementsAre(HasSubstr("nobody removes it")));
    EXPECT_THAT(pass(*invariant), IsEmpty()) << "once is enough";
    EXPECT_THAT(end(*invariant), ElementsAre(HasSubstr("at the end, in calm")));
}

TEST_F(Chaos, APodThatWaitsTooLongWhileItsGroupCouldGrowIsNotServed) {
    const auto invariant = service_invariant();
    pod("web-1", "");
    EXPECT_THAT(pass(*invariant), IsEmpty());
    now += 1h;
    EXPECT_THAT(pass(*invariant), ElementsAre(HasSubstr("group web could have grown")));
}

TEST_F(Chaos, AGroupThatIsFullOrATimeThatWasJumpedOverIsAnExcuse) {
    const auto invariant = service_invariant();
    pod("web-1", "");
    pass(*invariant);
    now += 1h;
    invariant->on_clock_jump();
    EXPECT_THAT(pass(*invariant), IsEmpty());
    now += 1h;
    group.group.target = 3;
    EXPECT_THAT(pass(*invariant), IsEmpty());
}

TEST_F(Chaos, OnlyALimitWithoutRoomForTheGroupsMachineIsAnExcuse) {
    for (const bool has_room : {false, true}) {
        const auto invariant = service_invariant();
        settings.cpu.max = has_room ? 8000 : 7999;
        pods.clear();
        pod("web-1", "");
        pass(*invariant);
        now += 1h;
        EXPECT_EQ(pass(*invariant).size(), has_room ? 1u : 0u);
    }
}

TEST_F(Chaos, WhatWasAskedForBeforeARestartIsNotAskedForAgain) {
    const auto invariant = restart_invariant();
    pod("web-1", "");
    increase(1);
    EXPECT_THAT(pass(*invariant), IsEmpty());
    group.group.target = 2;
    invariant->on_restart();
    EXPECT_THAT(pass(*invariant), ElementsAre(HasSubstr("after a restart group web")));
}

TEST_F(Chaos, APodThatCameMeanwhileMayBeServedAfterARestart) {
    const auto invariant = restart_invariant();
    pod("web-1", "");
    increase(1);
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

}  // namespace
}  // namespace capstan::simulation
