#include "engine/scheduling/compiled_predicates.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "scheduling_cluster.hpp"

namespace capstan::engine::scheduling {
namespace {

TEST(EquivalentTemplates, IgnoreLabelsThatNoPodReads) {
    SchedulingCluster cluster;
    cluster.pod_group({.cpu = 100, .spec = {.node_selector = {{"disk", "ssd"}}}});
    cluster.template_node({.labels = {{"disk", "ssd"}, {"pool", "a"}}});
    cluster.template_node({.labels = {{"disk", "ssd"}, {"pool", "b"}, {hostname_key, "x"}}});
    cluster.template_node({.labels = {{"disk", "hdd"}, {"pool", "a"}}});
    cluster.template_node({.labels = {{"pool", "b"}}});
    cluster.template_node({.cpu = 2, .labels = {{"disk", "ssd"}}});
    cluster.template_node({.labels = {{"disk", "ssd"}}, .taints = {{.key = "spot"}}});
    cluster.template_node({.labels = {{"disk", "ssd"}},
                           .taints = {{.key = "spot", .effect = Effect::prefer_no_schedule}}});
    CompiledPredicates predicates = cluster.predicates();
    std::vector<TemplateNodeId> equivalent;
    for (TemplateNodeId template_node = 0; template_node < predicates.template_nodes().size();
         ++template_node)
        equivalent.push_back(predicates.equivalent(template_node));
    EXPECT_EQ(equivalent, (std::vector<TemplateNodeId>{0, 0, 2, 3, 4, 5, 0}));
}

TEST(EquivalentTemplates, DependOnTheZoneIfAPodIsSpread) {
    for (const bool spread : {false, true}) {
        SchedulingCluster cluster;
        TestPod pod{.labels = {{"app", "web"}}};
        if (spread) pod.spec.spread = {over(zone_key, app("web"))};
        cluster.pod_group(pod);
        cluster.template_node({.labels = {{zone_key, "1"}}});
        cluster.template_node({.labels = {{zone_key, "2"}}});
        EXPECT_EQ(cluster.predicates().equivalent(1), spread ? 1u : 0u);
    }
}

TEST(CompiledPredicates, IncludeTheResourcePodsInRequests) {
    SchedulingCluster cluster;
    snapshot::PodSpec gpu;
    gpu.requests.set("nvidia.com/gpu", 2);
    const auto web = cluster.pod_group({.cpu = 100, .memory = 200, .spec = gpu});
    CompiledPredicates predicates = cluster.predicates();
    const auto gpus = *predicates.cluster().find_resource("nvidia.com/gpu");
    const auto requests = predicates.requests(web);
    EXPECT_EQ(std::vector<snapshot::Request>(requests.begin(), requests.end()),
              (std::vector<snapshot::Request>{{snapshot::cpu_index, 100},
                                              {snapshot::memory_index, 200},
                                              {snapshot::pods_index, 1},
                                              {gpus, 2}}));
}

TEST(CompiledPredicates, ReportTheFirstFailedPredicate) {
    SchedulingCluster cluster;
    cluster.node("a", {.cpu = 1, .taints = {{.key = "dedicated"}}});
    const auto selective =
        cluster.pod_group({.cpu = 10, .spec = {.node_selector = {{"disk", "ssd"}}}});
    const auto tolerant = cluster.pod_group(
        {.cpu = 10,
         .spec = {.node_selector = {{"disk", "ssd"}}, .tolerations = {{.key = "dedicated"}}}});
    const auto claims = cluster.pod_group(
        {.spec = {.tolerations = {{.key = "dedicated"}}, .uses_resource_claims = true}});
    CompiledPredicates predicates = cluster.predicates();
    const Placement placement(predicates);
    EXPECT_EQ(placement.why_not(selective, 0).predicate, Predicate::taint_toleration);
    EXPECT_EQ(placement.why_not(tolerant, 0).predicate, Predicate::node_affinity);
    EXPECT_EQ(placement.why_not(claims, 0).predicate, Predicate::dynamic_resources);
    EXPECT_EQ(placement.room(claims, 0, 1), (Room{0, 0}));
}

TEST(CompiledPredicates, SupportAffinityToANodeName) {
    SchedulingCluster cluster;
    cluster.node("a", {});
    cluster.node("b", {});
    snapshot::PodSpec spec;
    spec.affinity_required = {
        {.fields = {{.key = "metadata.name", .op = Operator::in, .values = {"b"}}}}};
    const auto pinned = cluster.pod_group({.spec = spec});
    const auto by_host = cluster.pod_group({.spec = {.node_selector = {{hostname_key, "a"}}}});
    const auto template_node = cluster.template_node({.labels = {{hostname_key, "a"}}});
    CompiledPredicates predicates = cluster.predicates();
    const Placement placement(predicates);
    EXPECT_EQ(placement.find(pinned, 0, 2), 1u);
    EXPECT_EQ(placement.find(by_host, 0, 2), 0u);
    EXPECT_EQ(placement.find(by_host, 1, 2), std::nullopt);
    EXPECT_EQ(placement.why_not_new(pinned, template_node).predicate, Predicate::node_affinity);
    EXPECT_EQ(placement.why_not_new(by_host, template_node).predicate, Predicate::node_affinity);
}

}  // namespace
}  // namespace capstan::engine::scheduling
