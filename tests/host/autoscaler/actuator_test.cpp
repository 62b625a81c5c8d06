#include "autoscaler/actuator.hpp"

#include <gmock/gmock.h>

#include <set>

#include "engine/node_marks.hpp"
#include "fake_cluster.hpp"
#include "virtual_assembly.hpp"

namespace capstan::autoscaler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

const std::string four_group_cloud =
    "[pipeline]\nclouds = [\"east\"]\n" +
    simulated("east",
              "latency = \"3s\", groups = [" + simulated_group("a") + ", " +
                  simulated_group("b", "fail = { code = \"quota\", message = \"too many\" }") +
                  ", " + simulated_group("c", "size = 3") + ", " +
                  simulated_group("d", "capacity = 1") + "]");

std::string cloud_with_capacity_two(const std::string& shortage) {
    const std::string group =
        simulated_group("e", "capacity = 2, on_exhausted = \"" + shortage + "\"");
    return "[pipeline]\nclouds = [\"east\"]\n" + simulated("east", "groups = [" + group + "]");
}

engine::Increase increase(const char* group, int from, int by, const char* of = "east") {
    return {.group = NodeGroupId(group), .cloud = PluginInstanceId(of), .from = from, .by = by};
}

std::string outcome(const std::optional<Error>& error) {
    return error ? std::string(name_of(error->code)) : "done";
}

std::vector<std::string> outcomes(const std::vector<std::optional<Error>>& errors) {
    std::vector<std::string> out;
    for (const auto& error : errors) out.push_back(outcome(error));
    return out;
}

/// "m1: throttled"; ": quota" applies to all machines.
std::vector<std::string> outcomes(const std::vector<Error>& errors) {
    std::vector<std::string> out;
    for (const Error& error : errors) out.push_back(error.subject + ": " + outcome(error));
    return out;
}

struct ActuatorTest : ::testing::Test {
    engine::Results carry_out(const engine::Decision& decision) {
        return carry_out_now(decision, rechecks, assembly.clouds(), cluster, call_context,
                             assembly.host(), atomic_groups, patience);
    }
    std::vector<std::string> increase_now(std::vector<engine::Increase> increases) {
        engine::Decision decision;
        decision.increases = std::move(increases);
        return outcomes(carry_out(decision).increases);
    }
    /// A removal of the first `machines` machines of group c.
    engine::MachineRemoval removal(int machines) {
        const auto groups = assembly.clouds().refresh_now(assembly.host()).groups;
        engine::MachineRemoval out{.group = NodeGroupId("c"), .cloud = PluginInstanceId("east")};
        for (int i = 0; i < machines; ++i) {
            out.machines.push_back(groups->at(2).machines.at(i).id);
            out.nodes.push_back("n" + std::to_string(i + 1));
        }
        return out;
    }
    std::vector<int> targets() {
        std::vector<int> out;
        for (const auto& group : *assembly.clouds().refresh_now(assembly.host()).groups)
            out.push_back(group.group.target.value());
        return out;
    }
    VirtualAssembly assembly{four_group_cloud};
    FakeCluster cluster;
    std::vector<engine::removal::NodeRecheck> rechecks;
    std::set<NodeGroupId> atomic_groups;
    engine::CallContext call_context{.seed = 7, .now = Time(1h)};
    ActionPatience patience{};
};

TEST_F(ActuatorTest, OneFailedIncreaseDoesNotStopOthers) {
    engine::Decision decision;
    decision.increases = {increase("c", 3, 2), increase("b", 0, 1), increase("a", 0, 4),
                          increase("a", 0, 1, "west"), increase("c", 7, 1)};
    const engine::Results results = carry_out(decision);
    EXPECT_THAT(outcomes(results.increases),
                ElementsAre("done", "quota", "done", "internal", "conflict"));
    EXPECT_EQ(results.increases[1]->message, "plugin east: increase: group b: too many");
    EXPECT_THAT(targets(), ElementsAre(4, 0, 5, 0));
}

TEST_F(ActuatorTest, ReturnsTheTargetsThatTheCloudReported) {
    engine::Decision decision;
    decision.increases = {increase("c", 3, 2), increase("b", 0, 1)};
    EXPECT_THAT(carry_out(decision).answered_targets, ElementsAre(5, std::nullopt));
}

TEST_F(ActuatorTest, SendsAllRequestsConcurrently) {
    increase_now({increase("a", 0, 1), increase("c", 3, 1)});
    EXPECT_EQ(assembly.elapsed(), 3s);
}

