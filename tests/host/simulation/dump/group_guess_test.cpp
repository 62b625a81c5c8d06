#include "simulation/dump/group_guess.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::simulation::dump {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

engine::snapshot::NodeObject dumped_node(const std::string& name, Labels labels) {
    labels.try_emplace("node.kubernetes.io/instance-type", "m5.large");
    labels.try_emplace("topology.kubernetes.io/zone", "a");
    labels["kubernetes.io/hostname"] = name;
    return {.name = name,
            .labels = std::move(labels),
            .capacity = {{"cpu", 2_cpu}, {"memory", 8_GiB}},
            .allocatable = {{"cpu", 1900_mcpu}, {"memory", 7_GiB}}};
}

std::vector<std::string> ids(const std::vector<GuessedGroup>& groups) {
    std::vector<std::string> out;
    for (const GuessedGroup& group : groups) out.push_back(group.id);
    return out;
}

TEST(GroupGuess, GroupsNodesByPoolAndZone) {
    const std::vector nodes{dumped_node("n3", {{"eks.amazonaws.com/nodegroup", "web"}}),
                            dumped_node("n1", {{"eks.amazonaws.com/nodegroup", "web"}}),
                            dumped_node("n2", {{"eks.amazonaws.com/nodegroup", "web"},
                                               {"topology.kubernetes.io/zone", "b"}})};
    const auto groups = guess_groups(nodes);
    EXPECT_THAT(ids(groups), ElementsAre("web-a", "web-b"));
    EXPECT_THAT(groups[0].nodes, ElementsAre(1u, 0u));
    EXPECT_EQ(groups[0].node.machine_type, "m5.large");
    EXPECT_EQ(groups[0].node.zone, "a");
}

TEST(GroupGuess, NamesAGroupWithoutAPoolByItsMachineType) {
    const std::vector nodes{dumped_node("n1", {})};
    EXPECT_THAT(ids(guess_groups(nodes)), ElementsAre("m5.large-a"));
}

TEST(GroupGuess, SplitsAPoolByMachineType) {
    const std::vector nodes{dumped_node("n1", {{"agentpool", "web"}}),
                            dumped_node("n2", {{"agentpool", "web"},
                                               {"node.kubernetes.io/instance-type", "m5.xlarge"}})};
    EXPECT_THAT(ids(guess_groups(nodes)), ElementsAre("web-a-m5.large", "web-a-m5.xlarge"));
}

TEST(GroupGuess, KeepsCommonLabelsAndTheSmallestResources) {
    engine::snapshot::NodeObject one = dumped_node("n1", {{"team", "x"}, {"rack", "1"}});
    engine::snapshot::NodeObject two = dumped_node("n2", {{"team", "x"}, {"rack", "2"}});
    one.taints = {{.key = "dedicated", .value = "x"}, {.key = "busy"}};
    two.taints = {{.key = "dedicated", .value = "x"}};
    two.allocatable = {{"cpu", 1800_mcpu}, {"memory", 8_GiB}, {"gpu", 1}};
    const auto groups = guess_groups(std::vector{one, two});
    ASSERT_EQ(groups.size(), 1u);
    const NodeTemplate& all = groups[0].node;
    EXPECT_EQ(all.labels.count("team"), 1u);
    EXPECT_EQ(all.labels.count("rack"), 0u);
    EXPECT_EQ(all.labels.count("kubernetes.io/hostname"), 0u);
    EXPECT_THAT(all.taints, ElementsAre(two.taints[0]));
    EXPECT_EQ(all.allocatable, (Resources{{"cpu", 1800_mcpu}, {"memory", 7_GiB}}));
}

TEST(GroupGuess, IgnoresControlPlaneAndVirtualNodes) {
    engine::snapshot::NodeObject bare{.name = "bare"};
    const std::vector nodes{dumped_node("n1", {{"node-role.kubernetes.io/control-plane", ""}}),
                            dumped_node("n2", {{"type", "virtual-kubelet"}}), bare};
    EXPECT_THAT(guess_groups(nodes), IsEmpty());
    EXPECT_THAT(guess_groups({}), IsEmpty());
}

}  // namespace
}  // namespace capstan::simulation::dump
