#include "machine.hpp"

#include <gmock/gmock.h>

#include "told.hpp"

namespace capstan::simulated {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::list;
using ::testing::Pair;
using testing::Rejection;
using testing::table;
using testing::Value;

Members group_of(const Members& said) {
    return {{"id", "web"}, {"zone", "a"}, {"machine", machine(said)}};
}

NodeTemplate node_of(const Members& said) { return configured({group_of(said)}).groups.at(0).node; }

TEST(SimulatedMachine, HasTheLabelsOfEveryNode) {
    const NodeTemplate node = node_of({{"type", "m.large"}, {"labels", table({{"pool", "web"}})}});
    EXPECT_EQ(node.name, "web");
    EXPECT_EQ(node.machine_type, "m.large");
    EXPECT_EQ(node.zone, "a");
    EXPECT_THAT(node.labels,
                ElementsAre(Pair("kubernetes.io/arch", "amd64"), Pair("kubernetes.io/os", "linux"),
                            Pair("node.kubernetes.io/instance-type", "m.large"),
                            Pair("pool", "web"), Pair("topology.kubernetes.io/region", "simulated"),
                            Pair("topology.kubernetes.io/zone", "a")));
}

TEST(SimulatedMachine, KeepsALabelThatIsGiven) {
    const NodeTemplate node =
        node_of({{"arch", "arm64"}, {"labels", table({{"kubernetes.io/arch", "riscv64"}})}});
    EXPECT_EQ(node.labels.at("kubernetes.io/arch"), "riscv64");
    EXPECT_EQ(node.arch, "arm64");
    EXPECT_FALSE(node.labels.contains("node.kubernetes.io/instance-type")) << "no type is given";
}

TEST(SimulatedMachine, HasWhatItIsSaidToHave) {
    const NodeTemplate node =
        node_of({{"pods", 20},
                 {"ephemeral_storage", "100Gi"},
                 {"gpu", 2},
                 {"resources", table({{"example.com/licence", "3"}})},
                 {"allocatable", table({{"cpu", "3900m"}, {"memory", "14Gi"}})}});
    const Resources capacity{{"cpu", 4000},         {"memory", std::int64_t{16} << 30},
                             {"pods", 20},          {"ephemeral-storage", std::int64_t{100} << 30},
                             {"nvidia.com/gpu", 2}, {"example.com/licence", 3}};
    EXPECT_EQ(node.capacity, capacity);
    EXPECT_EQ(node.allocatable.amount("cpu"), 3900);
    EXPECT_EQ(node.allocatable.amount("memory"), std::int64_t{14} << 30);
    EXPECT_EQ(node.allocatable.amount("pods"), 20);
    EXPECT_EQ(node.free, node.allocatable);
}

TEST(SimulatedMachine, ReadsTaintsAsKubectlWritesThem) {
    const NodeTemplate node =
        node_of({{"taints", list("dedicated=gpu:NoSchedule", "slow:PreferNoSchedule")}});
    EXPECT_THAT(node.taints, ElementsAre(Taint{"dedicated", "gpu", Effect::no_schedule},
                                         Taint{"slow", "", Effect::prefer_no_schedule}));
}

TEST(SimulatedMachine, RefusesWhatNoMachineIs) {
    const std::pair<Members, Rejection> cases[] = {
        {{{"ephemeral_storage", "-1Gi"}}, {"groups[0].machine.ephemeral_storage", "is negative"}},
        {{{"resources", table({{"a/b", "1"}, {"c/d", "-1"}})}},
         {"groups[0].machine.resources.c/d", "is negative"}},
        {{{"allocatable", table({{"cpu", "5"}})}},
         {"groups[0].machine.allocatable.cpu", "more than the machine has, 4"}},
        {{{"allocatable", table({{"nvidia.com/gpu", "1"}})}},
         {"groups[0].machine.allocatable.nvidia.com/gpu", "more than the machine has, 0"}},
        {{{"gpu_resource", ""}}, {"groups[0].machine.gpu_resource", "is empty"}},
        {{{"taints", list("a=b:NoSchedule", "a=b:Never")}},
         {"groups[0].machine.taints[1]",
          "\"a=b:Never\" is no taint: write \"key=value:NoSchedule\""}},
        {{{"taints", list("=b:NoSchedule")}},
         {"groups[0].machine.taints[0]",
          "\"=b:NoSchedule\" is no taint: write \"key=value:NoSchedule\""}}};
    for (const auto& [said, rejection] : cases)
        EXPECT_THAT(rejections(told({group_of(said)})), ElementsAre(rejection));
}

TEST(SimulatedMachine, HasAnotherFingerprintWhenItIsAnotherMachine) {
    const std::string before = node_of({}).fingerprint;
    EXPECT_EQ(node_of({}).fingerprint, before);
    const Members others[] = {{{"type", "m.large"}},
                              {{"pods", 20}},
                              {{"labels", table({{"pool", "web"}})}},
                              {{"taints", list("a:NoSchedule")}},
                              {{"allocatable", table({{"cpu", "3"}})}}};
    for (const Members& other : others) EXPECT_NE(node_of(other).fingerprint, before);
}

}  // namespace
}  // namespace capstan::simulated