TEST_F(ActuatorTest, ContinuesWithoutASlowIncrease) {
    patience = {.under_way = std::make_shared<ActionsUnderWay>(), .length = 1s};
    int calls = 0;
    patience.under_way->set_on_end([&calls] { ++calls; });
    engine::Decision decision;
    decision.increases = {increase("a", 0, 2), increase("b", 0, 1)};
    const engine::Results results = carry_out(decision);
    EXPECT_EQ(assembly.elapsed(), 1s);
    ASSERT_THAT(outcomes(results.increases), ElementsAre("cancelled", "cancelled"));
    EXPECT_TRUE(is_under_way(*results.increases[0]));
    const auto groups = patience.under_way->groups();
    ASSERT_EQ(groups.size(), 2u);
    EXPECT_EQ(groups.at(NodeGroupId("a")),
              "increase a by 2 has had no response since 2026-01-01T00:00:00Z");
    assembly.host().virtual_loop()->advance(2s);
    EXPECT_EQ(calls, 2);
    EXPECT_THAT(patience.under_way->groups(), IsEmpty());
    const auto ended = patience.under_way->take_ended();
    ASSERT_EQ(ended.size(), 2u);
    EXPECT_EQ(ended[0].decision.increases.at(0).group.value(), "a");
    EXPECT_THAT(outcomes(ended[0].results.increases), ElementsAre("done"));
    EXPECT_THAT(ended[0].results.answered_targets, ElementsAre(2));
    EXPECT_THAT(outcomes(ended[1].results.increases), ElementsAre("quota"));
    EXPECT_THAT(patience.under_way->take_ended(), IsEmpty());
}

TEST_F(ActuatorTest, ContinuesWithoutASlowRemoval) {
    engine::Decision decision;
    decision.removals = {removal(2)};
    patience = {.under_way = std::make_shared<ActionsUnderWay>(), .length = 1s};
    const engine::Results results = carry_out(decision);
    EXPECT_THAT(outcomes(results.removals.at(0)), ElementsAre(": cancelled"));
    EXPECT_TRUE(patience.under_way->groups().contains(NodeGroupId("c")));
    assembly.host().virtual_loop()->advance(2s);
    const auto ended = patience.under_way->take_ended();
    ASSERT_EQ(ended.size(), 1u);
    EXPECT_THAT(ended[0].results.removals.at(0), IsEmpty());
    EXPECT_THAT(targets(), ElementsAre(0, 0, 1, 0));
}

TEST_F(ActuatorTest, LeavesNothingUnderWayIfAllRespondInTime) {
    patience = {.under_way = std::make_shared<ActionsUnderWay>(), .length = 5s};
    EXPECT_THAT(increase_now({increase("a", 0, 2)}), ElementsAre("done"));
    EXPECT_EQ(assembly.elapsed(), 3s);
    EXPECT_THAT(patience.under_way->groups(), IsEmpty());
}

TEST_F(ActuatorTest, RepeatingADecisionHasNoSecondEffect) {
    for (int i = 0; i < 2; ++i)
        EXPECT_THAT(increase_now({increase("a", 0, 2)}), ElementsAre("done"));
    call_context.now += 10s;
    EXPECT_THAT(increase_now({increase("a", 2, 2)}), ElementsAre("done"));
    EXPECT_THAT(increase_now({increase("a", 0, 2)}), ElementsAre("conflict"))
        << "another pass with an outdated target";
    EXPECT_THAT(targets(), ElementsAre(4, 0, 3, 0));
}

TEST_F(ActuatorTest, DecreasesTheTargetByMachinesThatDoNotExist) {
    increase_now({increase("d", 0, 3)});
    engine::Decision decision;
    decision.decreases = {
        {.group = NodeGroupId("d"), .cloud = PluginInstanceId("east"), .from = 3, .by = 2}};
    for (int i = 0; i < 2; ++i)
        EXPECT_THAT(outcomes(carry_out(decision).decreases), ElementsAre("done"));
    EXPECT_THAT(targets(), ElementsAre(0, 0, 3, 1));
}

TEST_F(ActuatorTest, RemovesMachinesOnce) {
    engine::Decision decision;
    decision.removals = {removal(2)};
    for (int i = 0; i < 2; ++i) {
        const engine::Results results = carry_out(decision);
        ASSERT_EQ(results.removals.size(), 1u);
        EXPECT_THAT(results.removals[0], IsEmpty());
    }
    EXPECT_THAT(targets(), ElementsAre(0, 0, 1, 0));
}

