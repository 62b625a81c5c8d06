#include "engine/provisioning/upcoming_groups.hpp"

#include <gmock/gmock.h>

#include "group_creation_case.hpp"

namespace capstan::engine::provisioning {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

const NodeGroupId upcoming_group("nap-m");

GroupCreationCase with_a_pod() {
    GroupCreationCase c({"nap-m"});
    c.test_cluster.pod("web").spec.requests = {{"cpu", 3000}};
    return c;
}

TEST(UpcomingGroups, AreNotCreatedAgain) {
    GroupCreationCase c = with_a_pod();
    EXPECT_THAT(c.run_and_apply().decision.creations, SizeIs(1));
    c.now += 10s;
    const Decision second = c.run_and_apply().decision;
    EXPECT_THAT(second.creations, IsEmpty());
    EXPECT_THAT(second.increases, IsEmpty());
    EXPECT_THAT(second.unschedulable, IsEmpty());
}

TEST(UpcomingGroups, AreNotCreatedAgainAfterARestart) {
    GroupCreationCase c = with_a_pod();
    c.memory = pass::remember_plan(c.memory, c.run(), c.settings, c.now);
    c.memory.started = false;
    EXPECT_THAT(c.memory.upcoming_groups, SizeIs(1));
    EXPECT_THAT(c.run().decision.creations, IsEmpty());
    // If the request was never sent, it is sent after the timeout.
    c.now += 3min;
    EXPECT_THAT(c.run().decision.creations, SizeIs(1));
}

TEST(UpcomingGroups, AreBackedOffAndReplacedIfRefused) {
    GroupCreationCase c({"nap-a", "nap-b"});
    c.test_cluster.pod("web").spec.requests = {{"cpu", 3000}};
    const pass::Outcome first = c.run();
    Results results;
    results.creations = {Error{ErrorCode::quota, "no more groups"}};
    results.increases = {Error{ErrorCode::cancelled, "was not created"}};
    c.memory = pass::remember_results(first.memory, first.decision, results, c.settings, c.now);
    EXPECT_THAT(c.memory.upcoming_groups, IsEmpty());
    EXPECT_TRUE(c.memory.backoffs.contains(NodeGroupId("nap-a")));
    c.now += 10s;
    const Decision second = c.run().decision;
    ASSERT_THAT(second.creations, SizeIs(1));
    EXPECT_EQ(second.creations[0].group, NodeGroupId("nap-b"));
}

TEST(UpcomingGroups, AreReplacedIfTheirNameIsInUse) {
    GroupCreationCase c({"nap-a", "nap-b"});
    c.test_cluster.pod("web").spec.requests = {{"cpu", 3000}};
    const pass::Outcome first = c.run();
    Results results;
    results.creations = {Error{ErrorCode::conflict, "there is another group \"nap-a\""}};
    results.increases = {Error{ErrorCode::cancelled, "was not created"}};
    c.memory = pass::remember_results(first.memory, first.decision, results, c.settings, c.now);
    c.now += 10s;
    const Decision second = c.run().decision;
    ASSERT_THAT(second.creations, SizeIs(1));
    EXPECT_EQ(second.creations[0].group, NodeGroupId("nap-b"));
}

TEST(UpcomingGroups, DoNotGrowForMorePods) {
    GroupCreationCase c = with_a_pod();
    c.run_and_apply();
    for (const char* name : {"a", "b"}) c.test_cluster.pod(name).spec.requests = {{"cpu", 3000}};
    c.now += 10s;
    const Decision second = c.run().decision;
    EXPECT_THAT(second.creations, IsEmpty());
    EXPECT_THAT(second.increases, IsEmpty());
    EXPECT_THAT(second.unschedulable, SizeIs(1));
}

TEST(UpcomingGroups, AreCreatedAgainIfDeletedByAnotherClient) {
    GroupCreationCase c = with_a_pod();
    c.run_and_apply();
    c.test_cluster.group("nap-m", 1).group.autoprovisioned = true;
    c.test_cluster.describe("nap-m", amounts(4000));
    c.now += 10s;
    c.run_and_apply();
    c.test_cluster = with_a_pod().test_cluster;
    c.now += 10s;
    EXPECT_THAT(c.run().decision.creations, SizeIs(1));
}

TEST(UpcomingGroups, AreNotExpectedAfterADryRun) {
    GroupCreationCase c = with_a_pod();
    const pass::Outcome first = c.run();
    c.memory = pass::remember_results(first.memory, first.decision, {}, c.settings, c.now);
    EXPECT_THAT(c.memory.upcoming_groups, IsEmpty());
    EXPECT_THAT(c.memory.backoffs, IsEmpty());
}

TEST(UpcomingGroups, EndWhenTheyAreListed) {
    GroupCreationCase c = with_a_pod();
    c.run_and_apply();
    c.test_cluster.group("nap-m", 1).group.autoprovisioned = true;
    c.test_cluster.describe("nap-m", amounts(4000));
    c.now += 10s;
    const pass::Outcome second = c.run();
    EXPECT_THAT(second.memory.upcoming_groups, IsEmpty());
    EXPECT_THAT(second.decision.creations, IsEmpty());
    EXPECT_THAT(second.decision.increases, IsEmpty());
}

TEST(UpcomingGroups, TimeOutAndAreBackedOff) {
    GroupCreationCase c = with_a_pod();
    c.run_and_apply();
    c.now += c.settings.max_node_provision_time + 10s;
    const pass::Outcome late = c.run();
    EXPECT_THAT(late.memory.upcoming_groups, IsEmpty());
    EXPECT_TRUE(late.memory.backoffs.contains(upcoming_group));
    EXPECT_THAT(late.decision.creations, IsEmpty());
}

}  // namespace
}  // namespace capstan::engine::provisioning
