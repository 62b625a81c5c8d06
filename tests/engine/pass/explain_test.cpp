#include "engine/pass/explain.hpp"

#include <gmock/gmock.h>

#include "../pass_case.hpp"
#include "engine/health/backoff.hpp"

namespace capstan::engine::pass {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

PodGroupId pod_group_of(const Snapshot& snapshot, const std::string& name) {
    for (PodIndex p = 0; p < snapshot.cluster.pod_count(); ++p) {
        if (snapshot.cluster.text(snapshot.cluster.pod(p).name) == name) {
            return snapshot.cluster.equivalence_group_of(p);
        }
    }
    return ~PodGroupId{0};
}

struct ExplainCase : PassCase {
    Snapshot snapshot{test_cluster.snapshot()};
    Policies explained_policies{};
    /// Explains pods that need not be pending, in the present `snapshot`.
    Result<pass::PodAnswer> explain_of(PodGroupId id) {
        explained_policies = policies();
        return pass::explain_pass(snapshot, memory, explained_policies, settings, call_context,
                                  {&id, 1})
            .pod(id);
    }
    pass::Explanation explain() {
        snapshot = test_cluster.snapshot();
        explained_policies = policies();
        return pass::explain_pass(snapshot, memory, explained_policies, settings, call_context);
    }
};

ExplainCase two_groups() {
    ExplainCase e;
    e.group("a", 0, 5);
    e.group("b", 0, 2, amounts(16000));
    e.expander = PreferenceExpander({"a"});
    e.pods("db", 1, 15000);
    e.pods("huge", 1, 90000);
    e.pods("web", 2, 3000);
    return e;
}

TEST(ExplainPass, NamesTheGroupForAPod) {
    ExplainCase e = two_groups();
    pass::Explanation explanation = e.explain();
    const pass::PodAnswer web = *explanation.pod(pod_group_of(e.snapshot, "web-0"));
    EXPECT_EQ(web.pods.count, 2u);
    EXPECT_EQ(web.schedulable, 2u);
    EXPECT_THAT(web.schedulable_on, ElementsAre(pass::SchedulableOn{NodeGroupId("a"), 2}));
    EXPECT_EQ(web.because, "planned on new nodes of a");
    ASSERT_EQ(web.groups.size(), 1u);
    EXPECT_EQ(web.groups[0].reason.sentence, "can schedule it");
}

/// Groups that cannot schedule a pod of 4 cores for pool web, for different reasons. Their names
/// are in another order than the reasons.
struct NearMisses : ExplainCase {
    NearMisses() {
        of_pool("a-red", "web", 8000).taints = {{.key = "team", .value = "red"}};
        of_pool("b-db", "db", 8000);
        of_pool("c-backed-off", "web", 2000);
        back_off("c-backed-off");
        of_pool("d-tiny", "web", 1000);
        of_pool("e-short", "web", 3000);
        pods("web", 1, 4000,
             [](snapshot::PodObject& pod) { pod.spec.node_selector = {{"pool", "web"}}; });
    }
    NodeTemplate& of_pool(const std::string& id, const char* pool, std::int64_t cpu) {
        group(id, 0, 5);
        NodeTemplate& node = test_cluster.describe(id, amounts(cpu));
        node.labels["pool"] = pool;
        return node;
    }
    void back_off(const char* id) {
        memory.backoffs[NodeGroupId(id)] = {
            .until = noon + 5min, .length = 5min, .last_failure = noon, .because = "none left"};
    }
};

TEST(ExplainPass, SortsReasonsByTheNearestMiss) {
    NearMisses e;
    pass::Explanation explanation = e.explain();
    const pass::PodAnswer web = *explanation.pod(pod_group_of(e.snapshot, "web-0"));
    std::vector<std::string> found;
    for (const auto& [groups, reason] : web.groups)
        found.push_back(groups.front().value() + " " + std::string(name_of(reason.code)) + " " +
                        to_string(reason.subject));
    EXPECT_THAT(
        found,
        ElementsAre("e-short NodeResourcesFit Resource/cpu", "d-tiny NodeResourcesFit Resource/cpu",
                    "c-backed-off NodeResourcesFit Resource/cpu",
                    "a-red TaintToleration Taint/team", "b-db NodeAffinity NodeLabel/pool"));
    EXPECT_THAT(web.because,
                HasSubstr("0 of 5 node groups can schedule it: 1 Insufficient cpu: needs "
                          "4, 3 of 3 are free"));
    const UnschedulablePods& unschedulable = explanation.decision().unschedulable.at(0);
    std::vector<GroupReason> with_time_left = unschedulable.groups;
    for (GroupReason& of_groups : with_time_left)
        of_groups.reason.sentence = health::with_time_left(
            of_groups.reason.sentence, *e.snapshot.groups, e.memory, e.call_context.time());
    EXPECT_EQ(with_time_left, web.groups);
    EXPECT_THAT(web.groups.at(2).reason.sentence,
                HasSubstr("also in backoff after failed scale-up until 15:11:40Z (5m left)"));
    EXPECT_EQ(unschedulable.reason.sentence, web.because);
    EXPECT_EQ(unschedulable.reason.code, ReasonCode::node_resources_fit);
}

TEST(ExplainPass, ListsABackedOffGroupBeforeATooSmallOne) {
    NearMisses e;
    e.of_pool("z-backed-off", "web", 8000);
    e.back_off("z-backed-off");
    pass::Explanation explanation = e.explain();
    const pass::PodAnswer web = *explanation.pod(pod_group_of(e.snapshot, "web-0"));
    EXPECT_EQ(web.groups.at(0).groups, std::vector{NodeGroupId("z-backed-off")});
    EXPECT_EQ(web.groups.at(0).reason.code, ReasonCode::backed_off);
}

TEST(ExplainPass, ReportsWhyEachGroupCannotScheduleAPod) {
    ExplainCase e = two_groups();
    pass::Explanation explanation = e.explain();
    const pass::PodAnswer huge = *explanation.pod(pod_group_of(e.snapshot, "huge-0"));
    EXPECT_EQ(huge.unschedulable, 1u);
    EXPECT_THAT(huge.schedulable_on, IsEmpty());
    ASSERT_EQ(huge.groups.size(), 2u);
    for (const GroupReason& reason : huge.groups) {
        EXPECT_THAT(reason.reason.sentence, HasSubstr("Insufficient cpu"));
    }
}

TEST(ExplainPass, ReportsTheMachineOfANode) {
    ExplainCase e;
    e.group("spot", 1, 5);
    e.test_cluster.change_group("spot").group.template_fingerprint = "v2";
    e.test_cluster.node("n");
    Machine& machine = e.test_cluster.machine("spot", "n");
    machine.template_fingerprint = "v1";
    machine.leaves = Leaving{LeaveReason::spot_interruption, noon + 2min};
    e.test_cluster.node("alone");
    const pass::Explanation explanation = e.explain();
    const auto of = explanation.machine_of("n");
    ASSERT_TRUE(of);
    EXPECT_TRUE(of->has_drifted());
    ASSERT_TRUE(of->machine);
    EXPECT_EQ(of->machine->leaves, (Leaving{LeaveReason::spot_interruption, noon + 2min}));
    EXPECT_EQ(of->leaves,
              leaving_text(*machine.leaves) +
                  "; the node takes no new pods, and its pods are evicted before that time");
    EXPECT_FALSE(explanation.machine_of("alone")) << "no cloud lists the machine";
    EXPECT_FALSE(explanation.machine_of("nowhere"));
}

TEST(ExplainPass, ReportsALostMachineOfANodeWithoutAGroup) {
    ExplainCase e;
    e.test_cluster.node("alone").provider_id = "cloud:///alone";
    e.test_cluster.node("lost").provider_id = "cloud:///lost";
    e.test_cluster.node("foreign").provider_id = "other:///1";
    e.snapshot = e.test_cluster.snapshot();
    e.explained_policies = e.policies();
    e.snapshot.cloud_views[PluginInstanceId("cloud")] = std::make_shared<const CloudView>(CloudView{
        .machines = {{.id = MachineId("cloud:///alone")}}, .lists_all_with_prefix = "cloud:///"});
    const pass::Explanation explanation =
        pass::explain_pass(e.snapshot, e.memory, e.explained_policies, e.settings, e.call_context);
    ASSERT_TRUE(explanation.machine_of("alone"));
    EXPECT_TRUE(explanation.machine_of("alone")->machine);
    ASSERT_TRUE(explanation.machine_of("lost"));
    EXPECT_FALSE(explanation.machine_of("lost")->machine);
    EXPECT_EQ(explanation.machine_of("lost")->cloud, PluginInstanceId("cloud"));
    EXPECT_FALSE(explanation.machine_of("foreign"));
}

TEST(ExplainPass, DoesNotReportALostMachineWithAnIncompleteView) {
    ExplainCase e;
    e.test_cluster.node("lost").provider_id = "cloud:///lost";
    e.snapshot = e.test_cluster.snapshot();
    e.explained_policies = e.policies();
    CloudView view{.lists_all_with_prefix = "cloud:///"};
    const auto is_lost = [&e] {
        const pass::Explanation explanation = pass::explain_pass(
            e.snapshot, e.memory, e.explained_policies, e.settings, e.call_context);
        return explanation.machine_of("lost").has_value();
    };
    const auto set_view = [&](const char* cloud) {
        e.snapshot.cloud_views[PluginInstanceId(cloud)] = std::make_shared<const CloudView>(view);
    };
    set_view("one");
    EXPECT_TRUE(is_lost());
    set_view("other");
    EXPECT_FALSE(is_lost()) << "the view does not cover the other account";
    e.snapshot.cloud_views.erase(PluginInstanceId("other"));
    view.complete = false;
    set_view("one");
    EXPECT_FALSE(is_lost()) << "a group is unreadable";
}

TEST(ExplainPass, ReportsDriftOnlyWithBothFingerprints) {
    pass::NodeMachine known{.machine = Machine{.template_fingerprint = "v1"},
                            .group_fingerprint = "v1"};
    EXPECT_FALSE(known.has_drifted());
    known.group_fingerprint.clear();
    EXPECT_FALSE(known.has_drifted());
    known = {.machine = Machine{}, .group_fingerprint = "v1"};
    EXPECT_FALSE(known.has_drifted());
}

TEST(ExplainPass, SupportsPodsThatAreNotPending) {
    ExplainCase e = two_groups();
    e.test_cluster.node("n");
    e.test_cluster.pod("running", "n").spec.requests = {{"cpu", 9500}};
    e.snapshot = e.test_cluster.snapshot();
    const Result<pass::PodAnswer> answer = e.explain_of(pod_group_of(e.snapshot, "running"));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->because, "no pending pods like this");
    ASSERT_EQ(answer->groups.size(), 2u);
    EXPECT_THAT(answer->groups[0].groups, ElementsAre(NodeGroupId("b"))) << "which can schedule it";
    EXPECT_THAT(answer->groups[1].groups, ElementsAre(NodeGroupId("a")));
}