TEST_F(ActuatorTest, KeepsAMachineWhoseNodeCouldNotBeChanged) {
    cluster.errors["n1"] = {ErrorCode::unavailable, "node n1: the API server is unreachable"};
    engine::Decision decision;
    decision.removals = {removal(2)};
    decision.node_changes = {{.node = "n1"}, {.node = "n2"}, {.node = "n9"}};
    const engine::Results results = carry_out(decision);
    EXPECT_THAT(outcomes(results.node_changes), ElementsAre("unavailable", "done", "done"));
    EXPECT_THAT(outcomes(results.removals.at(0)),
                ElementsAre(decision.removals[0].machines[0].value() + ": unavailable"));
    EXPECT_THAT(targets(), ElementsAre(0, 0, 2, 0));
}

TEST_F(ActuatorTest, RemovesNothingIfNoNodeCouldBeChanged) {
    cluster.errors["n1"] = {ErrorCode::not_found, "node n1 does not exist"};
    engine::Decision decision;
    decision.removals = {removal(1)};
    decision.node_changes = {{.node = "n1"}};
    const engine::Results results = carry_out(decision);
    EXPECT_EQ(results.removals.at(0).size(), 1u);
    EXPECT_THAT(targets(), ElementsAre(0, 0, 3, 0));
}

TEST_F(ActuatorTest, AppliesAnErrorOfTheCallToAllItsMachines) {
    engine::Decision decision;
    decision.removals = {removal(2), removal(1)};
    decision.removals[0].group = NodeGroupId("unknown");
    decision.removals[1].cloud = PluginInstanceId("west");
    const engine::Results results = carry_out(decision);
    ASSERT_EQ(results.removals.at(0).size(), 1u);
    EXPECT_EQ(results.removals[0][0].subject, "");
    EXPECT_THAT(outcomes(results.removals.at(1)), ElementsAre(": internal"));
}

TEST_F(ActuatorTest, OneRefusedEvictionDoesNotStopOthers) {
    cluster.errors["web-1"] = {ErrorCode::throttled, "budget web allows no disruption"};
    engine::Decision decision;
    decision.evictions = {{.ns = "default", .pod = "web-1"}, {.ns = "default", .pod = "web-2"}};
    EXPECT_THAT(outcomes(carry_out(decision).evictions), ElementsAre("throttled", "done"));
    EXPECT_THAT(cluster.requests, ElementsAre("evict web-1", "evict web-2"));
}

TEST_F(ActuatorTest, RechecksNodesBeforeChangingThem) {
    engine::Decision decision;
    decision.removals = {removal(2)};
    decision.node_changes = {{.node = "n1"}, {.node = "n2"}, {.node = "n9"}};
    rechecks = {{.node = "n1"}, {.node = "n2"}};
    const engine::Results results = carry_out(decision);
    EXPECT_THAT(outcomes(results.node_changes), ElementsAre("done", "done", "done"));
    EXPECT_THAT(cluster.requests,
                ElementsAre("change n9", "recheck n1", "change n1", "recheck n2", "change n2"));
    EXPECT_THAT(targets(), ElementsAre(0, 0, 1, 0));
}

TEST_F(ActuatorTest, ChangesNothingOnANodeWhoseRecheckFails) {
    cluster.recheck_errors["n1"] = {ErrorCode::unavailable, "the API server is unreachable"};
    engine::Decision decision;
    decision.removals = {removal(2)};
    decision.node_changes = {{.node = "n1"}, {.node = "n2"}};
    rechecks = {{.node = "n1"}, {.node = "n2"}};
    const engine::Results results = carry_out(decision);
    EXPECT_THAT(outcomes(results.node_changes), ElementsAre("unavailable", "done"));
    EXPECT_THAT(outcomes(results.removals.at(0)),
                ElementsAre(decision.removals[0].machines[0].value() + ": unavailable"));
    EXPECT_THAT(cluster.requests, ElementsAre("recheck n1", "recheck n2", "change n2"));
    EXPECT_THAT(targets(), ElementsAre(0, 0, 2, 0));
}

