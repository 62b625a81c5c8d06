#include "engine/health/known_groups.hpp"

#include <gmock/gmock.h>

#include "../test_cluster.hpp"

namespace capstan::engine::health {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A pass over a world, as far as it knows groups; what it tells of those that are gone.
std::vector<std::string> look(Memory& memory, const World& world) {
    const Snapshot snapshot = world.snapshot();
    memory =
        remember_known_groups(std::move(memory), snapshot, templates::make_membership(snapshot));
    return describe_departed_groups(memory, *snapshot.groups);
}

World two_nodes(bool is_listed) {
    World world;
    world.group("one", 0);
    if (is_listed) world.group("two", 2);
    for (const char* name : {"two-1", "two-2"}) world.node(name, is_listed ? "two" : "");
    return world;
}

TEST(KnownGroups, AreReportedWhileTheyAreUnlistedAndHaveNodes) {
    Memory memory;
    EXPECT_THAT(look(memory, two_nodes(true)), IsEmpty());
    for (int pass = 0; pass < 3; ++pass)
        EXPECT_THAT(look(memory, two_nodes(false)),
                    ElementsAre("group two is no longer listed by any cloud: its 2 nodes stay "
                                "without a group: two-1, two-2"));
    EXPECT_THAT(look(memory, World()), IsEmpty());
    EXPECT_FALSE(memory.known_groups.contains(NodeGroupId("two")));
}

TEST(KnownGroups, AreNotReportedAfterTheyAreListedAgain) {
    Memory memory;
    look(memory, two_nodes(true));
    look(memory, two_nodes(false));
    EXPECT_THAT(look(memory, two_nodes(true)), IsEmpty());
    World other;  // another group has the nodes now
    other.group("zwei", 2);
    for (const char* name : {"two-1", "two-2"}) other.node(name, "zwei");
    EXPECT_THAT(look(memory, other), IsEmpty());
    EXPECT_FALSE(memory.known_groups.contains(NodeGroupId("two")));
}

TEST(KnownGroups, AreKeptWhileTheyAreUnreadable) {
    Memory memory;
    look(memory, two_nodes(true));
    World spoilt = two_nodes(false);
    spoilt.group("two").unreadable_because = "page 2 is missing";
    EXPECT_THAT(look(memory, spoilt), IsEmpty());
    EXPECT_EQ(look(memory, two_nodes(false)).size(), 1u);
}

/// The first pass of a process, while a cloud does not answer.
TEST(KnownGroups, AreUnreadableUntilTheirCloudHasBeenRead) {
    Memory memory;
    look(memory, two_nodes(true));
    const auto none = std::make_shared<const std::vector<Group>>();
    EXPECT_EQ(with_unread_groups(none, {}, memory), none);
    EXPECT_EQ(with_unread_groups(none, {{PluginInstanceId("other"), "away"}}, memory), none);
    const auto groups =
        with_unread_groups(none, {{PluginInstanceId("cloud"), "no answer"}}, memory);
    ASSERT_EQ(groups->size(), 2u);
    EXPECT_EQ((*groups)[1].group.id, NodeGroupId("two"));
    EXPECT_EQ((*groups)[1].unreadable_because,
              "the cloud has not been read since the start: no answer");
    EXPECT_THAT(describe_departed_groups(memory, *groups), IsEmpty());
}

TEST(KnownGroups, KeepTheNamesOfAFewNodes) {
    Memory memory;
    World world;
    world.group("web", 5);
    for (int n = 0; n < 5; ++n) world.node("web-" + std::to_string(n), "web");
    look(memory, world);
    EXPECT_EQ(memory.known_groups.at(NodeGroupId("web")),
              (KnownGroup{.cloud = PluginInstanceId("cloud"),
                          .nodes = 5,
                          .sample_nodes = {"web-0", "web-1", "web-2"}}));
    EXPECT_THAT(describe_departed_groups(memory, {}),
                ElementsAre("group web is no longer listed by any cloud: its 5 nodes stay without "
                            "a group: web-0, web-1, web-2 and 2 more"));
}

}  // namespace
}  // namespace capstan::engine::health
