#include "engine/pass/pass.hpp"
#include "engine/health/backoff.hpp"

#include <gmock/gmock.h>

#include <memory>

#include "../pass_case.hpp"
#include "engine/health/known_groups.hpp"
#include "engine/node_marks.hpp"

namespace capstan::engine::pass {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Pass, DoesNothingWithoutPendingPods) {
    PassCase c;
    c.group("a", 0, 10);
    const pass::Outcome outcome = c.run();
    EXPECT_THAT(outcome.decision.increases, IsEmpty());
    EXPECT_THAT(outcome.decision.unschedulable, IsEmpty());
    EXPECT_EQ(outcome.wake_at, std::nullopt);
}

TEST(Pass, AddsTheNodesThatPodsNeed) {
    PassCase c;
    c.group("a", 2, 10);
    c.pods("web", 9, 1300);
    const Decision decision = c.decide();
    ASSERT_EQ(decision.increases.size(), 1u);
    const Increase expected{.group = NodeGroupId("a"),
                            .cloud = PluginInstanceId("cloud"),
                            .from = 2,
                            .by = 3,
                            .listed = 2,
                            .schedulable_pods = 9,
                            .option = 0,
                            .because = "makes room for 9 pods"};
    EXPECT_EQ(decision.increases[0], expected);
    EXPECT_EQ(count(decision.schedulable), 9);
    EXPECT_EQ(decision.schedulable[0].example, "default/web-0");
}

TEST(Pass, UsesExistingNodesFirst) {
    PassCase c;
    c.group("a", 0, 10);
    c.test_cluster.node("spare");
    c.pods("web", 5, 1000);
    const Decision decision = c.decide();
    EXPECT_EQ(skipped(decision, "fit on existing or upcoming nodes"), 4);
    EXPECT_EQ(growth(decision), (Growths{{"a", 1}}));
}

TEST(Pass, WaitsForUpcomingNodes) {
    PassCase c;
    Group& group = c.test_cluster.group("a", 2);
    group.group.max = 10;
    c.test_cluster.describe("a", amounts(4000));
    c.test_cluster.machine("a", "m-0", MachineState::creating);
    c.pods("web", 9, 1000);
    const Decision decision = c.decide();
    EXPECT_EQ(skipped(decision, "fit on existing or upcoming nodes"), 8);
    EXPECT_EQ(growth(decision), (Growths{{"a", 1}}));
}

