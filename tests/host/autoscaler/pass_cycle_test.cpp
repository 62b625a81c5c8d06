#include "autoscaler/pass_cycle.hpp"

#include <gmock/gmock.h>

#include "autoscaler/actuator.hpp"
#include "engine/snapshot/cluster_builder.hpp"
#include "fake_cluster.hpp"
#include "virtual_assembly.hpp"

namespace capstan::autoscaler {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

const std::string one_cloud =
    "[pipeline]\nclouds = [\"east\"]\n" +
    simulated("east", "groups = [" +
                          simulated_group("a",
                                          "price_per_hour = 0.5, options = { "
                                          "utilization_threshold = 0.7 }") +
                          ", " + simulated_group("b", "max = 0") + "]");

/// Unschedulable pods of 3 cores.
engine::snapshot::Cluster cluster_of(int pods, Time now) {
    engine::snapshot::ClusterBuilder builder;
    for (int i = 0; i < pods; ++i) {
        engine::snapshot::PodObject pod{.name = "web-" + std::to_string(i)};
        pod.spec.requests = {{"cpu", 3000}};
        pod.unscheduled_reason = "Unschedulable";
        pod.created = now - 1h;
        builder.set(pod);
    }
    return builder.build();
}

struct PassCycleTest : ::testing::Test {
    PassInput input(int pods) { return input(pods, assembly); }
    static PassInput input(int pods, VirtualAssembly& assembly) {
        const Time now = assembly.host().loop().clock()->now();
        return {.snapshot = {.cluster = cluster_of(pods, now),
                             .groups = assembly.clouds().refresh_now(assembly.host()).groups},
                .wiring = wire(assembly.config().pipeline, assembly.host()).value(),
                .clouds = assembly.clouds().instances(),
                .call_context = {.seed = 1, .now = now, .simulation = true}};
    }
    VirtualAssembly assembly{one_cloud};
};

TEST_F(PassCycleTest, ReadsPricesAndOptionsOfGroups) {
    const auto result = decide(input(0));
    ASSERT_TRUE(result) << result.error();
    ASSERT_EQ(result->groups->size(), 2u);
    EXPECT_EQ(result->groups->at(0).price_per_hour, 0.5);
    EXPECT_EQ(result->groups->at(0).options.utilization_threshold, 0.7);
    EXPECT_EQ(result->groups->at(1).price_per_hour, std::nullopt);
    EXPECT_THAT(result->outcome.decision.notes, IsEmpty()) << "an unknown price is not a problem";
    EXPECT_THAT(result->skipped_hooks, IsEmpty());
}

TEST_F(PassCycleTest, ReusesGroupsWhileNothingChanges) {
    PassInput again = input(0);
    const auto first = decide(again);
    ASSERT_TRUE(first) << first.error();
    again.earlier = {again.snapshot.groups, first->groups};
    EXPECT_EQ(decide(again)->groups, first->groups);

    PassInput changed = again;
    auto with_options = *again.snapshot.groups;
    with_options[0].group.options = GroupOptions{.unneeded_time = 3min};
    changed.snapshot.groups = std::make_shared<const std::vector<engine::Group>>(with_options);
    EXPECT_EQ(decide(changed)->groups->at(0).options, (GroupOptions{.unneeded_time = 3min}))
        << "other options";

    PassInput grown = again;
    auto groups = *again.snapshot.groups;
    groups[0].group.target = 7;
    grown.snapshot.groups = std::make_shared<const std::vector<engine::Group>>(groups);
    EXPECT_EQ(decide(grown)->groups->at(0).group.target, 7) << "other groups";
    EXPECT_EQ(first->groups->at(0).price_per_hour, decide(grown)->groups->at(0).price_per_hour);
}

TEST_F(PassCycleTest, ReturnsTheMembershipOfItsGroups) {
    const auto result = decide(input(0));
    ASSERT_TRUE(result) << result.error();
    ASSERT_TRUE(result->membership);
    EXPECT_EQ(result->membership->nodes.size(), result->groups->size());
}

TEST_F(PassCycleTest, ReturnsNoMembershipWithAnUpcomingGroup) {
    VirtualAssembly planning("[pipeline]\nclouds = [\"east\"]\n" +
                             simulated("east", "groups = [" + simulated_group("a") +
                                                   "], machine_types = [{ machine = { type = \"m\","
                                                   " cpu = \"4\", memory = \"16Gi\" } }]"));
    PassInput growing = input(0, planning);
    const Time now = growing.call_context.now;
    growing.memory.upcoming_groups[NodeGroupId("nap-m")] = {
        .cloud = PluginInstanceId("east"),
        .plan = {.name = "nap-m", .machine_type = "m"},
        .nodes = 1,
        .agreed = true,
        .since = now,
        .deadline = now + 1h};
    const auto result = decide(growing);
    ASSERT_TRUE(result) << result.error();
    EXPECT_EQ(result->candidate_groups.size(), 1u) << "the upcoming group was a candidate";
    EXPECT_EQ(result->membership, nullptr);
}

TEST_F(PassCycleTest, IncreasesAGroupWhoseMachinesRunLater) {
    const auto result = decide(input(2));
    ASSERT_TRUE(result) << result.error();
    ASSERT_EQ(result->outcome.decision.increases.size(), 1u);
    EXPECT_EQ(result->outcome.decision.increases[0].group, NodeGroupId("a"));
    EXPECT_EQ(result->outcome.decision.increases[0].by, 2);
    FakeCluster cluster;
    const engine::Results results = carry_out_now(result->outcome.decision, {}, assembly.clouds(),
                                                  cluster, {}, assembly.host());
    ASSERT_FALSE(results.increases.at(0)) << *results.increases.at(0);
    assembly.host().virtual_loop()->advance(1min);
    const CloudsView view = assembly.clouds().refresh_now(assembly.host());
    for (const Machine& machine : view.groups->at(0).machines)
        EXPECT_EQ(machine.state, MachineState::running);
    EXPECT_EQ(view.groups->at(0).machines.size(), 2u);
}

TEST_F(PassCycleTest, DecidesTheSameForTheSameInput) {
    const PassInput same = input(5);
    const auto first = decide(same);
    const auto second = decide(same);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->outcome.decision.increases, second->outcome.decision.increases);
    EXPECT_EQ(first->outcome.decision.schedulable, second->outcome.decision.schedulable);
    EXPECT_EQ(first->outcome.memory, second->outcome.memory);
}

