#include "engine/provisioning/candidate_groups.hpp"

#include <gmock/gmock.h>

#include "engine/pass/explain.hpp"
#include "group_creation_case.hpp"

namespace capstan::engine::provisioning {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const NodeGroupId made_group("nap-m");

TEST(CandidateGroups, AreCreatedForPodsThatNoGroupCanSchedule) {
    MakingCase c({"nap-m"});
    c.world.pod("web").spec.requests = {{"cpu", 3000}};
    const Decision decision = c.run().decision;
    ASSERT_EQ(decision.creations.size(), 1u);
    EXPECT_EQ(decision.creations[0].group, made_group);
    EXPECT_EQ(decision.creations[0].because, "it is told");
    ASSERT_EQ(decision.increases.size(), 1u);
    EXPECT_EQ(decision.increases[0].group, made_group);
    EXPECT_EQ(decision.increases[0].from, 0);
    EXPECT_EQ(decision.increases[0].by, 1);
    EXPECT_THAT(decision.unschedulable, IsEmpty());
}

TEST(CandidateGroups, AreNotRequestedIfPodsFit) {
    MakingCase c({"nap-m"});
    c.world.node("n1");
    c.world.pod("web");
    EXPECT_THAT(c.run().decision.creations, IsEmpty());
    EXPECT_EQ(c.source.asked_pods, 0);
}

TEST(CandidateGroups, LoseTiesAgainstExistingGroups) {
    MakingCase c({"a-comes-first"});
    c.world.group("web", 0);
    c.world.describe("web", amounts(4000)).labels = {{"its", "own"}};
    c.world.pod("web");
    const Decision decision = c.run().decision;
    EXPECT_THAT(decision.creations, IsEmpty());
    ASSERT_EQ(decision.increases.size(), 1u);
    EXPECT_EQ(decision.increases[0].group, NodeGroupId("web"));
}

TEST(CandidateGroups, AreDroppedIfAnEquivalentGroupExists) {
    MakingCase c({"nap-m"});
    c.world.group("web", 0);
    NodeTemplate& node = c.world.describe("web", amounts(4000));
    node.allocatable = node.free = amounts(4000);
    c.world.pod("web");
    const Decision decision = c.run().decision;
    ASSERT_EQ(decision.new_groups.size(), 1u);
    EXPECT_EQ(decision.new_groups[0].dropped.sentence, "group web is equivalent");
}

TEST(CandidateGroups, AreDroppedIfAnEquivalentAutoprovisionedGroupExists) {
    MakingCase c({"nap-m"});
    Group& made = c.world.group("nap-as-it-was-called", 0);
    made.group.autoprovisioned = true;
    made.group.max = 0;
    NodeTemplate& node = c.world.describe("nap-as-it-was-called", amounts(4000));
    node.allocatable = node.free = amounts(4000);
    c.world.pod("web");
    const Decision decision = c.run().decision;
    ASSERT_EQ(decision.new_groups.size(), 1u);
    EXPECT_EQ(decision.new_groups[0].dropped.sentence, "group nap-as-it-was-called is equivalent");
    EXPECT_THAT(decision.creations, IsEmpty());
}

TEST(CandidateGroups, AreSeparateForTwoClouds) {
    MakingCase c({"nap"});
    c.clouds = {MakingCase::machines("east", "m"), MakingCase::machines("west", "m")};
    c.source.carries_cloud = true;
    c.world.pod("web");
    const Decision decision = c.run().decision;
    std::vector<std::string> told;
    for (const NewGroup& group : decision.new_groups)
        told.push_back(group.cloud.value() + " " + group.group.value() + group.dropped.sentence);
    EXPECT_THAT(told, ::testing::ElementsAre("east nap-east", "west nap-west"));
}

TEST(CandidateGroups, AreNotCreatedBeyondClusterLimits) {
    MakingCase c({"nap-m"});
    c.settings.cpu.max = 3000;
    c.world.pod("web");
    const Decision decision = c.run().decision;
    EXPECT_THAT(decision.creations, IsEmpty());
    EXPECT_THAT(decision.increases, IsEmpty());
    ASSERT_EQ(decision.unschedulable.size(), 1u);
    EXPECT_THAT(decision.unschedulable[0].reason.sentence, HasSubstr("max cluster cpu limit"));
}

TEST(CandidateGroups, AreReducedByAClusterLimit) {
    MakingCase c({"nap-m"});
    c.settings.cpu.max = 8000;
    for (const char* name : {"a", "b", "c"}) c.world.pod(name).spec.requests = {{"cpu", 3000}};
    const Decision decision = c.run().decision;
    ASSERT_EQ(decision.increases.size(), 1u);
    EXPECT_EQ(decision.increases[0].by, 2);
}

TEST(CandidateGroups, RespectTheMaximumNumberOfGroups) {
    MakingCase c({"nap-m"});
    c.source.most_groups = 1;
    c.world.group("full", 0).group.max = 0;
    c.world.pod("web");
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
    MakingCase c({"nap-m"});
    c.world.pod("huge").spec.requests = {{"cpu", 64000}};
    const Decision decision = c.run().decision;
    EXPECT_THAT(decision.creations, IsEmpty());
    ASSERT_EQ(decision.new_groups.size(), 1u);
    EXPECT_THAT(decision.new_groups[0].dropped.sentence, HasSubstr("needs 64 of cpu, 4 are free"));
}

TEST(CandidateGroups, AreDroppedWithoutANoteIfUnsupported) {
    MakingCase c({"nap-m"});
    c.maker.refuses = true;
    c.world.pod("web");
    const Decision decision = c.run().decision;
    EXPECT_THAT(decision.creations, IsEmpty());
    EXPECT_THAT(decision.notes, IsEmpty());
    ASSERT_EQ(decision.new_groups.size(), 1u);
    EXPECT_THAT(decision.new_groups[0].dropped.sentence, HasSubstr("cannot create this group"));
}

TEST(CandidateGroups, ReportAnErrorOfTheCloudOnce) {
    MakingCase c({"nap-a", "nap-b", "nap-c"});
    c.maker.refuses = true;
    c.maker.refusal = {ErrorCode::unavailable, "plugin cloud: new_group: not running"};
    c.world.pod("web");
    const Decision decision = c.run().decision;
    EXPECT_THAT(decision.notes, ::testing::ElementsAre("plugin cloud: new_group: not running"));
    EXPECT_EQ(decision.new_groups.size(), 3u);
}

TEST(CandidateGroups, ReportTheNearestMissOfEachCloud) {
    MakingCase c({});
    c.clouds = {MakingCase::machines("east", "e"), MakingCase::machines("west", "w")};
    c.source.left_out = {{"e", "is too small"}, {"w", "has no zone"}, {"typo", "is not on offer"}};
    c.world.group("full", 0).group.max = 0;
    c.world.pod("web");
    const Decision decision = c.run().decision;
    EXPECT_EQ(decision.no_new_group_reason,
              (Reason{ReasonCode::not_created,
                      {},
                      "no group could be created either: is too small; has no zone"}));
    ASSERT_EQ(decision.unschedulable.size(), 1u);
    EXPECT_THAT(decision.unschedulable[0].reason.sentence,
                HasSubstr("; no group could be created either: is too small; has no zone"));
    std::vector<std::string> told;
    for (const NewGroup& group : decision.new_groups)
        told.push_back(group.cloud.value() + " " + group.plan.machine_type);
    EXPECT_THAT(told, ::testing::ElementsAre("east e", "east typo", "west w"))
        << "a type of the other cloud is none that is not on offer, and one of none is told once";
}

TEST(CandidateGroups, PreferALimitAsTheNearestMiss) {
    MakingCase c({});
    c.clouds = {MakingCase::machines("east", "e"), MakingCase::machines("west", "w")};
    c.clouds[0].types[0].capacity = amounts(1000);
    c.source.left_out = {{"e", "is not named"}, {"w", "limit of cpu"}};
    c.settings.cpu.max = 3000;
    c.world.pod("web");
    const UnschedulablePods unschedulable = c.run().decision.unschedulable.at(0);
    EXPECT_EQ(unschedulable.reason.sentence,
              "no node group exists; no group could be created either: limit of cpu; is not named");
    EXPECT_EQ(unschedulable.reason.code, ReasonCode::limit_reached);
    EXPECT_EQ(unschedulable.reason.subject, (ReasonSubject{SubjectKind::limit, "cpu"}));
}

TEST(CandidateGroups, AreNamedUpToAHundred) {
    std::vector<std::string> names;
    for (int i = 1000; i < 4000; ++i) names.push_back("nap-" + std::to_string(i));
    MakingCase c(names);
    c.source.most_groups = 1;
    c.world.group("full", 0).group.max = 0;
    c.world.pod("web");
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
    MakingCase c({"nap-a", "web"});
    c.world.group("web", 0).group.max = 0;
    c.world.pod("web").spec.requests = {{"cpu", 3000}};
    const Snapshot snapshot = c.snapshot();
    const Policies policies = c.policies();
    const pass::Explanation explanation =
        pass::explain_pass(snapshot, c.memory, policies, c.settings, {.now = c.now});
    const auto& told = explanation.decision().new_groups;
    ASSERT_EQ(told.size(), 2u);
    EXPECT_EQ(told[0].group, NodeGroupId("nap-a"));
    EXPECT_EQ(told[0].dropped.sentence, "");
    EXPECT_EQ(told[1].dropped.sentence, "already exists");
    EXPECT_EQ(told, c.run().decision.new_groups);
}

TEST(CandidateGroups, ReportMissingMachineTypes) {
    MakingCase c({"nap-m"});
    c.world.pod("web");
    Snapshot snapshot = c.world.snapshot();
    const auto because = [&] {
        const Decision decision =
            pass::run_pass(snapshot, {}, c.policies(), c.settings, {.now = c.now}).decision;
        return decision.unschedulable.at(0).reason.sentence;
    };
    const char* const told =
        "no node group exists; no group could be created either: no cloud offers machine types for "
        "new groups";
    EXPECT_EQ(because(), told);
    snapshot.machines = std::make_shared<const std::vector<CloudMachines>>(
        std::vector<CloudMachines>{{PluginInstanceId("cloud"), {}}});
    EXPECT_EQ(because(), told);
    snapshot.unread[PluginInstanceId("cloud")] = "it does not answer";
    EXPECT_THAT(because(), ::testing::Not(HasSubstr("machine types")));
}

TEST(CandidateGroups, AreDeterministic) {
    MakingCase c({"nap-b", "nap-a"});
    c.world.pod("web");
    const pass::Outcome first = c.run(), second = c.run();
    EXPECT_EQ(first.decision.creations, second.decision.creations);
    EXPECT_EQ(first.decision.new_groups, second.decision.new_groups);
    EXPECT_EQ(first.decision.creations.at(0).group, NodeGroupId("nap-a"));
}

}  // namespace
}  // namespace capstan::engine::provisioning
