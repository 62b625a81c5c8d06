#include "engine/scale_up/progress.hpp"

#include <climits>
#include <functional>

#include <gtest/gtest.h>

#include "../pass_case.hpp"

namespace capstan::engine::scale_up {
namespace {

/// Pods and new nodes of one template, next to an existing node in another zone.
struct EstimateCase {
    snapshot::ClusterBuilder builder{};
    std::vector<PodGroupId> pod_groups{};
    std::vector<Demand> pods{};
    scheduling::TemplateNode template_node{};

    EstimateCase(std::int64_t cpu, std::int64_t memory, std::int64_t pods_per_node) {
        snapshot::NodeObject old{.name = "old",
                                 .labels = {{hostname_key, "old"}, {zone_key, "jupiter"}}};
        old.capacity = old.allocatable = {{"cpu", 100}, {"memory", 100}, {"pods", 10}};
        builder.set(old);
        template_node.labels = {{zone_key, "mars"}};
        template_node.allocatable = {{"cpu", cpu}, {"memory", memory}, {"pods", pods_per_node}};
    }
    void add(
        int count, std::int64_t cpu, std::int64_t memory,
        const std::function<void(snapshot::PodObject&)>& change = [](snapshot::PodObject&) {}) {
        snapshot::PodObject pod{.ns = "universe", .labels = {{"app", "estimatee"}}};
        pod.spec.requests = {{"cpu", cpu}, {"memory", memory}};
        change(pod);
        pods.push_back({static_cast<PodGroupIndex>(pod_groups.size()), count});
        pod_groups.push_back(builder.add_equivalence_group(pod));
    }
    Estimate run(int max_nodes = INT_MAX) {
        scheduling::CompiledPredicates predicates(builder.build(), pod_groups, {template_node});
        scheduling::Placement placement(predicates);
        return estimate(placement, 0, pods, max_nodes);
    }
};

int schedulable(const Estimate& estimate) {
    int sum = 0;
    for (const Demand& demand : estimate.schedulable) sum += demand.count;
    return sum;
}

// The tests up to Packs51000PodsLikeUpstream have the cases of upstream's TestBinpackingEstimate
// and BenchmarkBinpackingEstimate.

TEST(Estimate, PacksByTheScarceResource) {
    EstimateCase e(350 * 3 - 50, 2000, 10);
    e.add(10, 350, 1000);
    EXPECT_EQ(e.run(), (Estimate{5, {{0, 10}}}));
}

TEST(Estimate, RespectsThePodLimitOfANode) {
    EstimateCase e(10000, 20000, 10);
    e.add(20, 10, 100);
    EXPECT_EQ(e.run(), (Estimate{2, {{0, 20}}}));
}

TEST(Estimate, PlacesPodsWithTheSamePortOnSeparateNodes) {
    EstimateCase e(1000, 5000, 10);
    e.add(8, 200, 1000, [](snapshot::PodObject& pod) { pod.spec.ports = {{.port = 5555}}; });
    EXPECT_EQ(e.run(), (Estimate{8, {{0, 8}}}));
}

TEST(Estimate, StopsAtTheMaximumOfNodes) {
    EstimateCase e(1000, 5000, 10);
    e.add(20, 500, 1000);
    EXPECT_EQ(e.run(5), (Estimate{5, {{0, 10}}}));
    EXPECT_EQ(e.run(0), (Estimate{0, {}}));
}

TEST(Estimate, PlacesTheLargestPodsFirst) {
    EstimateCase e(1000, 5000, 10);
    e.add(10, 50, 1000);
    e.add(10, 500, 1000);
    // Two large pods fill a node, so no small pod fits.
    EXPECT_EQ(e.run(5), (Estimate{5, {{1, 10}}}));
}

TEST(Estimate, SpreadsOverHostsWithinTheSkew) {
    EstimateCase e(1000, 5000, 10);
    e.add(8, 20, 100, spread_over(hostname_key, 2));
    EXPECT_EQ(e.run(), (Estimate{4, {{0, 8}}}));
}

TEST(Estimate, LimitsAZoneToTheSkew) {
    EstimateCase e(1000, 5000, 10);
    e.add(8, 20, 100, spread_over(zone_key, 2));
    EXPECT_EQ(e.run(), (Estimate{1, {{0, 2}}}));
}

TEST(Estimate, Packs51000PodsLikeUpstream) {
    EstimateCase e(1000, 5000, 100);
    e.add(50000, 50, 100);
    e.add(1000, 95, 190);
    const Estimate found = e.run(3000);
    EXPECT_EQ(found.nodes, 2595);
    EXPECT_EQ(schedulable(found), 51000);
}

TEST(Estimate, FillsNodesOfLargerPods) {
    EstimateCase e(1000, 1000, 10);
    e.add(3, 300, 300);
    e.add(3, 700, 700);
    EXPECT_EQ(e.run(), (Estimate{3, {{0, 3}, {1, 3}}}));
}

TEST(Estimate, PlacesPodsWithAffinityToSmallerPods) {
    EstimateCase e(1000, 1000, 10);
    e.add(2, 500, 500, [](snapshot::PodObject& pod) {
        pod.labels = {{"app", "large"}};
        pod.spec.pod_affinity = {{.selector = LabelSelector{.match_labels = {{"app", "small"}}},
                                  .topology_key = hostname_key}};
    });
    e.add(2, 100, 100, [](snapshot::PodObject& pod) {
        pod.labels = {{"app", "small"}};
        apart_on(hostname_key)(pod);
    });
    EXPECT_EQ(e.run(), (Estimate{2, {{0, 2}, {1, 2}}}));
}

TEST(Estimate, PlacesPodsWithoutCpuRequestsOnOvercommittedNodes) {
    EstimateCase e(100, 2000, 10);
    snapshot::PodObject daemon{.ns = "kube-system"};
    daemon.spec.requests = {{"cpu", 150}};
    e.template_node.daemons = {e.builder.add_equivalence_group(daemon)};
    e.add(2, 0, 100);
    e.add(2, 0, 50);
    EXPECT_EQ(e.run(), (Estimate{1, {{0, 2}, {1, 2}}}));
}

TEST(Estimate, AddsNoNodeForPodsThatDoNotFit) {
    EstimateCase e(1000, 1000, 10);
    e.add(5, 1001, 1);
    e.add(5, 1, 1001);
    EXPECT_EQ(e.run(), (Estimate{0, {}}));
}

TEST(Estimate, KeepsNodesInThePlacementUntilUndone) {
    EstimateCase e(1000, 1000, 10);
    e.add(15, 100, 100);
    scheduling::CompiledPredicates predicates(e.builder.build(), e.pod_groups, {e.template_node});
    scheduling::Placement placement(predicates);
    const scheduling::Placement::Mark mark = placement.mark();
    estimate(placement, 0, e.pods, INT_MAX);
    int nodes = 0;
    for (scheduling::Slot slot = 1; slot < placement.slot_count(); ++slot)
        nodes += placement.nodes(slot);
    EXPECT_EQ(nodes, 2);
    placement.undo(mark);
    EXPECT_EQ(placement.slot_count(), 1u);
}

}  // namespace
}  // namespace capstan::engine::scale_up