TEST_F(ActuatorTest, RechecksNodesOfARemovalWithoutChanges) {
    cluster.recheck_errors["n1"] = {ErrorCode::conflict,
                                    "it has pods that the watch has not reported", "UnknownPods"};
    engine::Decision decision;
    decision.removals = {removal(1)};
    rechecks = {{.node = "n1"}};
    EXPECT_THAT(outcomes(carry_out(decision).removals.at(0)),
                ElementsAre(decision.removals[0].machines[0].value() + ": conflict"));
    EXPECT_THAT(targets(), ElementsAre(0, 0, 3, 0));
}

/// A removal of all machines of group c, whose nodes are rechecked first.
struct ActuatorAtomicRemoval : ActuatorTest {
    ActuatorAtomicRemoval() {
        atomic_groups = {NodeGroupId("c")};
        decision.removals = {removal(3)};
        decision.node_changes = {{.node = "n1"}, {.node = "n2"}, {.node = "n3"}};
        rechecks = {{.node = "n1"}, {.node = "n2"}, {.node = "n3"}};
    }
    engine::Decision decision;
};

TEST_F(ActuatorAtomicRemoval, SucceedsIfAllNodesSucceed) {
    EXPECT_THAT(outcomes(carry_out(decision).removals.at(0)), IsEmpty());
    EXPECT_THAT(targets(), ElementsAre(0, 0, 0, 0));
}

TEST_F(ActuatorAtomicRemoval, DoesNotStartIfOneRecheckFails) {
    cluster.recheck_errors["n2"] = {ErrorCode::unavailable, "the API server is unreachable"};
    const engine::Results results = carry_out(decision);
    EXPECT_THAT(outcomes(results.node_changes),
                ElementsAre("unavailable", "unavailable", "unavailable"));
    EXPECT_THAT(outcomes(results.removals.at(0)), ElementsAre(": unavailable"));
    EXPECT_EQ(results.removals[0][0].message,
              "group c is removed atomically: node n2: the API server is unreachable");
    EXPECT_THAT(cluster.requests, ElementsAre("recheck n1", "recheck n2", "recheck n3"));
    EXPECT_THAT(targets(), ElementsAre(0, 0, 3, 0));
}

TEST_F(ActuatorAtomicRemoval, EndsForAllNodesIfOneHasUnknownPods) {
    cluster.recheck_errors["n1"] = {ErrorCode::unavailable, "the API server is unreachable"};
    cluster.recheck_errors["n3"] = {ErrorCode::conflict,
                                    "it has pods that the watch has not reported", "UnknownPods"};
    const engine::Results results = carry_out(decision);
    EXPECT_THAT(outcomes(results.node_changes), ElementsAre("conflict", "conflict", "conflict"));
    ASSERT_EQ(results.removals.at(0).size(), 1u);
    EXPECT_EQ(results.removals[0][0].provider_code, "UnknownPods");
    EXPECT_EQ(results.removals[0][0].subject, "") << "applies to all machines";
}

TEST_F(ActuatorAtomicRemoval, RemovesNoMachineIfOneNodeCouldNotBeChanged) {
    cluster.errors["n1"] = {ErrorCode::unavailable, "node n1: the API server is unreachable"};
    const engine::Results results = carry_out(decision);
    EXPECT_THAT(outcomes(results.node_changes),
                ElementsAre("unavailable", "unavailable", "unavailable"))
        << "the changes of the other nodes are repeated with it";
    EXPECT_THAT(outcomes(results.removals.at(0)), ElementsAre(": unavailable"));
    EXPECT_THAT(targets(), ElementsAre(0, 0, 3, 0));
}

TEST(AtomicGroups, AreGroupsWithZeroOrMax) {
    std::vector<engine::Group> groups(2);
    groups[0].group.id = NodeGroupId("a");
    groups[1].group.id = NodeGroupId("b");
    groups[1].options.zero_or_max = true;
    EXPECT_THAT(find_atomic_groups(groups), ElementsAre(NodeGroupId("b")));
}

/// Results of an increase by five in a cloud with capacity for two.
engine::Results grow_by_five(const std::set<NodeGroupId>& atomic_groups, const char* shortage) {
    VirtualAssembly assembly(cloud_with_capacity_two(shortage));
    FakeCluster cluster;
    engine::Decision decision;
    decision.increases = {increase("e", 0, 5)};
    return carry_out_now(decision, {}, assembly.clouds(), cluster, {.seed = 7, .now = Time(1h)},
                         assembly.host(), atomic_groups, {});
}

