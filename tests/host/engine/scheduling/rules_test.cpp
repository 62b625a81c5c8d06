#include "engine/scheduling/rules.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "scheduling_world.hpp"

namespace capstan::engine {
namespace {

TEST(Shapes, ThatDifferInWhatNoPodReadsAreAlike) {
    World world;
    world.subject({.cpu = 100, .spec = {.node_selector = {{"disk", "ssd"}}}});
    world.shape({.labels = {{"disk", "ssd"}, {"pool", "a"}}});
    world.shape({.labels = {{"disk", "ssd"}, {"pool", "b"}, {hostname_key, "x"}}});
    world.shape({.labels = {{"disk", "hdd"}, {"pool", "a"}}});
    world.shape({.labels = {{"pool", "b"}}});
    world.shape({.cpu = 2, .labels = {{"disk", "ssd"}}});
    world.shape({.labels = {{"disk", "ssd"}}, .taints = {{.key = "spot"}}});
    world.shape({.labels = {{"disk", "ssd"}},
                 .taints = {{.key = "spot", .effect = Effect::prefer_no_schedule}}});
    Rules rules = world.rules();
    std::vector<ShapeId> alike;
    for (ShapeId shape = 0; shape < rules.shapes().size(); ++shape)
        alike.push_back(rules.alike(shape));
    EXPECT_EQ(alike, (std::vector<ShapeId>{0, 0, 2, 3, 4, 5, 0}));
}

TEST(Shapes, InDifferentZonesAreAlikeUntilAPodIsSpread) {
    for (const bool spread : {false, true}) {
        World world;
        TestPod pod{.labels = {{"app", "web"}}};
        if (spread) pod.spec.spread = {over(zone_key, app("web"))};
        world.subject(pod);
        world.shape({.labels = {{zone_key, "1"}}});
        world.shape({.labels = {{zone_key, "2"}}});
        EXPECT_EQ(world.rules().alike(1), spread ? 1u : 0u);
    }
}

TEST(Rules, TellRequestsWithThePodItself) {
    World world;
    PodSpec gpu;
    gpu.requests.set("nvidia.com/gpu", 2);
    const auto web = world.subject({.cpu = 100, .memory = 200, .spec = gpu});
    Rules rules = world.rules();
    const auto gpus = *rules.cluster().find_resource("nvidia.com/gpu");
    const auto requests = rules.requests(web);
    EXPECT_EQ(
        std::vector<Request>(requests.begin(), requests.end()),
        (std::vector<Request>{{cpu_index, 100}, {memory_index, 200}, {pods_index, 1}, {gpus, 2}}));
}

TEST(Rules, AnswerForNodesAloneInTheOrderOfThePredicates) {
    World world;
    world.node("a", {.cpu = 1, .taints = {{.key = "dedicated"}}});
    const auto picky = world.subject({.cpu = 10, .spec = {.node_selector = {{"disk", "ssd"}}}});
    const auto tolerant = world.subject(
        {.cpu = 10,
         .spec = {.node_selector = {{"disk", "ssd"}}, .tolerations = {{.key = "dedicated"}}}});
    const auto claims = world.subject(
        {.spec = {.tolerations = {{.key = "dedicated"}}, .uses_resource_claims = true}});
    Rules rules = world.rules();
    const Placement placement(rules);
    EXPECT_EQ(placement.why_not(picky, 0).predicate, Predicate::taint_toleration);
    EXPECT_EQ(placement.why_not(tolerant, 0).predicate, Predicate::node_affinity);
    EXPECT_EQ(placement.why_not(claims, 0).predicate, Predicate::dynamic_resources);
    EXPECT_EQ(placement.room(claims, 0, 1), (Room{0, 0}));
}

TEST(Rules, LetAPodAskForANodeByName) {
    World world;
    world.node("a", {});
    world.node("b", {});
    PodSpec spec;
    spec.affinity_required = {
        {.fields = {{.key = "metadata.name", .op = Operator::in, .values = {"b"}}}}};
    const auto pinned = world.subject({.spec = spec});
    const auto by_host = world.subject({.spec = {.node_selector = {{hostname_key, "a"}}}});
    const auto shape = world.shape({.labels = {{hostname_key, "a"}}});
    Rules rules = world.rules();
    const Placement placement(rules);
    EXPECT_EQ(placement.find(pinned, 0, 2), 1u);
    EXPECT_EQ(placement.find(by_host, 0, 2), 0u);
    EXPECT_EQ(placement.find(by_host, 1, 2), std::nullopt);
    EXPECT_EQ(placement.why_not_new(pinned, shape).predicate, Predicate::node_affinity);
    EXPECT_EQ(placement.why_not_new(by_host, shape).predicate, Predicate::node_affinity);
}

}  // namespace
}  // namespace capstan::engine
