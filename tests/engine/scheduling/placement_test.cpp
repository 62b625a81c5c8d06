#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "engine/scheduling/placement.hpp"
#include "engine/snapshot/cluster_builder.hpp"
#include "scheduling_cluster.hpp"

namespace capstan::engine::scheduling {
namespace {

TEST(Placement, LimitsRoomToTheScarcestResource) {
    SchedulingCluster cluster;
    cluster.node("a", {.cpu = 4000, .memory = 8000});
    const auto web = cluster.pod_group({.cpu = 1000, .memory = 3000});
    CompiledPredicates predicates = cluster.predicates();
    Placement placement(predicates);
    EXPECT_EQ(placement.room(web, 0, 10), (Room{2, 2}));
    EXPECT_EQ(placement.room(web, 0, 1), (Room{1, 1}));
    EXPECT_EQ(placement.room(web, 0, 0), (Room{0, 0}));
    placement.place(web, 0, 2);
    EXPECT_EQ(placement.room(web, 0, 10), (Room{0, 0}));
    EXPECT_EQ(placement.free(0, snapshot::cpu_index), 2000);
    EXPECT_EQ(placement.why_not(web, 0).sentence,
              "Insufficient memory: needs 3000, 2000 of 8000 are free");
    EXPECT_EQ(placement.why_not(web, 0, Wording::brief),
              (Refusal{Predicate::node_resources_fit, "Insufficient memory", "memory", 333}));
}

TEST(Placement, TellsHowFarANewNodeIs) {
    SchedulingCluster cluster;
    const Taint red{.key = "team", .value = "red"};
    const auto web = cluster.pod_group({.cpu = 3000, .spec = {.node_selector = {{"pool", "web"}}}});
    struct Case {
        const char* name;
        TemplateNodeId node;
        int failing;
        bool is_selected;
    };
    const Case cases[] = {
        {"selected, with a taint",
         cluster.template_node({.cpu = 4000, .labels = {{"pool", "web"}}, .taints = {red}}), 1,
         true},
        {"selected and too small, with a taint",
         cluster.template_node({.cpu = 1000, .labels = {{"pool", "web"}}, .taints = {red}}), 2,
         true},
        {"not selected", cluster.template_node({.cpu = 4000}), 1, false},
        {"not selected, with a taint", cluster.template_node({.cpu = 4000, .taints = {red}}), 2,
         false},
    };
    CompiledPredicates predicates = cluster.predicates();
    const Placement placement(predicates);
    for (const Case& each : cases) {
        Distance distance;
        EXPECT_NE(placement.why_not_new(web, each.node, &distance).predicate, Predicate::none);
        EXPECT_EQ(distance.failing, each.failing) << each.name;
        EXPECT_EQ(distance.is_selected, each.is_selected) << each.name;
    }
}

TEST(PlacementDeathTest, RejectsAMarkThatIsAlreadyUndone) {
    SchedulingCluster cluster;
    cluster.node("a", {.cpu = 4000});
    const auto web = cluster.pod_group({.cpu = 1000});
    CompiledPredicates predicates = cluster.predicates();
    Placement placement(predicates);
    const Placement::Mark before = placement.mark();
    placement.place(web, 0, 1);
    const Placement::Mark after = placement.mark();
    placement.undo(before);
    EXPECT_DEATH(placement.undo(after), "undone to a mark that is undone already");
}

TEST(Placement, CountsPodsAsAResource) {
    SchedulingCluster cluster;
    cluster.node("a", {.cpu = 4000, .pods = 3});
    cluster.bound("there", "a", {.cpu = 100});
    const auto web = cluster.pod_group({.cpu = 1});
    CompiledPredicates predicates = cluster.predicates();
    EXPECT_EQ(Placement(predicates).room(web, 0, 10), (Room{2, 2}));
}

TEST(Placement, AcceptsPodsThatRequestNoOvercommittedResource) {
    SchedulingCluster cluster;
    cluster.node("a", {.cpu = 1000, .memory = 8000});
    cluster.bound("big", "a", {.cpu = 2000});
    const auto without_cpu = cluster.pod_group({.memory = 4000});
    const auto web = cluster.pod_group({.cpu = 1});
    CompiledPredicates predicates = cluster.predicates();
    Placement placement(predicates);
    EXPECT_EQ(placement.room(without_cpu, 0, 10), (Room{2, 2}));
    EXPECT_EQ(placement.room(web, 0, 10), (Room{0, 0}));
}

TEST(Placement, FindsTheFirstNodeByIndexWithinTheRange) {
    SchedulingCluster cluster;
    for (int i = 0; i < 100; ++i)
        cluster.node("n" + std::to_string(1000 + i), {.cpu = i % 40 == 39 ? 2000 : 500});
    const auto web = cluster.pod_group({.cpu = 1500});
    CompiledPredicates predicates = cluster.predicates();
    Placement placement(predicates);
    EXPECT_EQ(placement.find(web, 0, 100), std::optional<Slot>(39));
    EXPECT_EQ(placement.find(web, 39, 100), std::optional<Slot>(39));
    EXPECT_EQ(placement.find(web, 40, 100), std::optional<Slot>(79));
    EXPECT_EQ(placement.find(web, 40, 79), std::nullopt);
    EXPECT_EQ(placement.find(web, 80, 100), std::nullopt);
    EXPECT_EQ(placement.find(web, 100, 100), std::nullopt);
    placement.place(web, 39, 1);
    EXPECT_EQ(placement.find(web, 0, 100), std::optional<Slot>(79));
}

TEST(Placement, AddsSplitsAndClosesNodesAndUndoesIt) {
    SchedulingCluster cluster;
    cluster.node("a", {.cpu = 1000});
    const auto web = cluster.pod_group({.cpu = 500});
    const auto template_node = cluster.template_node({.cpu = 2000});
    CompiledPredicates predicates = cluster.predicates();
    Placement placement(predicates);
    const auto before = placement.mark();
    const Slot slot = placement.add(template_node, 5);
    EXPECT_EQ(placement.room(web, slot, 100), (Room{4, 20}));
    EXPECT_EQ(placement.room(web, slot, 6), (Room{4, 6}));
    placement.place(web, slot, 1);
    const Slot rest = placement.split(slot, 2);
    EXPECT_EQ(placement.nodes(slot), 3);
    EXPECT_EQ(placement.nodes(rest), 2);
    placement.place(web, rest, 3);
    EXPECT_EQ(placement.room(web, slot, 100), (Room{3, 9}));
    EXPECT_EQ(placement.room(web, rest, 100), (Room{0, 0}));
    placement.close(slot);
    placement.close(0);
    EXPECT_EQ(placement.find(web, 0, 3), std::nullopt);
    placement.undo(before);
    EXPECT_EQ(placement.slot_count(), 1u);
    EXPECT_EQ(placement.find(web, 0, 1), std::optional<Slot>(0));
    EXPECT_EQ(placement.free(0, snapshot::cpu_index), 1000);
}

TEST(Placement, IsNotAffectedByUndoneChanges) {
    SchedulingCluster cluster;
    const auto web = cluster.pod_group({.cpu = 700});
    const auto big = cluster.template_node({.cpu = 1000}),
               small = cluster.template_node({.cpu = 500});
    CompiledPredicates predicates = cluster.predicates();
    Placement placement(predicates);
    for (int i = 0; i < 70; ++i) placement.add(big, 1);
    placement.undo(0);
    for (int i = 0; i < 40; ++i) placement.add(small, 1);
    EXPECT_EQ(placement.find(web, 0, 40), std::nullopt);
    placement.add(big, 1);
    EXPECT_EQ(placement.find(web, 0, 41), std::optional<Slot>(40));
}

TEST(Placement, IsIndependentOfItsCopies) {
    SchedulingCluster cluster;
    cluster.node("a", {.cpu = 1000});
    const auto web = cluster.pod_group({.cpu = 1000});
    CompiledPredicates predicates = cluster.predicates();
    Placement placement(predicates);
    Placement copy = placement;
    copy.place(web, 0, 1);
    EXPECT_EQ(placement.room(web, 0, 1), (Room{1, 1}));
    EXPECT_EQ(copy.room(web, 0, 1), (Room{0, 0}));
}

TEST(Placement, SubtractsDaemonSetsFromANewNode) {
    SchedulingCluster cluster;
    const auto agent = cluster.daemon({.cpu = 300});
    const auto web = cluster.pod_group({.cpu = 500});
    const auto template_node = cluster.template_node({.cpu = 1000, .pods = 5, .daemons = {agent}});
    CompiledPredicates predicates = cluster.predicates();
    Placement placement(predicates);
    const Slot slot = placement.add(template_node, 1);
    EXPECT_EQ(placement.room(web, slot, 10), (Room{1, 1}));
    EXPECT_EQ(placement.free(slot, snapshot::pods_index), 4);
    EXPECT_EQ(placement.free(slot, snapshot::cpu_index), 700);
}

}  // namespace
}  // namespace capstan::engine::scheduling