TEST(ActuatorIncrease, ReturnsTheReasonForAShortfall) {
    const engine::Results results = grow_by_five({}, "refuse");
    EXPECT_THAT(outcomes(results.increases), ElementsAre("done"));
    EXPECT_THAT(results.answered_targets, ElementsAre(2));
    ASSERT_THAT(outcomes(results.shortfalls), ElementsAre("out_of_capacity"));
    EXPECT_EQ(results.shortfalls[0]->message, "5 machines requested, the cloud has 2 left of 2");
}

TEST(ActuatorIncrease, IsAllOrNothingForAnAtomicGroup) {
    const engine::Results results = grow_by_five({NodeGroupId("e")}, "refuse");
    EXPECT_THAT(outcomes(results.increases), ElementsAre("out_of_capacity"));
    EXPECT_THAT(results.answered_targets, ElementsAre(std::nullopt));
}

TEST(ActuatorIncrease, HasNoShortfallIfTheTargetWasReached) {
    const engine::Results results = grow_by_five({}, "report");
    EXPECT_THAT(results.answered_targets, ElementsAre(5));
    EXPECT_THAT(results.shortfalls, ElementsAre(std::nullopt));
}

TEST_F(ActuatorTest, SkipsRemovalsIfTheViewIsStale) {
    call_context.unobserved_because = "Pod was last synced 20s ago";
    engine::Decision decision;
    decision.increases = {increase("a", 0, 1)};
    decision.removals = {removal(1)};
    decision.node_changes = {{.node = "n1", .set_taints = {{.key = "removing"}}},
                             {.node = "n2", .drop_taints = {"removing"}}};
    decision.evictions = {{.ns = "default", .pod = "web-1"}};
    rechecks = {{.node = "n1"}};
    const engine::Results results = carry_out(decision);
    EXPECT_THAT(outcomes(results.node_changes), ElementsAre("cancelled", "done"));
    EXPECT_THAT(outcomes(results.removals.at(0)), ElementsAre(": cancelled"));
    EXPECT_THAT(outcomes(results.evictions), ElementsAre("cancelled"));
    EXPECT_THAT(outcomes(results.increases), ElementsAre("done"));
    EXPECT_EQ(results.evictions[0]->message,
              "the view of the cluster is stale: Pod was last synced 20s ago");
    EXPECT_THAT(cluster.requests, ElementsAre("change n2"));
    EXPECT_THAT(targets(), ElementsAre(1, 0, 3, 0));
}

TEST_F(ActuatorTest, OrdersNothingIfTheMemoryIsNotWritten) {
    call_context.unwritten_because = "write ConfigMap m: forbidden";
    engine::Decision decision;
    decision.increases = {increase("a", 0, 1)};
    decision.removals = {removal(1)};
    decision.node_changes = {
        {.node = "n2", .drop_taints = {"removing"}},
        {.node = "n3", .set_taints = {{.key = std::string(engine::to_be_deleted_taint)}}}};
    decision.evictions = {{.ns = "default", .pod = "web-1"}};
    const engine::Results results = carry_out(decision);
    EXPECT_THAT(outcomes(results.increases), ElementsAre("cancelled"));
    EXPECT_EQ(results.increases[0]->message,
              "memory cannot be written: write ConfigMap m: forbidden");
    EXPECT_EQ(results.increases[0]->provider_code, engine::not_asked);
    EXPECT_THAT(outcomes(results.removals.at(0)), ElementsAre(": cancelled"));
    EXPECT_THAT(outcomes(results.node_changes), ElementsAre("done", "cancelled"));
    EXPECT_THAT(outcomes(results.evictions), ElementsAre("done"));
    EXPECT_THAT(targets(), ElementsAre(0, 0, 3, 0));
}

TEST_F(ActuatorTest, SendsNothingInADryRun) {
    call_context.dry_run = true;
    engine::Decision decision;
    decision.removals = {removal(1)};
    decision.increases = {increase("a", 0, 1)};
    decision.node_changes = {{.node = "n1"}};
    const engine::Results results = carry_out(decision);
    EXPECT_THAT(results.increases, IsEmpty());
    EXPECT_THAT(results.removals, IsEmpty());
    EXPECT_THAT(cluster.requests, IsEmpty());
    EXPECT_THAT(targets(), ElementsAre(0, 0, 3, 0));
}

TEST_F(ActuatorTest, AnEmptyDecisionTakesNoTime) {
    EXPECT_THAT(carry_out({}).increases, IsEmpty());
    EXPECT_EQ(assembly.elapsed(), 0s);
}

}  // namespace
}  // namespace capstan::autoscaler
