#include <capstan/well_known.hpp>

#include "observed_pass.hpp"

namespace capstan::autoscaler::pass_metrics {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct ChoiceMetricsTest : ObservedPass {
    ChoiceMetricsTest() : ObservedPass(&make_choice_metrics) {}

    engine::PodCount pods_of(const std::string& ns, const std::string& app) {
        return {.equivalence_group =
                    builder.add_equivalence_group({.ns = ns, .labels = {{"app", app}}}),
                .count = 2};
    }
    /// The exposition after a scale-up of the group for one kind of pods.
    std::string choose(const NodeGroupId& group) {
        decision.options = {{.group = group, .pods = {pods_of("shop", "web")}}};
        return pass();
    }
};

TEST_F(ChoiceMetricsTest, CombineNumbersOfNamespacesAsUpstreamDoes) {
    struct Case {
        int namespaces;
        const char* series;  // with the sum of the kinds of pods so far
    };
    for (const auto& [namespaces, series] :
         {Case{0, "namespace_count=\"0\"} 0\n"}, Case{1, "namespace_count=\"1\"} 1\n"},
          Case{5, "namespace_count=\"5\"} 5\n"}, Case{6, "namespace_count=\"6-10\"} 6\n"},
          Case{10, "namespace_count=\"6-10\"} 16\n"}, Case{11, "namespace_count=\"11+\"} 11\n"}}) {
        engine::ChosenOption option{.group = group_a};
        for (int i = 0; i < namespaces; ++i)
            option.pods.push_back(pods_of("shop-" + std::to_string(i), "web"));
        decision.options = {option};
        EXPECT_THAT(pass(),
                    HasSubstr("binpacking_heterogeneity_sum{cpu_count=\"4\",instance_type=\"\"," +
                              std::string(series)));
    }
}

TEST_F(ChoiceMetricsTest, CountANamespaceOnceHoweverManyKindsOfPodsItHas) {
    decision.options = {
        {.group = group_a, .pods = {pods_of("shop", "web"), pods_of("shop", "db")}}};
    EXPECT_THAT(pass(), HasSubstr("heterogeneity_sum{cpu_count=\"4\",instance_type=\"\","
                                  "namespace_count=\"1\"} 2\n"));
}

TEST_F(ChoiceMetricsTest, NameTheInstanceTypeOfTheTemplateFirst) {
    const std::string type_label(well_known::instance_type_label);
    EXPECT_THAT(choose(group_a), HasSubstr("_count{cpu_count=\"4\",instance_type=\"\","))
        << "the nodes have no label";
    set_node({.name = "n1", .labels = {{type_label, "m5.xlarge"}}});
    EXPECT_THAT(choose(group_a), HasSubstr("_count{cpu_count=\"4\",instance_type=\"m5.xlarge\","));
    groups.front().described = std::make_shared<const NodeTemplate>(
        NodeTemplate{.labels = {{type_label, "m5.large"}}, .capacity = {{"cpu", 1930}}});
    EXPECT_THAT(choose(group_a),
                HasSubstr("_count{cpu_count=\"1930m\",instance_type=\"m5.large\","));
}

TEST_F(ChoiceMetricsTest, KnowNoInstanceTypeOfAGroupWithoutTemplateAndNodes) {
    groups.push_back({.group = {.id = NodeGroupId("empty")}});
    EXPECT_THAT(choose(NodeGroupId("empty")),
                HasSubstr("_count{cpu_count=\"\",instance_type=\"\",namespace_count=\"1\"} 1\n"));
    EXPECT_THAT(choose(NodeGroupId("gone")),
                HasSubstr("_count{cpu_count=\"\",instance_type=\"\",namespace_count=\"1\"} 2\n"));
}

TEST_F(ChoiceMetricsTest, CountGroupsThatCloudsHaveMadeAndDeleted) {
    const Error refused{ErrorCode::quota, "no more groups"};
    decision.creations = {{.group = NodeGroupId("made")},
                          {.group = NodeGroupId("refused")},
                          {.group = NodeGroupId("also-made")}};
    results.creations = {std::nullopt, refused, std::nullopt};
    decision.deletions = {{.group = NodeGroupId("kept")}, {.group = NodeGroupId("deleted")}};
    results.deletions = {refused, std::nullopt};
    EXPECT_THAT(pass(), AllOf(HasSubstr("created_node_groups_total{group_type=\"\"} 2\n"),
                              HasSubstr("deleted_node_groups_total{group_type=\"\"} 1\n")));
    decision.creations = {{.group = NodeGroupId("dry-run")}};
    EXPECT_THAT(pass(), HasSubstr("created_node_groups_total{group_type=\"\"} 2\n"))
        << "no result: no cloud was asked";
}

TEST_F(ChoiceMetricsTest, CountGroupsThatCloudsMakeOrDeleteAfterThePass) {
    decision.creations = {{.group = NodeGroupId("made")}};
    results.creations = {std::nullopt};
    decision.deletions = {{.group = NodeGroupId("deleted")}};
    results.deletions = {std::nullopt};
    late_results();
    EXPECT_THAT(pass(), AllOf(HasSubstr("created_node_groups_total{group_type=\"\"} 1\n"),
                              HasSubstr("deleted_node_groups_total{group_type=\"\"} 1\n")));
}

TEST_F(ChoiceMetricsTest, HaveTheirSeriesBeforeTheFirstLimitIsReached) {
    EXPECT_THAT(
        pass(),
        AllOf(HasSubstr("events_count{direction=\"up\",reason=\"CpuResourceLimit\"} 0\n"),
              HasSubstr("events_count{direction=\"up\",reason=\"MemoryResourceLimit\"} 0\n"),
              HasSubstr("events_count{direction=\"down\",reason=\"CpuResourceLimit\"} 0\n"),
              HasSubstr("events_count{direction=\"down\",reason=\"MemoryResourceLimit\"} 0\n"),
              HasSubstr("created_node_groups_total{group_type=\"\"} 0\n"),
              HasSubstr("deleted_node_groups_total{group_type=\"\"} 0\n")));
}

}  // namespace
}  // namespace capstan::autoscaler::pass_metrics