TEST_F(PassCycleTest, CallsNoHookForWhatRefreshReported) {
    PassInput without = input(0);
    without.skipped_hooks = {
        {PluginInstanceId("east"), plugin_runtime::loop::Hook::options, "backed off"},
        {PluginInstanceId("east"), plugin_runtime::loop::Hook::price, "backed off"}};
    const auto result = decide(without);
    ASSERT_TRUE(result) << result.error();
    EXPECT_NE(result->groups->at(0).options, GroupOptions{});
    EXPECT_EQ(result->groups->at(0).price_per_hour, 0.5);
    EXPECT_THAT(result->outcome.decision.notes, IsEmpty());
}

TEST_F(PassCycleTest, NeedsNoSplitterIfBalancingIsOff) {
    PassInput alone = input(1);
    alone.settings.balance_similar = false;
    alone.wiring.splitter = nullptr;
    const auto result = decide(alone);
    ASSERT_TRUE(result) << result.error();
    EXPECT_EQ(result->outcome.decision.increases.size(), 1u);
}

TEST_F(PassCycleTest, RefusesAnInstanceOfAnotherKind) {
    PassInput wrong = input(1);
    wrong.wiring.splitter = assembly.host().find(PluginInstanceId("random"));
    const auto result = decide(wrong);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().message, "plugin random is not a capstan.splitter/1");
}

}  // namespace
}  // namespace capstan::autoscaler
