#include "engine/templates/membership.hpp"

#include <gmock/gmock.h>

#include "../world.hpp"

namespace capstan::engine::templates {
namespace {

/// The group of each node by name, "-": none.
std::string groups_of_nodes(const World& world) {
    const Snapshot snapshot = world.snapshot();
    const Membership membership = make_membership(snapshot);
    std::string out;
    for (snapshot::NodeIndex n = 0; n < snapshot.cluster.node_count(); ++n) {
        const auto& at = membership.machine_of[n];
        out += out.empty() ? "" : " ";
        out += at ? (*snapshot.groups)[at->group].group.id.value() : "-";
    }
    return out;
}

TEST(Membership, NodesBelongToTheGroupWithAMachineOfTheirProviderId) {
    World world;
    world.group("a");
    world.group("b");
    world.machine("b", "cloud:///1");
    world.machine("a", "cloud:///2");
    world.node("n1").provider_id = "cloud:///1";
    world.node("n2").provider_id = "cloud:///2";
    world.node("n3").provider_id = "cloud:///3";
    EXPECT_EQ(groups_of_nodes(world), "b a -");
}

TEST(Membership, TheNameCountsOnlyWithoutAProviderId) {
    World world;
    world.group("a");
    world.node("n1", "a");
    world.node("n2", "a").provider_id = "cloud:///2";
    EXPECT_EQ(groups_of_nodes(world), "a -");
}

TEST(Membership, AMachineMayNameItsNodeWhichHasNoProviderId) {
    World world;
    world.group("a");
    world.group("b");
    world.machine("b", "cloud:///1").node_name = "n1";
    world.machine("a", "n1");
    world.machine("a", "cloud:///2").node_name = "n2";
    world.node("n1").provider_id = {};
    world.node("n2").provider_id = "cloud:///3";
    EXPECT_EQ(groups_of_nodes(world), "b -") << "a provider id says all";
}

TEST(Membership, OfAMachineInTwoGroupsTheFirstGroupCounts) {
    World world;
    world.group("b");
    world.group("a");
    world.machine("b", "n1");
    world.machine("a", "n1");
    world.node("n1");
    EXPECT_EQ(groups_of_nodes(world), "a");
}

TEST(Membership, TellsWhichMachinesJoined) {
    World world;
    world.group("a");
    world.node("n3", "a");
    world.machine("a", "n2");
    world.node("n1", "a");
    const Snapshot snapshot = world.snapshot();
    const Membership membership = make_membership(snapshot);
    EXPECT_THAT(membership.joined.at(0), ::testing::ElementsAre(true, false, true));
    EXPECT_THAT(membership.nodes.at(0), ::testing::ElementsAre(0, 1));
    EXPECT_EQ(find_machine(snapshot, membership, 1)->id, MachineId("n3"));
}

TEST(Membership, OfAClusterWithoutGroupsIsNone) {
    World world;
    world.node("n1");
    EXPECT_EQ(groups_of_nodes(world), "-");
    EXPECT_EQ(find_machine(world.snapshot(), make_membership(world.snapshot()), 0), nullptr);
}

}  // namespace
}  // namespace capstan::engine::templates
