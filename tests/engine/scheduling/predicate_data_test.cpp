#include "engine/scheduling/predicate_data.hpp"

#include <gmock/gmock.h>

#include "scheduling_cluster.hpp"

namespace capstan::engine::scheduling {
namespace {

using ::testing::ElementsAre;

/// Pod groups 0 and 1 differ only in their labels; 2 and 4 have spread constraints of their own; 3
/// requests more cpu; 5 requires another disk.
CompiledPredicates make_predicates(SchedulingCluster& cluster) {
    const auto spread = [](const char* name) {
        return TestPod{
            .cpu = 100, .labels = {{"app", name}}, .spec = {.spread = {over(zone_key, app(name))}}};
    };
    cluster.node("n", {.labels = {{zone_key, "1"}, {"disk", "ssd"}}});
    cluster.pod_group({.cpu = 100, .labels = {{"app", "a"}}});
    cluster.pod_group({.cpu = 100, .labels = {{"app", "b"}}});
    cluster.pod_group(spread("c"));
    cluster.pod_group({.cpu = 200});
    cluster.pod_group(spread("d"));
    cluster.pod_group({.cpu = 100, .spec = {.node_selector = {{"disk", "hdd"}}}});
    return cluster.predicates();
}

TEST(EquivalentPods, HaveEqualRequestsAndNoInterPodConstraints) {
    SchedulingCluster cluster;
    EXPECT_THAT(find_equivalent_pods(make_predicates(cluster)), ElementsAre(0, 0, 2, 3, 4, 5));
}

TEST(EquivalentPods, MayDifferInInterPodConstraintsOnOneNode) {
    SchedulingCluster cluster;
    EXPECT_THAT(find_equivalent(make_predicates(cluster)), ElementsAre(0, 0, 0, 3, 0, 5));
}

TEST(EquivalentPods, AreEmptyWithoutPods) {
    SchedulingCluster cluster;
    cluster.node("n", {});
    EXPECT_TRUE(find_equivalent(cluster.predicates()).empty());
}

}  // namespace
}  // namespace capstan::engine::scheduling
