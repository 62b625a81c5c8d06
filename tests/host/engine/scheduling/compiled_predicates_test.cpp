#include "engine/scheduling/compiled_predicates.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "scheduling_cluster.hpp"

namespace capstan::engine::scheduling {
namespace {

TEST(EquivalentTemplates, IgnoreLabelsThatNoPodReads) {
    World world;
    world.pod_group({.cpu = 100, .spec = {.node_selector = {{"disk", "ssd"}}}});
    world.shape({.labels = {{"disk", "ssd"}, {"pool", "a"}}});
    world.shape({.labels = {{"disk", "ssd"}, {"pool", "b"}, {hostname_key, "x"}}});
    world.shape({.labels = {{"disk", "hdd"}, {"pool", "a"}}});
    world.shape({.labels = {{"pool", "b"}}});
    world.shape({.cpu = 2, .labels = {{"disk", "ssd"}}});
    world.shape({.labels = {{"disk", "ssd"}}, .taints = {{.key = "spot"}}});
    world.shape({.labels = {{"disk", "ssd"}},
                 .taints = {{.key = "spot", .effect = Effect::prefer_no_schedule}}});
    CompiledPredicates rules = world.rules();
    std::vector<TemplateNodeId> equivalent;
    for (TemplateNodeId shape = 0; shape < rules.shapes().size(); ++shape)
        equivalent.push_back(rules.equivalent(shape));
    EXPECT_EQ(equivalent, (std::vector<TemplateNodeId>{0, 0, 2, 3, 4, 5, 0}));
}

TEST(EquivalentTemplates, DependOnTheZoneIfAPodIsSpread) {
    for (const bool spread : {false, true}) {
        World world;
        TestPod pod{.labels = {{"app", "web"}}};
        if (spread) pod.spec.spread = {over(zone_key, app("web"))};
        world.pod_group(pod);
        world.shape({.labels = {{zone_key, "1"}}});
        world.shape({.labels = {{zone_key, "2"}}});
        EXPECT_EQ(world.rules().equivalent(1), spread ? 1u : 0u);
    }
}

TEST(CompiledPredicates, IncludeThePodInItsRequests) {
    World world;
    snapshot::PodSpec gpu;
    gpu.requests.set("nvidia.com/gpu", 2);
    const auto web = world.pod_group({.cpu = 100, .memory = 200, .spec = gpu});
    CompiledPredicates rules = world.rules();
    const auto gpus = *rules.cluster().find_resource("nvidia.com/gpu");
    const auto requests = rules.requests(web);
    EXPECT_EQ(std::vector<snapshot::Request>(requests.begin(), requests.end()),
              (std::vector<snapshot::Request>{{snapshot::cpu_index, 100},
                                              {snapshot::memory_index, 200},
                                              {snapshot::pods_index, 1},
                                              {gpus, 2}}));
}

TEST(CompiledPredicates, ReportTheFirstFailedPredicate) {
    World world;
    world.node("a", {.cpu = 1, .taints = {{.key = "dedicated"}}});
    const auto picky = world.pod_group({.cpu = 10, .spec = {.node_selector = {{"disk", "ssd"}}}});
    const auto tolerant = world.pod_group(
        {.cpu = 10,
         .spec = {.node_selector = {{"disk", "ssd"}}, .tolerations = {{.key = "dedicated"}}}});
    const auto claims = world.pod_group(
        {.spec = {.tolerations = {{.key = "dedicated"}}, .uses_resource_claims = true}});
    CompiledPredicates rules = world.rules();
    const Placement placement(rules);
    EXPECT_EQ(placement.why_not(picky, 0).predicate, Predicate::taint_toleration);
    EXPECT_EQ(placement.why_not(tolerant, 0).predicate, Predicate::node_affinity);
    EXPECT_EQ(placement.why_not(claims, 0).predicate, Predicate::dynamic_resources);
    EXPECT_EQ(placement.room(claims, 0, 1), (Room{0, 0}));
}

TEST(CompiledPredicates, SupportAffinityToANodeName) {
    World world;
    world.node("a", {});
    world.node("b", {});
    snapshot::PodSpec spec;
    spec.affinity_required = {
        {.fields = {{.key = "metadata.name", .op = Operator::in, .values = {"b"}}}}};
    const auto pinned = world.pod_group({.spec = spec});
    const auto by_host = world.pod_group({.spec = {.node_selector = {{hostname_key, "a"}}}});
    const auto shape = world.shape({.labels = {{hostname_key, "a"}}});
    CompiledPredicates rules = world.rules();
    const Placement placement(rules);
    EXPECT_EQ(placement.find(pinned, 0, 2), 1u);
    EXPECT_EQ(placement.find(by_host, 0, 2), 0u);
    EXPECT_EQ(placement.find(by_host, 1, 2), std::nullopt);
    EXPECT_EQ(placement.why_not_new(pinned, shape).predicate, Predicate::node_affinity);
    EXPECT_EQ(placement.why_not_new(by_host, shape).predicate, Predicate::node_affinity);
}

}  // namespace
}  // namespace capstan::engine::scheduling