TEST(ExplainPass, ReportsWhichPodsAGroupCanSchedule) {
    ExplainCase e = two_groups();
    pass::Explanation explanation = e.explain();
    const pass::GroupAnswer a = *explanation.group(NodeGroupId("a"));
    EXPECT_EQ(a.obstacle, "");
    EXPECT_EQ(a.headroom, 5);
    EXPECT_EQ(a.increase, 2);
    ASSERT_EQ(a.pod_groups.size(), 3u);
    EXPECT_EQ(a.pod_groups[0].pods.example, "default/db-0");
    EXPECT_THAT(a.pod_groups[0].refusal, HasSubstr("Insufficient cpu"));
    EXPECT_EQ(a.pod_groups[2].refusal, "");
    EXPECT_THAT(a.template_source, HasSubstr("cloud"));
}

TEST(ExplainPass, FailsForAnUnknownGroup) {
    ExplainCase e = two_groups();
    pass::Explanation explanation = e.explain();
    EXPECT_EQ(explanation.group(NodeGroupId("z")).error().message, "node group \"z\" not found");
}

TEST(ExplainPass, BuildsTheMatrixOfPodsAndGroups) {
    ExplainCase e = two_groups();
    e.group("full", 1, 1);
    const pass::Matrix matrix = e.explain().matrix();
    ASSERT_EQ(matrix.pod_groups.size(), 3u);
    EXPECT_THAT(matrix.groups,
                ElementsAre(NodeGroupId("a"), NodeGroupId("b"), NodeGroupId("full")));
    EXPECT_THAT(matrix.at(0, 0), HasSubstr("Insufficient cpu"));
    EXPECT_EQ(matrix.at(0, 1), "");
    EXPECT_EQ(matrix.at(2, 0), "");
    EXPECT_EQ(matrix.at(2, 2), "max node group size reached (1)");
}

TEST(ExplainPass, MakesTheSameDecisionAsAPass) {
    ExplainCase e = two_groups();
    EXPECT_EQ(e.explain().decision().increases, e.decide().increases);
}

}  // namespace
}  // namespace capstan::engine::pass