TEST(Pass, CountsBillionsOfUpcomingNodes) {
    PassCase c;
    c.test_cluster.group("a", 2'000'000'000);
    c.test_cluster.describe("a", amounts(4000));
    c.settings.cpu.max = 1'000'000;
    c.settings.enforce_min_size = true;
    c.pods("web", 9, 4000);
    const Decision decision = c.decide();
    EXPECT_EQ(skipped(decision, "fit on existing or upcoming nodes"), 9);
    EXPECT_TRUE(decision.increases.empty());
}

TEST(Pass, ReservesRoomForNominatedPods) {
    PassCase c;
    c.group("a", 0, 10);
    c.test_cluster.node("spare");
    c.test_cluster.pod("favoured").spec.requests = {{"cpu", 3000}};
    c.test_cluster.pod("promised").spec.requests = {{"cpu", 2500}};
    c.test_cluster.pod("promised-too").nominated_node = "spare";
    c.pods("web", 1, 4000);
    const Decision decision = c.decide();
    // The node of 4 cores has room for the nominated pod and for favoured or promised.
    EXPECT_EQ(skipped(decision, "nominated to a node by preemption"), 1);
    EXPECT_EQ(skipped(decision, "fit on existing or upcoming nodes"), 1);
    EXPECT_EQ(growth(decision), (Growths{{"a", 2}}));
}

TEST(Pass, PlacesPodsOfHigherPriorityFirst) {
    PassCase c;
    c.test_cluster.node("spare");
    c.pods("a-low", 1, 3000, [](snapshot::PodObject& pod) { pod.spec.priority = 1; });
    c.pods("b-high", 1, 3000, [](snapshot::PodObject& pod) { pod.spec.priority = 2; });
    const Decision decision = c.decide();
    ASSERT_EQ(decision.unschedulable.size(), 1u);
    EXPECT_EQ(decision.unschedulable[0].pods.example, "default/a-low-0");
}

TEST(Pass, TakesOptionsUntilNoMorePodsFit) {
    PassCase c;
    c.group("large", 0, 10, amounts(16000));
    c.group("small", 0, 10, amounts(4000));
    c.expander = PreferenceExpander({"small", "large"});
    c.pods("web", 4, 2000);
    c.pods("db", 1, 15000);
    c.pods("huge", 1, 90000);
    const Decision decision = c.decide();
    EXPECT_EQ(growth(decision), (Growths{{"small", 2}, {"large", 1}}));
    EXPECT_EQ(decision.options.size(), 2u);
    ASSERT_EQ(decision.unschedulable.size(), 1u);
    EXPECT_EQ(decision.unschedulable[0].pods.example, "default/huge-0");
}

TEST(Pass, TakesOneOptionIfConfigured) {
    PassCase c;
    c.group("large", 0, 10, amounts(16000));
    c.group("small", 0, 10, amounts(4000));
    c.settings.one_option_per_pass = true;
    c.expander = PreferenceExpander({"small", "large"});
    c.pods("web", 4, 2000);
    c.pods("db", 1, 9000);
    const Decision decision = c.decide();
    EXPECT_EQ(growth(decision), (Growths{{"small", 2}}));
    EXPECT_EQ(decision.unschedulable[0].reason.sentence,
              "this pass already took an option (scale_up.one_option_per_pass)");
}

TEST(Pass, MergesOptionsOfOneGroupIntoOneIncrease) {
    PassCase c;
    c.group("a", 0, 10);
    c.settings.max_nodes_per_scale_up = 2;
    c.pods("web", 5, 3000);
    const Decision decision = c.decide();
    ASSERT_EQ(decision.increases.size(), 1u);
    EXPECT_EQ(decision.increases[0].by, 5);
    EXPECT_EQ(decision.increases[0].because, "chosen in 3 scale-up options, makes room for 5 pods");
    EXPECT_EQ(decision.options.size(), 3u);
    EXPECT_EQ(c.expander.questions.size(), 0u);  // a single option needs no choice
}

TEST(Pass, StopsAtTheMaximumOfOptions) {
    PassCase c;
    c.group("a", 0, 10);
    c.settings.max_nodes_per_scale_up = 1;
    c.settings.max_options_per_pass = 2;
    c.pods("web", 5, 3000);
    const Decision decision = c.decide();
    EXPECT_EQ(growth(decision), (Growths{{"a", 2}}));
    EXPECT_EQ(decision.unschedulable[0].reason.sentence,
              "this pass already took 2 options, the maximum");
}

/// A limit that is reached at the second question.
struct ShortLimit : TimeLimit {
    bool is_reached() override { return ++asked > 1; }
    int asked = 0;
};

TEST(Pass, StopsAtTheTimeLimitAndActsOnWhatItHasDecided) {
    PassCase c;
    c.group("a", 0, 10);
    c.settings.max_nodes_per_scale_up = 1;
    c.pods("web", 5, 3000);
    ShortLimit limit;
    c.time_limit = &limit;
    const pass::Outcome outcome = c.run();
    EXPECT_EQ(growth(outcome.decision), (Growths{{"a", 1}}));
    EXPECT_EQ(outcome.decision.unschedulable[0].reason.sentence,
              "this pass has planned scale-up for 1m (scale_up.max_binpacking_time); the next pass "
              "goes on");
    EXPECT_EQ(outcome.figures.searches_in_time, 1);

    c.time_limit = nullptr;
    EXPECT_EQ(growth(c.decide()), (Growths{{"a", 5}}));
    c.call_context.searches_max = outcome.figures.searches_in_time;
    const pass::Outcome replayed = c.run();
    EXPECT_EQ(growth(replayed.decision), growth(outcome.decision));
    EXPECT_EQ(replayed.figures.searches_in_time, 1);
}

TEST(Pass, GrowsToMaxSizeAndReportsIt) {
    PassCase c;
    c.group("a", 1, 3);
    c.pods("web", 5, 3000);
    const Decision decision = c.decide();
    EXPECT_EQ(growth(decision), (Growths{{"a", 2}}));
    ASSERT_EQ(decision.unschedulable.size(), 1u);
    EXPECT_EQ(decision.unschedulable[0].pods.count, 3u);
    EXPECT_EQ(decision.unschedulable[0].reason.sentence,
              "group a: max node group size reached (3): 2 added in this pass");
}

TEST(Pass, GrowsAZeroOrMaxGroupToMaxSize) {
    PassCase c;
    c.group("whole", 0, 4).options.zero_or_max = true;
    c.pods("web", 1, 3000);
    const Decision decision = c.decide();
    EXPECT_EQ(growth(decision), (Growths{{"whole", 4}}));
    EXPECT_EQ(decision.increases[0].because, "atomic node group, makes room for 1 pod");
}

TEST(Pass, DoesNotGrowAZeroOrMaxGroupPartially) {
    PassCase c;
    c.group("whole", 0, 4).options.zero_or_max = true;
    c.settings.nodes.max = 3;
    c.pods("web", 1, 3000);
    const Decision decision = c.decide();
    EXPECT_THAT(decision.increases, IsEmpty());
    EXPECT_EQ(
        decision.unschedulable[0].reason.sentence,
        "group whole: atomic node group (0 or max nodes): max cluster nodes limit reached: 0 of 3 "
        "used, a new node needs 1");
}

TEST(Pass, CompletesAPartialZeroOrMaxGroup) {
    PassCase c;
    c.group("whole", 1, 4).options.zero_or_max = true;
    c.pods("web", 1, 3000);
    EXPECT_EQ(growth(c.decide()), (Growths{{"whole", 3}}));
}

TEST(Pass, WaitsForAZeroOrMaxGroupToBeCompleted) {
    PassCase c;
    Group& whole = c.group("whole", 1, 4);
    whole.options.zero_or_max = true;
    whole.group.target = 2;
    c.pods("web", 2, 3000);
    const Decision decision = c.decide();
    EXPECT_THAT(decision.increases, IsEmpty());
    ASSERT_EQ(decision.unschedulable.size(), 1u);
    EXPECT_EQ(
        decision.unschedulable[0].reason.sentence,
        "group whole: atomic node group (0 or max nodes) still being completed: 2 of 4 nodes");
}

TEST(Pass, UsesAllNodesOfAZeroOrMaxGroup) {
    PassCase c;
    c.group("whole", 0, 2).options.zero_or_max = true;
    c.group("other", 0, 9);
    c.expander = PreferenceExpander({"whole"});
    c.pods("web", 2, 3000);
    EXPECT_EQ(growth(c.decide()), (Growths{{"whole", 2}}));
}

TEST(Pass, SkipsABackedOffGroupAndWakesAtTheEnd) {
    PassCase c;
    c.group("a", 0, 10);
    c.memory = health::remember_failure(
        {}, NodeGroupId("a"), {ErrorCode::out_of_capacity, "no capacity"}, c.settings, noon);
    c.pods("web", 1, 3000);
    const pass::Outcome outcome = c.run();
    EXPECT_THAT(outcome.decision.increases, IsEmpty());
    EXPECT_THAT(outcome.decision.unschedulable[0].reason.sentence, HasSubstr("no capacity"));
    EXPECT_EQ(outcome.wake_at, noon + 5min + Duration(1));
}

TEST(Pass, ChangesNoGroupOfABackedOffCloud) {
    PassCase c;
    c.group("a", 2, 10);
    c.memory.started = true;
    c.memory.request_backoffs[PluginInstanceId("cloud")] = {
        .until = noon + 20s, .last_failure = noon, .failures = 1, .because = "slow down"};
    c.memory.removals["a-node-0"] = {.group = NodeGroupId("a"),
                                     .machine = MachineId("a-node-0"),
                                     .phase = RemovalPhase::delayed,
                                     .empty = true,
                                     .since = noon,
                                     .phase_since = noon};
    c.pods("web", 9, 3000);
    const pass::Outcome outcome = c.run();
    EXPECT_THAT(outcome.decision.increases, IsEmpty());
    EXPECT_THAT(outcome.decision.removals, IsEmpty());
    EXPECT_THAT(outcome.decision.unschedulable[0].reason.sentence,
                HasSubstr("requests to cloud cloud are backed off until 15:07:00Z: slow down"));
    EXPECT_EQ(outcome.wake_at, noon + 20s);
    c.memory.request_backoffs.begin()->second.until = noon;
    EXPECT_EQ(c.decide().increases.size(), 1u);
}

TEST(Pass, WakesAtOnceIfARemovalLeavesRoomForPendingPods) {
    for (const int waiting : {0, 1}) {
        PassCase c;
        c.group("a", 1, 1);
        c.memory.started = true;
        c.memory.removals["a-node-0"] = {.group = NodeGroupId("a"),
                                         .machine = MachineId("a-node-0"),
                                         .phase = RemovalPhase::delayed,
                                         .empty = true,
                                         .since = noon,
                                         .phase_since = noon};
        c.pods("web", waiting, 3000);
        const pass::Outcome outcome = c.run();
        EXPECT_EQ(outcome.decision.removals.size(), 1u);
        EXPECT_EQ(count_unschedulable(outcome.decision), waiting) << "the group is at max size";
        EXPECT_EQ(outcome.wake_at == noon, waiting == 1);
    }
}

/// The first pass after a crash, while the cloud of a marked node is unavailable.
TEST(Pass, RemovesLeftoverMarksWhenTheCloudHasBeenRead) {
    PassCase c;
    c.group("a", 1, 9);
    c.test_cluster.change_node("a-node-0").taints = {
        {.key = std::string(to_be_deleted_taint), .value = "1"}};
    c.memory.known_groups[NodeGroupId("a")] = {
        .cloud = PluginInstanceId("cloud"), .nodes = 1, .sample_nodes = {"a-node-0"}};
    Snapshot unread = c.test_cluster.snapshot();
    unread.groups =
        health::with_unread_groups(std::make_shared<const std::vector<Group>>(),
                                   {{PluginInstanceId("cloud"), "no answer"}}, c.memory);
    pass::Outcome first = c.run(unread);
    EXPECT_THAT(first.decision.node_changes, IsEmpty());
    c.memory = std::move(first.memory);
    c.group("b", 1, 9);
    c.test_cluster.change_node("b-node-0").taints = c.test_cluster.change_node("a-node-0").taints;
    const pass::Outcome next = c.run();
    ASSERT_EQ(next.decision.node_changes.size(), 1u) << "the other mark was set by another client";
    EXPECT_EQ(next.decision.node_changes[0].node, "a-node-0");
    EXPECT_THAT(next.decision.node_changes[0].drop_taints,
                ::testing::Contains(std::string(to_be_deleted_taint)));
    EXPECT_THAT(next.memory.unread_since_start, IsEmpty());
}

TEST(Pass, BacksOffAGroupWhoseMachineFailed) {
    PassCase c;
    c.group("a", 0, 10);
    Machine& machine = c.test_cluster.machine("a", "m-0", MachineState::failed);
    machine.error = Error{ErrorCode::out_of_capacity, "zone is exhausted"};
    c.group("b", 0, 10, amounts(8000));
    c.expander = PreferenceExpander({"a"});
    c.pods("web", 1, 3000);
    const pass::Outcome outcome = c.run();
    EXPECT_EQ(growth(outcome.decision), (Growths{{"b", 1}}));
    EXPECT_TRUE(outcome.memory.backoffs.contains(NodeGroupId("a")));
}

TEST(Pass, GrowsAGroupAfterAConflictOfAMachine) {
    PassCase c;
    c.group("a", 1, 10);
    c.test_cluster.machine("a", "m-0", MachineState::failed).error =
        Error{ErrorCode::conflict, "zone a has none left, and others have"};
    c.pods("web", 1, 1000);
    const pass::Outcome outcome = c.run();
    EXPECT_EQ(growth(outcome.decision), (Growths{{"a", 1}}));
    ASSERT_EQ(outcome.decision.removals.size(), 1u)
        << "the failed machine is removed in the same pass";
    EXPECT_TRUE(outcome.memory.backoffs.empty());
}

TEST(Pass, ReportsWhyEachGroupCannotGrow) {
    PassCase c;
    c.test_cluster.group("no-size").group.max = 3;
    c.test_cluster.describe("no-size", amounts(4000));
    c.test_cluster.group("no-template", 0).undescribed_because = "its launch template is gone";
    Group& sick = c.group("sick", 0, 10);
    sick.group.healthy = false;
    sick.group.health_reason = "two of its subnets are full";
    c.group("over", 4, 2);
    c.group("unreadable", 0, 10).unreadable_because = "groups[4].min is 5, above max 1";
    c.pods("web", 1, 3000);
    const Decision decision = c.decide();
    ASSERT_EQ(decision.unschedulable.size(), 1u);
    std::map<std::string, std::string> by_group;
    for (const GroupReason& reason : decision.unschedulable[0].groups) {
        for (const NodeGroupId& id : reason.groups) by_group[id.value()] = reason.reason.sentence;
    }
    EXPECT_EQ(by_group.size(), 5u);
    EXPECT_EQ(by_group["unreadable"], "cannot be read: groups[4].min is 5, above max 1");
    EXPECT_EQ(by_group["no-size"], "target size unknown: the cloud does not report it");
    EXPECT_THAT(by_group["no-template"], HasSubstr("its launch template is gone"));
    EXPECT_EQ(by_group["sick"], "not ready for scale-up: two of its subnets are full");
    EXPECT_EQ(by_group["over"], "max node group size reached (2): its target is 4");
}

TEST(Pass, CombinesEqualReasonsOfGroups) {
    PassCase c;
    c.group("a", 0, 10);
    c.group("b", 0, 10);
    c.group("c", 5, 5);
    c.pods("huge", 2, 90000);
    const Decision decision = c.decide();
    ASSERT_EQ(decision.unschedulable[0].groups.size(), 2u) << "one of them is also full";
    EXPECT_THAT(decision.unschedulable[0].groups[0].groups,
                ElementsAre(NodeGroupId("a"), NodeGroupId("b")));
    EXPECT_THAT(decision.unschedulable[0].groups[0].reason.sentence, HasSubstr("Insufficient cpu"));
    EXPECT_EQ(decision.unschedulable[0].groups[1].reason.sentence,
              decision.unschedulable[0].groups[0].reason.sentence +
                  "; also max node group size reached (5)");
    EXPECT_THAT(decision.unschedulable[0].reason.sentence,
                HasSubstr("0 of 3 node groups can schedule it: 2 "));
}

TEST(Pass, KeepsReasonsConstantWhileTimersRun) {
    PassCase c;
    c.pods("web", 1, 1000);
    const auto back_off = [&](const std::string& group, Duration length, const char* because) {
        c.group(group, 0, 10);
        c.memory.backoffs[NodeGroupId(group)] = {.since = noon,
                                                 .until = noon + length,
                                                 .length = length,
                                                 .last_failure = noon,
                                                 .because = because};
    };
    back_off("a", 100s, "full");
    back_off("b", 150s, "quota");
    for (int pass = 0; pass < 2; ++pass) {
        EXPECT_EQ(c.decide().unschedulable.at(0).reason.sentence,
                  "0 of 2 node groups can schedule it: 1 in backoff after failed scale-up until "
                  "15:08:20Z: full (group a)");
        c.call_context.now += 70s;
    }
}

TEST(Pass, ReportsWhetherAPodFitsABackedOffGroup) {
    PassCase c;
    c.group("spot", 0, 10);
    c.memory.backoffs[NodeGroupId("spot")] = {
        .until = noon + 5min, .length = 5min, .last_failure = noon, .because = "none left"};
    c.pods("huge", 1, 90000);
    c.pods("web", 1, 1000);
    std::map<std::string, std::string> because;
    for (const UnschedulablePods& unschedulable : c.decide().unschedulable)
        because[unschedulable.pods.example] = unschedulable.reason.sentence;
    ASSERT_EQ(because.size(), 2u);
    const auto& [huge, web] = std::pair(because.begin()->second, because.rbegin()->second);
    EXPECT_EQ(web, "group spot: in backoff after failed scale-up until 15:11:40Z: none left");
    EXPECT_THAT(huge, HasSubstr("spot: Insufficient cpu: needs 90"));
    EXPECT_THAT(huge,
                HasSubstr("; also in backoff after failed scale-up until 15:11:40Z: none left"));
}

TEST(Pass, ReportsTheNearestMissFirst) {
    PassCase c;
    c.group("full", 5, 5);
    for (const char* red : {"red-1", "red-2"}) {
        c.group(red, 0, 10);
        c.test_cluster.describe(red, amounts(4000)).taints = {{.key = "team", .value = "red"}};
    }
    c.pods("web", 1, 1000);
    const Decision decision = c.decide();
    ASSERT_EQ(decision.unschedulable.at(0).groups.size(), 2u);
    EXPECT_EQ(decision.unschedulable[0].reason.sentence,
              "0 of 3 node groups can schedule it: 1 max node group size reached (5): group full");
    EXPECT_THAT(decision.unschedulable[0].groups[1].reason.sentence,
                HasSubstr("untolerated taint"));
}

TEST(Pass, ReportsThatNoGroupExists) {
    PassCase c;
    c.pods("web", 1, 3000);
    EXPECT_EQ(c.decide().unschedulable[0].reason.sentence, "no node group exists");
}

TEST(Pass, ReportsCloudsWhoseGroupsAreUnknown) {
    PassCase c;
    c.pods("web", 1, 3000);
    Snapshot snapshot = c.test_cluster.snapshot();
    snapshot.unread.emplace(PluginInstanceId("west"), "cloud west has not answered since noon");
    EXPECT_EQ(c.run(snapshot).decision.unschedulable.at(0).reason.sentence,
              "no node group exists; node groups of cloud west are unknown: "
              "cloud west has not answered since noon");
}

TEST(Pass, MakesNoScaleUpIfAnExpanderFails) {
    class FailingExpander : public Expander {
    public:
        Result<FilterResult> filter(const ScaleUpQuestion&, std::span<const std::uint32_t>,
                                    const CallContext&) override {
            return fail(ErrorCode::unavailable, "no prices");
        }
    };
    PassCase c;
    c.group("a", 0, 10);
    c.group("b", 0, 10, amounts(8000));
    c.pods("web", 1, 3000);
    FailingExpander failing;
    Policies policies = c.policies();
    policies.chain = {{"price", &failing, StageFallback::fail}};
    const Decision decision =
        pass::run_pass(c.test_cluster.snapshot(), {}, policies, c.settings, c.call_context)
            .decision;
    EXPECT_THAT(decision.increases, IsEmpty());
    EXPECT_THAT(decision.notes, ElementsAre("price: failed: no prices; no scale-up"));
    EXPECT_EQ(decision.unschedulable[0].reason.sentence, "price: failed: no prices; no scale-up");
}

TEST(Pass, PassesPodsByEquivalenceGroupToExpanders) {
    PassCase c;
    c.group("b", 0, 10, amounts(8000));
    c.group("a", 1, 10);
    c.test_cluster.node("spare").allocatable = amounts(100);
    c.pods("fits", 1, 100);
    c.pods("web", 6, 2000);
    c.decide();
    ASSERT_EQ(c.expander.questions.size(), 1u);
    const ScaleUpQuestion& question = c.expander.questions[0];
    ASSERT_EQ(question.pods.size(), 1u);
    EXPECT_EQ(question.pods[0].example, "web-0");
    EXPECT_EQ(question.pods[0].count, 6u);
    EXPECT_EQ(question.cluster_nodes, 2u);
    ASSERT_EQ(question.options.size(), 2u);
    EXPECT_EQ(question.options[0].group.id, NodeGroupId("a"));
    EXPECT_EQ(question.options[0].nodes, 3);
    EXPECT_EQ(question.options[1].nodes, 2);
    EXPECT_EQ(question.options[0].pod_count, 6u);
    EXPECT_EQ(question.options[0].requested, (Resources{{"cpu", 12000}}));
    EXPECT_EQ((*question.options[0].pods)[0].count, 6u);
}

TEST(Pass, UsesADifferentSeedForEachRound) {
    PassCase c;
    c.group("a", 0, 1);
    c.group("b", 0, 1, amounts(8000));
    c.group("c", 0, 1, amounts(16000));
    c.settings.balance_similar = false;
    c.pods("web", 9, 3000);
    c.decide();
    ASSERT_EQ(c.expander.seeds.size(), 2u);
    EXPECT_NE(c.expander.seeds[0], c.expander.seeds[1]);
}

std::uint64_t seed_of_the_first_round(std::uint64_t seed, Time now) {
    PassCase c;
    c.group("a", 0, 1);
    c.group("b", 0, 1, amounts(8000));
    c.call_context = {.seed = seed, .now = now};
    c.pods("web", 1, 3000);
    c.decide();
    return c.expander.seeds.at(0);
}

TEST(Pass, UsesADifferentSeedForEachPass) {
    const std::uint64_t seed = seed_of_the_first_round(7, noon);
    EXPECT_EQ(seed_of_the_first_round(7, noon), seed);
    EXPECT_NE(seed_of_the_first_round(7, noon + std::chrono::seconds(10)), seed);
    EXPECT_NE(seed_of_the_first_round(8, noon), seed);
}

TEST(Pass, DoesNotDependOnTheOrderOfItsInput) {
    const auto make = [](bool reversed) {
        PassCase c;
        std::vector<std::string> groups{"a", "b", "c", "d"}, pods{"db", "web", "zed"};
        if (reversed) std::ranges::reverse(groups);
        if (reversed) std::ranges::reverse(pods);
        for (const std::string& id : groups) {
            c.group(id, 0, 3, amounts(4000), std::string("z") + id);
        }
        for (const std::string& name : pods) {
            c.pods(name, 3, 1000 + 300 * name.front() % 7, spread_over(zone_key));
        }
        return c.run();
    };
    const pass::Outcome one = make(false), other = make(true);
    EXPECT_EQ(one.decision.increases, other.decision.increases);
    EXPECT_EQ(one.memory, other.memory);
    ASSERT_EQ(one.decision.schedulable.size(), other.decision.schedulable.size());
    for (std::size_t i = 0; i < one.decision.schedulable.size(); ++i) {
        EXPECT_EQ(one.decision.schedulable[i].example, other.decision.schedulable[i].example);
        EXPECT_EQ(one.decision.schedulable[i].count, other.decision.schedulable[i].count);
    }
}

}  // namespace
}  // namespace capstan::engine::pass
