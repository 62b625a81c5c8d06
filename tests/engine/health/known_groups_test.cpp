#include "engine/health/known_groups.hpp"

#include <gmock/gmock.h>

#include "../test_cluster.hpp"

namespace capstan::engine::health {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Updates the known groups and returns the report about departed ones.
std::vector<std::string> find_departed_groups(Memory& memory, const TestCluster& test_cluster) {
    const Snapshot snapshot = test_cluster.snapshot();
    memory =
        remember_known_groups(std::move(memory), snapshot, templates::make_membership(snapshot));
    return describe_departed_groups(memory, *snapshot.groups);
}

TestCluster two_nodes(bool is_listed) {
    TestCluster test_cluster;
    test_cluster.group("one", 0);
    if (is_listed) test_cluster.group("two", 2);
    for (const char* name : {"two-1", "two-2"}) test_cluster.node(name, is_listed ? "two" : "");
    return test_cluster;
}

TEST(KnownGroups, AreReportedWhileTheyAreUnlistedAndHaveNodes) {
    Memory memory;
    EXPECT_THAT(find_departed_groups(memory, two_nodes(true)), IsEmpty());
    for (int pass = 0; pass < 3; ++pass)
        EXPECT_THAT(find_departed_groups(memory, two_nodes(false)),
                    ElementsAre("group two is no longer listed by any cloud: its 2 nodes stay "
                                "without a group: two-1, two-2"));
    EXPECT_THAT(find_departed_groups(memory, TestCluster()), IsEmpty());
    EXPECT_FALSE(memory.known_groups.contains(NodeGroupId("two")));
}

TEST(KnownGroups, AreNotReportedAfterTheyAreListedAgain) {
    Memory memory;
    find_departed_groups(memory, two_nodes(true));
    find_departed_groups(memory, two_nodes(false));
    EXPECT_THAT(find_departed_groups(memory, two_nodes(true)), IsEmpty());
    TestCluster other;  // the nodes now belong to another group
    other.group("zwei", 2);
    for (const char* name : {"two-1", "two-2"}) other.node(name, "zwei");
    EXPECT_THAT(find_departed_groups(memory, other), IsEmpty());
    EXPECT_FALSE(memory.known_groups.contains(NodeGroupId("two")));
}

TEST(KnownGroups, AreKeptWhileTheyAreUnreadable) {
    Memory memory;
    find_departed_groups(memory, two_nodes(true));
    TestCluster unreadable = two_nodes(false);
    unreadable.group("two").unreadable_because = "page 2 is missing";
    EXPECT_THAT(find_departed_groups(memory, unreadable), IsEmpty());
    EXPECT_EQ(find_departed_groups(memory, two_nodes(false)).size(), 1u);
}

/// The first pass of a process, while a cloud is unavailable.
TEST(KnownGroups, AreUnreadableUntilTheirCloudHasBeenRead) {
    Memory memory;
    find_departed_groups(memory, two_nodes(true));
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
    TestCluster test_cluster;
    test_cluster.group("web", 5);
    for (int n = 0; n < 5; ++n) test_cluster.node("web-" + std::to_string(n), "web");
    find_departed_groups(memory, test_cluster);
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
