// New nodes that a pass drops because their pods fit on other new nodes.
#include "engine/scale_up/spare_nodes.hpp"

#include <gmock/gmock.h>

#include "../pass_case.hpp"
#include "../provisioning/group_creation_case.hpp"
#include "engine/pass/explain.hpp"

namespace capstan::engine::scale_up {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;

/// Small nodes are preferred; the pod of 9 cores needs a large one, which has 7 cores left.
struct SmallAndLarge : PassCase {
    SmallAndLarge() {
        group("large", 0, 10, amounts(16000));
        group("small", 0, 10);
        expander = PreferenceExpander({"small", "large"});
        pods("db", 1, 9000);
    }
};

/// The pods of an option, "1 default/db-0, 2 default/web-0".
std::string pods_of(const ChosenOption& option) {
    std::string out;
    for (const PodCount& pods : option.pods)
        out += (out.empty() ? "" : ", ") + std::to_string(pods.count) + " " + pods.example;
    return out;
}

TEST(SpareNodes, AreDroppedIfALaterOptionHasRoomForTheirPods) {
    SmallAndLarge c;
    c.pods("web", 4, 2000);
    const Decision decision = c.decide();
    EXPECT_EQ(growth(decision), (Growths{{"small", 1}, {"large", 1}}));
    EXPECT_EQ(count(decision.schedulable), 5);
    EXPECT_THAT(
        decision.notes,
        Contains(
            "group small: 1 node fewer than chosen: its pods fit on other new nodes of this pass"));
    ASSERT_EQ(decision.options.size(), 2u);
    EXPECT_EQ(decision.options[0].nodes, 2);
    EXPECT_EQ(decision.options[0].granted, 1);
    EXPECT_EQ(pods_of(decision.options[0]), "2 default/web-0");
    EXPECT_EQ(pods_of(decision.options[1]), "1 default/db-0, 2 default/web-0");
}

TEST(SpareNodes, MayBeAllNodesOfAnOption) {
    SmallAndLarge c;
    c.pods("web", 2, 3000);
    const pass::Outcome outcome = c.run();
    const Decision& decision = outcome.decision;
    EXPECT_EQ(growth(decision), (Growths{{"large", 1}}));
    ASSERT_EQ(decision.options.size(), 1u);
    EXPECT_EQ(decision.options[0].group.value(), "large");
    EXPECT_EQ(pods_of(decision.options[0]), "1 default/db-0, 2 default/web-0");
    EXPECT_EQ(decision.increases[0].option, 0u);
    EXPECT_EQ(decision.increases[0].because, "makes room for 3 pods");
    EXPECT_EQ(outcome.memory.planned.size(), 1u);
}

TEST(SpareNodes, AreNotNodesThatPodsFill) {
    SmallAndLarge c;
    c.pods("web", 4, 3800);
    EXPECT_EQ(growth(c.decide()), (Growths{{"small", 3}, {"large", 1}}));
    c.pods("api", 1, 3800);
    EXPECT_EQ(growth(c.decide()), (Growths{{"small", 4}, {"large", 1}}));
}

TEST(SpareNodes, AreKeptInZeroOrMaxGroups) {
    SmallAndLarge c;
    Group& small = c.test_cluster.change_group("small");
    small.group.max = 2;
    small.options.zero_or_max = true;
    c.pods("web", 4, 2000);
    EXPECT_EQ(growth(c.decide()), (Growths{{"small", 2}, {"large", 1}}));
}

TEST(SpareNodes, AreTakenFromTheLargestOrFirstSimilarGroup) {
    struct Row {
        const char* what;
        int b_has, web;
        Growths growth;
    };
    const Row rows[] = {
        {"equal", 0, 4, {{"a", 1}, {"b", 2}, {"large", 1}}},
        {"one more in the first", 0, 5, {{"a", 2}, {"b", 2}, {"large", 1}}},
        {"one is there", 1, 3, {{"a", 1}, {"b", 1}, {"large", 1}}},
    };
    for (const Row& row : rows) {
        PassCase c;
        c.group("a", 0, 10);
        c.group("b", row.b_has, 10);
        c.group("large", 0, 10, amounts(16000));
        c.expander = PreferenceExpander({"a", "b"});
        c.pods("db", 1, 9000);
        c.pods("web", row.web, 4000);
        EXPECT_EQ(growth(c.decide()), row.growth) << row.what;
    }
}

TEST(SpareNodes, KeepPodsSpreadOverZones) {
    PassCase c;
    c.group("a", 0, 10, amounts(4000), "za");
    c.group("b", 0, 10, amounts(4000), "zb");
    c.group("large", 0, 10, amounts(16000), "za");
    c.expander = PreferenceExpander({"a", "b"});
    c.pods("web", 4, 2000, spread_over(zone_key, 3));
    c.pods("db", 1, 9000);
    EXPECT_EQ(growth(c.decide()), (Growths{{"b", 1}, {"large", 1}}));
}

TEST(SpareNodes, LeaveTheirShareOfALimitToPendingPods) {
    SmallAndLarge c;
    c.group("other", 0, 10, amounts(8000), "zb");
    c.settings.nodes.max = 3;
    c.pods("web", 4, 2000);
    c.pods("pinned", 1, 3000,
           [](snapshot::PodObject& pod) { pod.spec.node_selector = {{zone_key, "zb"}}; });
    const Decision decision = c.decide();
    // The node of 8 cores also has room for two pods of web.
    EXPECT_EQ(growth(decision), (Growths{{"large", 1}, {"other", 1}}));
    EXPECT_THAT(decision.unschedulable, IsEmpty());
    EXPECT_THAT(decision.notes, Not(Contains(::testing::HasSubstr("limit"))));
}

TEST(SpareNodes, DoNotIncludeNodesThatASingleOptionNeeds) {
    PassCase c;
    c.settings.one_option_per_pass = true;
    c.group("a", 0, 10);
    c.pods("web", 4, 2000);
    EXPECT_EQ(growth(c.decide()), (Growths{{"a", 2}}));
}

TEST(SpareNodes, MayBeAllNodesOfAGroupToBeCreated) {
    provisioning::GroupCreationCase c({"nap-m"});
    c.test_cluster.group("large", 0);
    NodeTemplate& node = c.test_cluster.describe("large", amounts(16000));
    node.allocatable = node.free = amounts(16000);
    c.test_cluster.pod("db").spec.requests = {{"cpu", 9000}};
    c.test_cluster.pod("web").spec.requests = {{"cpu", 3000}};
    PreferenceExpander prefers_new({"nap-m"});
    Policies policies = c.policies();
    policies.chain = {{"prefers", &prefers_new}};
    const Decision decision =
        pass::run_pass(c.snapshot(), c.memory, policies, c.settings, {.now = c.now}).decision;
    EXPECT_EQ(prefers_new.questions.at(0).options.size(), 2u);
    EXPECT_THAT(decision.creations, IsEmpty());
    EXPECT_EQ(growth(decision), (Growths{{"large", 1}}));
}

TEST(SpareNodes, AreNotPlannedForMovedPods) {
    SmallAndLarge c;
    c.pods("web", 2, 3000);
    const Snapshot snapshot = c.test_cluster.snapshot();
    const Policies policies = c.policies();
    pass::Explanation explanation =
        pass::explain_pass(snapshot, c.memory, policies, c.settings, c.call_context);
    for (PodGroupId id = 0; id < snapshot.cluster.pod_group_count(); ++id)
        EXPECT_EQ(explanation.pod(id)->because, "planned on new nodes of large");
    EXPECT_EQ(explanation.group(NodeGroupId("small"))->increase, 0);
}

}  // namespace
}  // namespace capstan::engine::scale_up
