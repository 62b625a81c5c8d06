#include "engine/scale_up/binpacking_estimates.hpp"

#include <climits>

#include <gtest/gtest.h>

#include "../pass_case.hpp"

namespace capstan::engine::scale_up {
namespace {

/// Template nodes of 1 to `machines` cores, and pending pods.
struct BinpackingCase {
    snapshot::ClusterBuilder builder{};
    std::vector<PodGroupId> pod_groups{};
    std::vector<int> pods{};
    std::vector<scheduling::TemplateNode> template_nodes{};

    explicit BinpackingCase(int machines) {
        for (int cores = 1; cores <= machines; ++cores) {
            template_nodes.push_back(
                {.allocatable = amounts(1000 * cores, 2048 * cores, 10 * cores)});
        }
    }
    void add(const std::string& app, int count, std::int64_t cpu, bool apart = false) {
        snapshot::PodObject pod{.labels = {{"app", app}}};
        pod.spec.requests = {{"cpu", cpu}};
        if (apart) apart_on(hostname_key)(pod);
        pod_groups.push_back(builder.add_equivalence_group(pod));
        pods.push_back(count);
    }
    scheduling::CompiledPredicates predicates() {
        return {builder.build(), pod_groups, template_nodes};
    }
    std::vector<TemplateNodeId> all() const {
        std::vector<TemplateNodeId> out(template_nodes.size());
        for (TemplateNodeId s = 0; s < out.size(); ++s) out[s] = s;
        return out;
    }
};

TEST(BinpackingEstimates, EqualAnEstimateOfEachTemplate) {
    BinpackingCase c(40);
    c.add("apart", 12, 500, true);
    c.add("web", 200, 300);
    scheduling::CompiledPredicates predicates = c.predicates();
    scheduling::Placement placement(predicates);
    BinpackingEstimates estimates(placement, {0, 1});
    estimates.begin_round(c.pods);
    estimates.prepare(c.all(), INT_MAX);
    for (const TemplateNodeId template_node : c.all()) {
        const std::vector<Demand> demands{{0, 12}, {1, 200}};
        const scheduling::Placement::Mark mark = placement.mark();
        const Estimate expected = estimate(placement, template_node, demands, INT_MAX);
        placement.undo(mark);
        const auto found = estimates.of(template_node, INT_MAX);
        EXPECT_EQ(found->nodes, expected.nodes) << template_node + 1 << " cores";
        EXPECT_EQ(found->pods, 212u);
    }
}

TEST(BinpackingEstimates, AreSharedBetweenTemplatesWithTheSameResult) {
    BinpackingCase c(40);
    c.add("apart", 12, 500, true);
    scheduling::CompiledPredicates predicates = c.predicates();
    scheduling::Placement placement(predicates);
    BinpackingEstimates estimates(placement, {0});
    estimates.begin_round(c.pods);
    estimates.prepare(c.all(), INT_MAX);
    EXPECT_EQ(estimates.of(1, INT_MAX), estimates.of(38, INT_MAX));
}

TEST(BinpackingEstimates, AreRecomputedOnlyForChangedPods) {
    BinpackingCase c(2);
    c.add("large", 3, 1500);
    c.add("small", 3, 800);
    scheduling::CompiledPredicates predicates = c.predicates();
    scheduling::Placement placement(predicates);
    BinpackingEstimates estimates(placement, {0, 1});
    estimates.begin_round({3, 3});
    const auto one_core = estimates.of(0, INT_MAX), two_cores = estimates.of(1, INT_MAX);
    estimates.begin_round({1, 3});  // large pods do not fit on one core
    EXPECT_EQ(estimates.of(0, INT_MAX), one_core);
    EXPECT_NE(estimates.of(1, INT_MAX), two_cores);
    EXPECT_EQ(estimates.of(1, INT_MAX)->pods, 4u);
}

TEST(BinpackingEstimates, SumTheRequestsOfTheirPods) {
    BinpackingCase c(4);
    c.add("web", 3, 700);
    scheduling::CompiledPredicates predicates = c.predicates();
    scheduling::Placement placement(predicates);
    BinpackingEstimates estimates(placement, {0});
    estimates.begin_round(c.pods);
    EXPECT_EQ(estimates.of(3, INT_MAX)->requested, (Resources{{"cpu", 2100}}));
    EXPECT_EQ(estimates.of(3, 0)->requested, Resources());
}

TEST(BinpackingEstimates, SaturateSumsOfRequests) {
    snapshot::ClusterBuilder builder;
    snapshot::PodObject pod;
    pod.spec.requests = {{"memory", INT64_MAX / 2 + 1}};
    const PodGroupId of_pod = builder.add_equivalence_group(pod);
    scheduling::TemplateNode template_node;
    template_node.allocatable = {{"memory", INT64_MAX}, {"pods", 110}};
    scheduling::CompiledPredicates predicates(builder.build(), {of_pod}, {template_node});
    scheduling::Placement placement(predicates);
    BinpackingEstimates estimates(placement, {0});
    estimates.begin_round({4});
    EXPECT_EQ(estimates.of(0, INT_MAX)->nodes, 4);
    EXPECT_EQ(estimates.of(0, INT_MAX)->requested, (Resources{{"memory", INT64_MAX}}));
}

}  // namespace
}  // namespace capstan::engine::scale_up
