// Balancing an increase over similar groups: the examples of the proposal, and limits.
#include <gmock/gmock.h>

#include "../pass_case.hpp"

namespace capstan::engine::scale_up {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Groups a, b and c with 1, 3 and 6 nodes, each in its own zone.
PassCase one_three_six() {
    PassCase c;
    c.group("a", 1, 10, amounts(4000), "za");
    c.group("b", 3, 10, amounts(4000), "zb");
    c.group("c", 6, 10, amounts(4000), "zc");
    return c;
}

TEST(ShareOut, GivesOneNodeToTheSmallestGroup) {
    PassCase c = one_three_six();
    c.pods("web", 1, 3000);
    EXPECT_EQ(growth(c.decide()), (Growths{{"a", 1}}));
}

TEST(ShareOut, GivesThreeNodesToTheSmallestGroupAndOneToTheNext) {
    PassCase c = one_three_six();
    c.pods("web", 4, 3000);
    const Decision decision = c.decide();
    EXPECT_EQ(growth(decision), (Growths{{"a", 3}, {"b", 1}}));
    EXPECT_EQ(decision.increases[0].because, "smallest of 3 similar groups, makes room for 3 pods");
    EXPECT_EQ(decision.increases[1].because, "one of 3 similar groups, makes room for 1 pod");
    EXPECT_EQ(decision.increases[0].from, 1);
    EXPECT_EQ(decision.increases[0].cloud, PluginInstanceId("cloud"));
}

TEST(ShareOut, ReportsTheChosenAndTheSimilarGroups) {
    PassCase c = one_three_six();
    c.expander = PreferenceExpander({"b"});
    c.pods("web", 4, 3000);
    const Decision decision = c.decide();
    ASSERT_EQ(decision.options.size(), 1u);
    const ChosenOption& chosen = decision.options[0];
    EXPECT_EQ(chosen.group, NodeGroupId("b"));
    EXPECT_EQ(chosen.nodes, 4);
    EXPECT_EQ(chosen.granted, 4);
    EXPECT_EQ(chosen.considered, 3u);
    EXPECT_THAT(chosen.similar, ElementsAre(NodeGroupId("a")));
    EXPECT_THAT(c.expander.questions[0].options[0].similar,
                ElementsAre(NodeGroupId("b"), NodeGroupId("c")));
}

TEST(ShareOut, FollowsTheExpanderIfBalancingIsDisabled) {
    PassCase c = one_three_six();
    c.settings.balance_similar = false;
    c.expander = PreferenceExpander({"c"});
    c.pods("web", 4, 3000);
    EXPECT_EQ(growth(c.decide()), (Growths{{"c", 4}}));
    EXPECT_EQ(c.check.compared, 0);
}

TEST(ShareOut, ComparesGroupsOncePerPassAndOnlyWithAnOption) {
    PassCase c = one_three_six();
    c.decide();
    EXPECT_EQ(c.check.compared, 0);
    c.pods("web", 4, 3000);
    c.pods("db", 4, 3100);
    c.decide();
    EXPECT_EQ(c.check.compared, 3);
}

TEST(ShareOut, ComparesFullGroupsOnlyWithTheChosenGroup) {
    PassCase c = one_three_six();
    for (const char* full : {"d", "e", "f"}) c.group(full, 6, 6);
    c.pods("web", 4, 3000);
    const Decision decision = c.decide();
    EXPECT_EQ(growth(decision), (Growths{{"a", 3}, {"b", 1}}));
    // Each pair of the three groups that can grow, and the chosen group with the other three.
    EXPECT_EQ(c.check.compared, 3 + 3);
}

TEST(ShareOut, RespectsUnequalMaxima) {
    PassCase c;
    c.group("a", 1, 2);
    c.group("b", 3, 4);
    c.group("c", 6, 20);
    c.pods("web", 5, 3000);
    EXPECT_EQ(growth(c.decide()), (Growths{{"a", 1}, {"b", 1}, {"c", 3}}));
}

TEST(ShareOut, GivesNodesBeyondTheMaximumOfAGroupToSimilarGroups) {
    PassCase c;
    c.group("a", 1, 2);
    c.group("b", 1, 10);
    c.expander = PreferenceExpander({"a"});
    c.pods("web", 5, 3000);
    const Decision decision = c.decide();
    EXPECT_EQ(decision.options[0].group, NodeGroupId("a"));
    EXPECT_EQ(decision.options[0].nodes, 5);
    EXPECT_EQ(growth(decision), (Growths{{"a", 1}, {"b", 4}}));
}

TEST(ShareOut, ExcludesAGroupThatAPodDoesNotFit) {
    PassCase c = one_three_six();
    c.expander = PreferenceExpander({"c"});
    c.pods("web", 4, 3000,
           [](snapshot::PodObject& pod) { pod.spec.node_selector = {{zone_key, "zc"}}; });
    c.pods("any", 1, 900);
    const Decision decision = c.decide();
    EXPECT_EQ(growth(decision), (Growths{{"c", 4}}));
    EXPECT_THAT(decision.options[0].left_out, ElementsAre(HasSubstr("a: pod default/web-0: "),
                                                          HasSubstr("b: pod default/web-0")));
}

TEST(ShareOut, NamesAtMostFiftyExcludedGroups) {
    PassCase c;
    for (int g = 100; g < 161; ++g) c.group("g" + std::to_string(g), 0, g == 100 ? 10 : 0);
    c.pods("web", 1, 3000);
    const Decision decision = c.decide();
    ASSERT_EQ(decision.options.size(), 1u);
    const std::vector<std::string>& left_out = decision.options[0].left_out;
    ASSERT_EQ(left_out.size(), 51u);
    EXPECT_EQ(left_out[0], "g101: max node group size reached (0)");
    EXPECT_EQ(left_out[50], "and 10 more");
}

/// Empty groups a, b and c, each in its own zone.
PassCase three_empty() {
    PassCase c;
    for (const std::string id : {"a", "b", "c"}) c.group(id, 0, 10, amounts(4000), "z" + id);
    return c;
}
/// Pods of one zone that are scheduled before the others.
auto pinned_to(const std::string& zone) {
    return [=](snapshot::PodObject& pod) {
        pod.spec.node_selector = {{zone_key, zone}};
        pod.created -= 1min;
    };
}
auto young_and_pinned_to(const std::string& zone) {
    return [=](snapshot::PodObject& pod) { pod.spec.node_selector = {{zone_key, zone}}; };
}

TEST(ShareOut, SharesTheNodesThatPinnedPodsDoNotNeed) {
    for (const char* preferred : {"a", "b", "c"}) {
        PassCase c = three_empty();
        c.expander = PreferenceExpander({preferred});
        c.pods("web", 8, 3000);
        c.pods("pinned", 1, 3000, pinned_to("za"));
        const Decision decision = c.decide();
        EXPECT_EQ(growth(decision), (Growths{{"a", 3}, {"b", 3}, {"c", 3}})) << preferred;
        EXPECT_EQ(count_unschedulable(decision), 0);
    }
}

TEST(ShareOut, GivesAllNodesToOneGroupIfOtherPodsCouldTakeThoseOfPinnedPods) {
    for (const char* preferred : {"a", "b", "c"}) {
        PassCase c = three_empty();
        c.expander = PreferenceExpander({preferred});
        c.pods("web", 8, 3000);
        c.pods("pinned", 1, 3000, young_and_pinned_to("za"));
        EXPECT_EQ(growth(c.decide()), (Growths{{"a", 9}})) << preferred;
    }
    PassCase c = three_empty();
    c.expander = PreferenceExpander({"c"});
    c.pods("web", 8, 3000);
    c.pods("pinned", 1, 3000, [](snapshot::PodObject& pod) {
        young_and_pinned_to("za")(pod);
        pod.spec.priority = 10;
    });
    EXPECT_EQ(growth(c.decide()), (Growths{{"a", 3}, {"b", 3}, {"c", 3}}))
        << "the pinned pod is scheduled first";
}

TEST(ShareOut, SharesTheRestIfPodsArePinnedToSeveralGroups) {
    for (const char* preferred : {"a", "b", "c"}) {
        PassCase c = three_empty();
        c.expander = PreferenceExpander({preferred});
        c.pods("web", 8, 3000);
        c.pods("to-a", 1, 3000, pinned_to("za"));
        c.pods("to-b", 3, 3000, pinned_to("zb"));
        EXPECT_EQ(growth(c.decide()), (Growths{{"a", 4}, {"b", 4}, {"c", 4}})) << preferred;
    }
}

TEST(ShareOut, FillsTheNodesOfPinnedPodsFirst) {
    PassCase c = three_empty();
    c.expander = PreferenceExpander({"b"});
    c.pods("web", 7, 1000);
    c.pods("pinned", 1, 1000, pinned_to("za"));
    EXPECT_EQ(growth(c.decide()), (Growths{{"a", 1}, {"b", 1}})) << "eight pods, four per node";
}

TEST(ShareOut, AddsNoExtraNodeForPinnedPods) {
    // 3+1, 3+1 and 2+2 fill three nodes; with both pinned pods on one node, four would be needed.
    PassCase c = three_empty();
    c.expander = PreferenceExpander({"a"});
    c.pods("large", 2, 3000);
    c.pods("middle", 2, 2000);
    c.pods("pinned", 2, 1000, pinned_to("za"));
    const Decision decision = c.decide();
    int nodes = 0;
    for (const auto& [group, by] : growth(decision)) nodes += by;
    EXPECT_EQ(nodes, 3);
    EXPECT_EQ(count_unschedulable(decision), 0);
}

TEST(ShareOut, RespectsMaximaAndLimitsWithPinnedPods) {
    PassCase c;
    c.group("a", 0, 2, amounts(4000), "za");
    c.group("b", 0, 2, amounts(4000), "zb");
    c.group("c", 0, 10, amounts(4000), "zc");
    c.expander = PreferenceExpander({"b"});
    c.pods("web", 8, 3000);
    c.pods("pinned", 1, 3000, pinned_to("za"));
    EXPECT_EQ(growth(c.decide()), (Growths{{"a", 2}, {"b", 2}, {"c", 5}}));
    c.settings.cpu.max = 12000;
    const Decision decision = c.decide();
    EXPECT_EQ(count_unschedulable(decision), 6);
}

TEST(ShareOut, LeavesPinnedPodsToAPreferredGroup) {
    PassCase c = three_empty();
    NodeTemplate& own =
        c.test_cluster.describe((c.group("own", 0, 10, amounts(8000), "za"), "own"), amounts(8000));
    own.labels[zone_key] = "za";
    own.taints = {{.key = "own", .value = "", .effect = Effect::no_schedule}};
    c.expander = PreferenceExpander({"own", "b"});
    c.pods("web", 6, 3000);
    c.pods("pinned", 1, 3000, [](snapshot::PodObject& pod) {
        pod.spec.node_selector = {{zone_key, "za"}};
        pod.spec.tolerations = {{.key = "own", .op = Toleration::Op::exists}};
    });
    EXPECT_EQ(growth(c.decide()), (Growths{{"a", 2}, {"b", 2}, {"c", 2}, {"own", 1}}));
}

TEST(ShareOut, ExcludesAZoneForbiddenByAntiAffinity) {
    PassCase c = one_three_six();
    snapshot::PodObject& running = c.test_cluster.pod("web-running", "a-node-0");
    running.labels = {{"app", "web"}};
    running.spec.requests = {};
    c.pods("web", 1, 3000, apart_on(zone_key));
    const Decision decision = c.decide();
    EXPECT_EQ(growth(decision), (Growths{{"b", 1}}));
    EXPECT_EQ(decision.increases[0].because, "smallest of 2 similar groups, makes room for 1 pod");
}

/// Prices and labels of two groups of equal machines, and whether nodes are shared.
struct PricedPair {
    const char* title;
    std::optional<double> a, b;
    Labels a_labels, b_labels;
    bool is_shared;
    const char* left_out = "";
};

PassCase priced_case(const PricedPair& pair) {
    PassCase c;
    c.group("a", 0, 10).price_per_hour = pair.a;
    c.group("b", 0, 10).price_per_hour = pair.b;
    for (const auto& [key, value] : pair.a_labels)
        c.test_cluster.describe("a", amounts(4000)).labels[key] = value;
    for (const auto& [key, value] : pair.b_labels)
        c.test_cluster.describe("b", amounts(4000)).labels[key] = value;
    c.expander = PreferenceExpander({"a"});
    c.pods("web", 4, 3000);
    return c;
}

const std::vector<PricedPair>& priced_pairs() {
    static const Labels spot{{"lifecycle", "spot"}}, normal{{"lifecycle", "normal"}};
    static const std::vector<PricedPair> all{
        {"equal prices", 0.4, 0.4, {}, {}, true},
        {"2%", 0.98, 1.0, {}, {}, true},
        {"2%, reversed", 1.0, 0.98, {}, {}, true},
        {"more than 2%",
         0.12,
         0.4,
         {},
         {},
         false,
         "b: its nodes cost 0.4 per hour, those of a 0.12; scale_up.balance_across_prices is off"},
        {"a little more than 2%", 0.979, 1.0, {}, {}, false, "b: its nodes cost 1 per hour"},
        {"both free", 0.0, 0.0, {}, {}, true},
        {"one free", 0.0, 0.01, {}, {}, false, "b: its nodes cost 0.01 per hour"},
        {"one price is unknown", 0.4, std::nullopt, {}, {}, true},
        {"no price is known", std::nullopt, std::nullopt, {}, {}, true},
        {"both are spot", 0.12, 0.12, spot, spot, true},
        {"the other is spot", std::nullopt, std::nullopt, normal, spot, false,
         "b: its nodes are spot, those of a are not; scale_up.balance_across_prices is off"},
        {"the other is not spot", 0.12, 0.12, spot, normal, false,
         "b: its nodes are not spot, those of a are"},
        {"spot by Karpenter's label",
         std::nullopt,
         std::nullopt,
         {{"karpenter.sh/capacity-type", "on-demand"}},
         {{"karpenter.sh/capacity-type", "spot"}},
         false,
         "b: its nodes are spot"}};
    return all;
}

TEST(ShareOut, ExcludesGroupsOfAnotherPriceOrCapacityType) {
    for (const PricedPair& pair : priced_pairs()) {
        SCOPED_TRACE(pair.title);
        const Decision decision = priced_case(pair).decide();
        EXPECT_EQ(growth(decision),
                  pair.is_shared ? (Growths{{"a", 2}, {"b", 2}}) : (Growths{{"a", 4}}));
        ASSERT_EQ(decision.options.size(), 1u);
        if (pair.is_shared) {
            EXPECT_THAT(decision.options[0].left_out, ::testing::IsEmpty());
        } else {
            EXPECT_THAT(decision.options[0].left_out, ElementsAre(HasSubstr(pair.left_out)));
        }
    }
}

TEST(ShareOut, IgnoresPricesIfConfigured) {
    for (const PricedPair& pair : priced_pairs()) {
        SCOPED_TRACE(pair.title);
        PassCase c = priced_case(pair);
        c.settings.balance_across_prices = true;
        EXPECT_EQ(growth(c.decide()), (Growths{{"a", 2}, {"b", 2}}));
    }
}

TEST(ShareOut, GrowsAnExpensiveGroupWhenTheCheapOneIsFull) {
    PassCase c;
    c.group("cheap", 0, 3).price_per_hour = 0.1;
    c.group("dear", 0, 10).price_per_hour = 0.2;
    c.expander = PreferenceExpander({"cheap"});
    c.pods("web", 4, 3000);
    EXPECT_EQ(growth(c.decide()), (Growths{{"cheap", 3}, {"dear", 1}}));
}

TEST(ShareOut, NamesFullSimilarGroups) {
    PassCase c;
    c.group("a", 1, 10);
    c.group("b", 1, 1);
    c.pods("web", 2, 3000);
    EXPECT_THAT(c.decide().options[0].left_out, ElementsAre("b: max node group size reached (1)"));
}

TEST(ShareOut, ExplainsExclusionByAPodThatALimitTookOutOfTheOption) {
    PassCase c;
    c.group("a", 0, 1, amounts(4000), "za");
    c.group("b", 0, 10, amounts(4000), "zb");
    c.expander = PreferenceExpander({"a"});
    c.pods("big", 1, 3500);
    c.pods("zonal", 1, 3000,
           [](snapshot::PodObject& pod) { pod.spec.node_selector = {{zone_key, "za"}}; });
    EXPECT_THAT(c.decide().options[0].left_out,
                ElementsAre("b: does not fit a pod that limits took out of the option"));
}

TEST(ShareOut, AppliesClusterLimitsBeforeTheSplit) {
    PassCase c;
    c.group("a", 0, 10);
    c.group("b", 0, 10);
    c.settings.cpu.max = 12000;
    c.pods("web", 10, 3000);
    const Decision decision = c.decide();
    EXPECT_THAT(c.splitter.splits, ElementsAre(3));
    EXPECT_EQ(growth(decision), (Growths{{"a", 2}, {"b", 1}}));
    EXPECT_THAT(
        decision.notes,
        ElementsAre("a, b: max cluster cpu limit reached: 12 of 12 used, a new node needs 4"));
}

/// All templates are similar.
class AlwaysSimilar : public SameCapacity {
public:
    Result<Similarity> similar(const NodeTemplate&, const NodeTemplate&,
                               const CallContext&) override {
        return decided("always similar");
    }
};

TEST(ShareOut, RedistributesNodesThatAGroupCannotAdd) {
    PassCase c;
    c.group("a", 0, 10, amounts(4000));
    Resources with_gpu = amounts(4000);
    with_gpu.set("nvidia.com/gpu", 1);
    c.group("b", 0, 10, with_gpu);
    c.settings.gpu_types["nvidia.com/gpu"].max = 1;
    c.expander = PreferenceExpander({"a"});
    c.pods("web", 6, 3000);
    AlwaysSimilar similar;
    Policies policies = c.policies();
    policies.similarity = {{"always", &similar}};
    const Decision decision =
        pass::run_pass(c.test_cluster.snapshot(), {}, policies, c.settings, c.call_context)
            .decision;
    EXPECT_EQ(growth(decision), (Growths{{"a", 5}, {"b", 1}}));
    EXPECT_EQ(count_unschedulable(decision), 0);
}

class BrokenSplitter : public Splitter {
public:
    Result<std::vector<int>> split(int nodes, std::span<const NodeGroup> groups,
                                   const CallContext&) override {
        if (fails) return fail(ErrorCode::deadline, "took longer than 1s");
        return std::vector<int>(groups.size(), nodes);
    }
    bool fails = true;
};

TEST(ShareOut, GivesAllNodesToTheChosenGroupIfTheSplitterFails) {
    PassCase c = one_three_six();
    c.expander = PreferenceExpander({"c"});
    c.pods("web", 4, 3000);
    BrokenSplitter broken;
    Policies policies = c.policies();
    policies.splitter = &broken;
    for (const bool fails : {true, false}) {
        broken.fails = fails;
        const Decision decision =
            pass::run_pass(c.test_cluster.snapshot(), {}, policies, c.settings, c.call_context)
                .decision;
        EXPECT_EQ(growth(decision), (Growths{{"c", 4}}));
        EXPECT_THAT(decision.notes, ElementsAre(HasSubstr("splitter: ")));
    }
}

TEST(ShareOut, PassesAMaximumForUnlimitedGroupsToTheSplitter) {
    PassCase c;
    c.group("a", 2, std::nullopt);
    c.group("b", 0, std::nullopt);
    c.pods("web", 4, 3000);
    EXPECT_EQ(growth(c.decide()), (Growths{{"a", 1}, {"b", 3}}));
}

TEST(ShareOut, ExcludesZeroOrMaxGroups) {
    PassCase c;
    c.group("a", 0, 10);
    c.group("whole", 0, 5).options.zero_or_max = true;
    c.expander = PreferenceExpander({"a"});
    c.pods("web", 4, 3000);
    EXPECT_EQ(growth(c.decide()), (Growths{{"a", 4}}));
}

}  // namespace
}  // namespace capstan::engine::scale_up
