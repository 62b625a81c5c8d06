#include "engine/provisioning/candidate_groups.hpp"

#include <gmock/gmock.h>

#include "engine/pass/explain.hpp"
#include "group_creation_case.hpp"

namespace capstan::engine::provisioning {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const NodeGroupId created_group("nap-m");

TEST(CandidateGroups, AreCreatedForPodsThatNoGroupCanSchedule) {
    GroupCreationCase c({"nap-m"});
    c.test_cluster.pod("web").spec.requests = {{"cpu", 3000}};
    const Decision decision = c.run().decision;
    ASSERT_EQ(decision.creations.size(), 1u);
    EXPECT_EQ(decision.creations[0].group, created_group);
    EXPECT_EQ(decision.creations[0].because, "suggested by the test");
    ASSERT_EQ(decision.increases.size(), 1u);
    EXPECT_EQ(decision.increases[0].group, created_group);
    EXPECT_EQ(decision.increases[0].from, 0);
    EXPECT_EQ(decision.increases[0].by, 1);
    EXPECT_THAT(decision.unschedulable, IsEmpty());
}

TEST(CandidateGroups, AreNotRequestedIfPodsFit) {
    GroupCreationCase c({"nap-m"});
    c.test_cluster.node("n1");
    c.test_cluster.pod("web");
    EXPECT_THAT(c.run().decision.creations, IsEmpty());
    EXPECT_EQ(c.source.requested_pods, 0);
}

TEST(CandidateGroups, LoseTiesAgainstExistingGroups) {
    GroupCreationCase c({"a-comes-first"});
    c.test_cluster.group("web", 0);
    c.test_cluster.describe("web", amounts(4000)).labels = {{"its", "own"}};
    c.test_cluster.pod("web");
    const Decision decision = c.run().decision;
    EXPECT_THAT(decision.creations, IsEmpty());
    ASSERT_EQ(decision.increases.size(), 1u);
    EXPECT_EQ(decision.increases[0].group, NodeGroupId("web"));
}

TEST(CandidateGroups, AreDroppedIfAnEquivalentGroupExists) {
    GroupCreationCase c({"nap-m"});
    c.test_cluster.group("web", 0);
    NodeTemplate& node = c.test_cluster.describe("web", amounts(4000));
    node.allocatable = node.free = amounts(4000);
    c.test_cluster.pod("web");
    const Decision decision = c.run().decision;
    ASSERT_EQ(decision.new_groups.size(), 1u);
    EXPECT_EQ(decision.new_groups[0].dropped.sentence, "group web is equivalent");
}

TEST(CandidateGroups, AreDroppedIfAnEquivalentAutoprovisionedGroupExists) {
    GroupCreationCase c({"nap-m"});
    Group& existing = c.test_cluster.group("nap-old-name", 0);
    existing.group.autoprovisioned = true;
    existing.group.max = 0;
    NodeTemplate& node = c.test_cluster.describe("nap-old-name", amounts(4000));
    node.allocatable = node.free = amounts(4000);
    c.test_cluster.pod("web");
    const Decision decision = c.run().decision;
    ASSERT_EQ(decision.new_groups.size(), 1u);
    EXPECT_EQ(decision.new_groups[0].dropped.sentence, "group nap-old-name is equivalent");
    EXPECT_THAT(decision.creations, IsEmpty());
}

TEST(CandidateGroups, AreSeparateForTwoClouds) {
    GroupCreationCase c({"nap"});
    c.clouds = {GroupCreationCase::machines("east", "m"), GroupCreationCase::machines("west", "m")};
    c.source.carries_cloud = true;
    c.test_cluster.pod("web");
    const Decision decision = c.run().decision;
    std::vector<std::string> texts;
    for (const NewGroup& group : decision.new_groups)
        texts.push_back(group.cloud.value() + " " + group.group.value() + group.dropped.sentence);
    EXPECT_THAT(texts, ::testing::ElementsAre("east nap-east", "west nap-west"));
}

TEST(CandidateGroups, AreNotCreatedBeyondClusterLimits) {
    GroupCreationCase c({"nap-m"});
    c.settings.cpu.max = 3000;
    c.test_cluster.pod("web");
    const Decision decision = c.run().decision;
    EXPECT_THAT(decision.creations, IsEmpty());
    EXPECT_THAT(decision.increases, IsEmpty());
    ASSERT_EQ(decision.unschedulable.size(), 1u);
    EXPECT_THAT(decision.unschedulable[0].reason.sentence, HasSubstr("max cluster cpu limit"));
}

TEST(CandidateGroups, GetFewerNodesIfAClusterLimitRequiresIt) {
    GroupCreationCase c({"nap-m"});
    c.settings.cpu.max = 8000;
    for (const char* name : {"a", "b", "c"})
        c.test_cluster.pod(name).spec.requests = {{"cpu", 3000}};
    const Decision decision = c.run().decision;
    ASSERT_EQ(decision.increases.size(), 1u);
    EXPECT_EQ(decision.increases[0].by, 2);
}

TEST(CandidateGroups, RespectTheMaximumNumberOfGroups) {
    GroupCreationCase c({"nap-m"});
    c.source.most_groups = 1;
    c.test_cluster.group("full", 0).group.max = 0;
    c.test_cluster.pod("web");
    const Decision decision = c.run().decision;
    EXPECT_THAT(decision.creations, IsEmpty());
    ASSERT_EQ(decision.unschedulable.size(), 1u);
    const auto& groups = decision.unschedulable[0].groups;
    EXPECT_TRUE(std::ranges::any_of(groups, [](const GroupReason& reason) {
        return reason.reason == Reason{ReasonCode::limit_reached,
                                       {SubjectKind::limit, "groups"},
                                       "max number of node groups reached: 1 of 1"};
    }));
}

TEST(CandidateGroups, AreNotPlannedIfNoPodFits) {
    GroupCreationCase c({"nap-m"});
    c.test_cluster.pod("huge").spec.requests = {{"cpu", 64000}};
    const Decision decision = c.run().decision;
    EXPECT_THAT(decision.creations, IsEmpty());
    ASSERT_EQ(decision.new_groups.size(), 1u);
    EXPECT_THAT(decision.new_groups[0].dropped.sentence, HasSubstr("needs 64 of cpu, 4 are free"));
}

TEST(CandidateGroups, AreDroppedWithoutANoteIfUnsupported) {
    GroupCreationCase c({"nap-m"});
    c.maker.refuses = true;
    c.test_cluster.pod("web");
    const Decision decision = c.run().decision;
    EXPECT_THAT(decision.creations, IsEmpty());
    EXPECT_THAT(decision.notes, IsEmpty());
    ASSERT_EQ(decision.new_groups.size(), 1u);
    EXPECT_THAT(decision.new_groups[0].dropped.sentence, HasSubstr("cannot create this group"));
}

TEST(CandidateGroups, ReportAnErrorOfTheCloudOnce) {
    GroupCreationCase c({"nap-a", "nap-b", "nap-c"});
    c.maker.refuses = true;
    c.maker.refusal = {ErrorCode::unavailable, "plugin cloud: new_group: not running"};
    c.test_cluster.pod("web");
    const Decision decision = c.run().decision;
    EXPECT_THAT(decision.notes, ::testing::ElementsAre("plugin cloud: new_group: not running"));
    EXPECT_EQ(decision.new_groups.size(), 3u);
}

TEST(CandidateGroups, ReportTheNearestMissOfEachCloud) {
    GroupCreationCase c({});
    c.clouds = {GroupCreationCase::machines("east", "e"), GroupCreationCase::machines("west", "w")};
    c.source.left_out = {{"e", "is too small"}, {"w", "has no zone"}, {"typo", "is not on offer"}};
    c.test_cluster.group("full", 0).group.max = 0;
    c.test_cluster.pod("web");
    const Decision decision = c.run().decision;
    EXPECT_EQ(
        decision.no_new_group_reason,
        (Reason{
            ReasonCode::not_created, {}, "no group could be created: is too small; has no zone"}));
    ASSERT_EQ(decision.unschedulable.size(), 1u);
    EXPECT_THAT(decision.unschedulable[0].reason.sentence,
                HasSubstr("; no group could be created: is too small; has no zone"));
    std::vector<std::string> texts;
    for (const NewGroup& group : decision.new_groups)
        texts.push_back(group.cloud.value() + " " + group.plan.machine_type);
    EXPECT_THAT(texts, ::testing::ElementsAre("east e", "east typo", "west w"))
        << "a type of the other cloud is not missing, and a type of no cloud is listed once";
}

TEST(CandidateGroups, PreferALimitAsTheNearestMiss) {
    GroupCreationCase c({});
    c.clouds = {GroupCreationCase::machines("east", "e"), GroupCreationCase::machines("west", "w")};
    c.clouds[0].types[0].capacity = amounts(1000);
    c.source.left_out = {{"e", "is not named"}, {"w", "limit of cpu"}};
    c.settings.cpu.max = 3000;
    c.test_cluster.pod("web");
    const UnschedulablePods unschedulable = c.run().decision.unschedulable.at(0);
    EXPECT_EQ(unschedulable.reason.sentence,
              "no node group exists; no group could be created: limit of cpu; is not named");
    EXPECT_EQ(unschedulable.reason.code, ReasonCode::limit_reached);
    EXPECT_EQ(unschedulable.reason.subject, (ReasonSubject{SubjectKind::limit, "cpu"}));
}

TEST(CandidateGroups, NameALimitBeforeAGroupForOtherPods) {
    GroupCreationCase c({});
    c.source.left_out = {{c.clouds[0].types[0].name, "limit of cpu"}};
    c.settings.cpu.max = 3000;
    c.test_cluster.group("red", 0);
    c.test_cluster.describe("red", amounts(4000)).taints = {{.key = "team", .value = "red"}};
    c.test_cluster.pod("web");
    const UnschedulablePods unschedulable = c.run().decision.unschedulable.at(0);
    EXPECT_EQ(unschedulable.reason.sentence,
              "no group could be created: limit of cpu; group red: node(s) had untolerated taint "
              "{team: red}");
    EXPECT_EQ(unschedulable.reason.code, ReasonCode::limit_reached);
}

TEST(CandidateGroups, AreNamedUpToAHundred) {
    std::vector<std::string> names;
    for (int i = 1000; i < 4000; ++i) names.push_back("nap-" + std::to_string(i));
    GroupCreationCase c(names);
    c.source.most_groups = 1;
    c.test_cluster.group("full", 0).group.max = 0;
    c.test_cluster.pod("web");
    const Decision decision = c.run().decision;
    EXPECT_EQ(decision.new_groups.size(), 3000u);
    ASSERT_EQ(decision.unschedulable.size(), 1u);
    std::size_t named = 0;
    for (const GroupReason& reason : decision.unschedulable[0].groups)
        named += reason.groups.size();
    EXPECT_EQ(named, 101u);
    EXPECT_THAT(decision.unschedulable[0].reason.sentence,
                HasSubstr("0 of 3001 node groups can schedule it: 100 "));
}

TEST(CandidateGroups, AreListedByExplain) {
    GroupCreationCase c({"nap-a", "web"});
    c.test_cluster.group("web", 0).group.max = 0;
    c.test_cluster.pod("web").spec.requests = {{"cpu", 3000}};
    const Snapshot snapshot = c.snapshot();
    const Policies policies = c.policies();
    const pass::Explanation explanation =
        pass::explain_pass(snapshot, c.memory, policies, c.settings, {.now = c.now});
    const auto& texts = explanation.decision().new_groups;
    ASSERT_EQ(texts.size(), 2u);
    EXPECT_EQ(texts[0].group, NodeGroupId("nap-a"));
    EXPECT_EQ(texts[0].dropped.sentence, "");
    EXPECT_EQ(texts[1].dropped.sentence, "already exists");
    EXPECT_EQ(texts, c.run().decision.new_groups);
}

TEST(CandidateGroups, ReportMissingMachineTypes) {
    GroupCreationCase c({"nap-m"});
    c.test_cluster.pod("web");
    Snapshot snapshot = c.test_cluster.snapshot();
    const auto because = [&] {
        const Decision decision =
            pass::run_pass(snapshot, {}, c.policies(), c.settings, {.now = c.now}).decision;
        return decision.unschedulable.at(0).reason.sentence;
    };
    const char* const texts =
        "no node group exists; no group could be created: no cloud offers machine types for "
        "new groups";
    EXPECT_EQ(because(), texts);
    snapshot.machines = std::make_shared<const std::vector<CloudMachines>>(
        std::vector<CloudMachines>{{PluginInstanceId("cloud"), {}}});
    EXPECT_EQ(because(), texts);
    snapshot.unread[PluginInstanceId("cloud")] = "it does not answer";
    EXPECT_THAT(because(), ::testing::Not(HasSubstr("machine types")));
}

TEST(CandidateGroups, AreDeterministic) {
    GroupCreationCase c({"nap-b", "nap-a"});
    c.test_cluster.pod("web");
    const pass::Outcome first = c.run(), second = c.run();
    EXPECT_EQ(first.decision.creations, second.decision.creations);
    EXPECT_EQ(first.decision.new_groups, second.decision.new_groups);
    EXPECT_EQ(first.decision.creations.at(0).group, NodeGroupId("nap-a"));
}

}  // namespace
}  // namespace capstan::engine::provisioning
