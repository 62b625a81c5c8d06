#include "autoscaler/dump/group_guess.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::autoscaler::dump {
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

/// Long after all nodes have become ready.
const Time now = time_from_unix_ns(std::int64_t{86'400} * 1'000'000'000);

std::vector<GuessedGroup> guess(const std::vector<engine::snapshot::NodeObject>& nodes,
                                const engine::Settings& settings = {}) {
    return guess_groups(nodes, settings, now);
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
    const auto groups = guess(nodes);
    EXPECT_THAT(ids(groups), ElementsAre("web-a", "web-b"));
    EXPECT_THAT(groups[0].nodes, ElementsAre(1u, 0u));
    EXPECT_EQ(groups[0].node.machine_type, "m5.large");
    EXPECT_EQ(groups[0].node.zone, "a");
}

TEST(GroupGuess, NamesAGroupWithoutAPoolByItsMachineType) {
    const std::vector nodes{dumped_node("n1", {})};
    EXPECT_THAT(ids(guess(nodes)), ElementsAre("m5.large-a"));
}

TEST(GroupGuess, SplitsAPoolByMachineType) {
    const std::vector nodes{dumped_node("n1", {{"agentpool", "web"}}),
                            dumped_node("n2", {{"agentpool", "web"},
                                               {"node.kubernetes.io/instance-type", "m5.xlarge"}})};
    EXPECT_THAT(ids(guess(nodes)), ElementsAre("web-a-m5.large", "web-a-m5.xlarge"));
}

TEST(GroupGuess, KeepsCommonLabelsAndTheSmallestResources) {
    engine::snapshot::NodeObject one = dumped_node("n1", {{"team", "x"}, {"rack", "1"}});
    engine::snapshot::NodeObject two = dumped_node("n2", {{"team", "x"}, {"rack", "2"}});
    one.taints = {{.key = "dedicated", .value = "x"}, {.key = "busy"}};
    two.taints = {{.key = "dedicated", .value = "x"}};
    two.allocatable = {{"cpu", 1800_mcpu}, {"memory", 8_GiB}, {"gpu", 1}};
    const auto groups = guess({one, two});
    ASSERT_EQ(groups.size(), 1u);
    const NodeTemplate& all = groups[0].node;
    EXPECT_EQ(all.labels.count("team"), 1u);
    EXPECT_EQ(all.labels.count("rack"), 0u);
    EXPECT_EQ(all.labels.count("kubernetes.io/hostname"), 0u);
    EXPECT_THAT(all.taints, ElementsAre(two.taints[0]));
    EXPECT_EQ(all.allocatable, (Resources{{"cpu", 1800_mcpu}, {"memory", 7_GiB}}));
}

/// A taint that all nodes of a group have, and whether a new node has it, too.
struct CommonTaint {
    const char* key;
    bool lasts;
};

TEST(GroupGuess, NewNodesHaveOnlyLastingTaints) {
    engine::Settings settings;
    settings.startup_taints = {"acme.example/starting"};
    settings.startup_taint_prefixes = {"starting.acme.example/"};
    settings.status_taints = {"acme.example/status"};
    for (const CommonTaint& taint : {
             CommonTaint{"dedicated", true},
             CommonTaint{"nvidia.com/gpu", true},
             CommonTaint{"node.kubernetes.io/not-ready", false},
             CommonTaint{"node.kubernetes.io/unreachable", false},
             CommonTaint{"node.kubernetes.io/unschedulable", false},
             CommonTaint{"node.kubernetes.io/memory-pressure", false},
             CommonTaint{"node.kubernetes.io/disk-pressure", false},
             CommonTaint{"node.kubernetes.io/pid-pressure", false},
             CommonTaint{"node.kubernetes.io/network-unavailable", false},
             CommonTaint{"node.kubernetes.io/out-of-service", false},
             CommonTaint{"node.cloudprovider.kubernetes.io/uninitialized", false},
             CommonTaint{"node.cloudprovider.kubernetes.io/shutdown", false},
             CommonTaint{"ToBeDeletedByClusterAutoscaler", false},
             CommonTaint{"DeletionCandidateOfClusterAutoscaler", false},
             CommonTaint{"startup-taint.cluster-autoscaler.kubernetes.io/cni", false},
             CommonTaint{"ignore-taint.cluster-autoscaler.kubernetes.io/cni", false},
             CommonTaint{"status-taint.cluster-autoscaler.kubernetes.io/x", false},
             CommonTaint{"node.cilium.io/agent-not-ready", false},
             CommonTaint{"acme.example/starting", false},
             CommonTaint{"starting.acme.example/x", false},
             CommonTaint{"acme.example/status", false},
         }) {
        engine::snapshot::NodeObject one = dumped_node("n1", {}), two = dumped_node("n2", {});
        one.taints = two.taints = {{.key = taint.key}};
        one.unschedulable = two.unschedulable = true;
        const auto groups = guess({one, two}, settings);
        ASSERT_EQ(groups.size(), 1u);
        EXPECT_EQ(groups[0].node.taints.size(), taint.lasts ? 1u : 0u) << taint.key;
    }
}

TEST(GroupGuess, NodesInABadStateAreNoModels) {
    const auto spoilt = [](const auto& spoil) {
        engine::snapshot::NodeObject node = dumped_node("n1", {});
        node.allocatable = {};
        node.taints = {{.key = "broken"}};
        spoil(node);
        return node;
    };
    const std::vector bad{
        spoilt([](auto& node) { node.ready = false; }),
        spoilt([](auto& node) { node.unschedulable = true; }),
        spoilt([](auto& node) { node.ready_since = now; }),
        spoilt(
            [](auto& node) { node.taints.push_back({.key = "ToBeDeletedByClusterAutoscaler"}); }),
    };
    engine::snapshot::NodeObject good = dumped_node("n2", {});
    good.taints = {{.key = "dedicated"}};
    for (const engine::snapshot::NodeObject& node : bad) {
        const auto groups = guess({node, good});
        ASSERT_EQ(groups.size(), 1u);
        EXPECT_EQ(groups[0].nodes.size(), 2u);
        EXPECT_EQ(groups[0].node.allocatable, good.allocatable);
        EXPECT_THAT(groups[0].node.taints, ElementsAre(good.taints[0]));
    }
    // A cordoned node is a better model than one that is not ready.
    good.unschedulable = true;
    EXPECT_EQ(guess({bad[0], good})[0].node.allocatable, good.allocatable);
    // Without another node, a bad one is the model.
    EXPECT_THAT(guess({bad[0]})[0].node.taints, ElementsAre(bad[0].taints[0]));
}

TEST(GroupGuess, NewNodesHaveDevicesThatSomeNodesDoNotReportYet) {
    engine::snapshot::NodeObject one = dumped_node("n1", {}), two = dumped_node("n2", {}),
                                 three = dumped_node("n3", {});
    one.allocatable.set("nvidia.com/gpu", 2);
    two.allocatable.set("nvidia.com/gpu", 0);
    three.allocatable.set("nvidia.com/gpu", 1);
    for (const auto& nodes : {std::vector{one, two, three}, std::vector{three, two, one}})
        EXPECT_EQ(guess(nodes)[0].node.allocatable.amount("nvidia.com/gpu"), 1);
    EXPECT_EQ(guess({two, one})[0].node.allocatable.amount("nvidia.com/gpu"), 2);
    EXPECT_EQ(guess({two})[0].node.allocatable.amount("nvidia.com/gpu"), 0);
}

TEST(GroupGuess, IgnoresControlPlaneAndVirtualNodes) {
    engine::snapshot::NodeObject bare{.name = "bare"};
    const std::vector nodes{dumped_node("n1", {{"node-role.kubernetes.io/control-plane", ""}}),
                            dumped_node("n2", {{"type", "virtual-kubelet"}}), bare};
    EXPECT_THAT(guess(nodes), IsEmpty());
    EXPECT_THAT(guess({}), IsEmpty());
}

}  // namespace
}  // namespace capstan::autoscaler::dump
