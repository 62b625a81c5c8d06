#include "machine.hpp"

#include <gmock/gmock.h>

#include "test_settings.hpp"

namespace capstan::simulated {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::list;
using ::testing::Pair;
using testing::Rejection;
using testing::table;
using testing::Value;

Members group_of(const Members& members) {
    return {{"id", "web"}, {"zone", "a"}, {"machine", machine(members)}};
}

Value type(const char* name, const char* cpu = "2") {
    return table({{"type", name}, {"cpu", cpu}, {"memory", "16Gi"}});
}

NodeTemplate node_of(const Members& members) {
    return configured({group_of(members)}).groups.at(0).node;
}

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

TEST(SimulatedMachine, HasASpotLabelIfTheGroupIsSpot) {
    Members group = group_of({});
    EXPECT_FALSE(
        configured({group}).groups.at(0).node.labels.contains("node.kubernetes.io/lifecycle"));
    const std::string on_demand = configured({group}).groups.at(0).node.fingerprint;
    group.emplace_back("spot", true);
    const NodeTemplate node = configured({group}).groups.at(0).node;
    EXPECT_EQ(node.labels.at("node.kubernetes.io/lifecycle"), "spot");
    EXPECT_NE(node.fingerprint, on_demand);
}

TEST(SimulatedMachine, KeepsAConfiguredLabel) {
    const NodeTemplate node =
        node_of({{"arch", "arm64"}, {"labels", table({{"kubernetes.io/arch", "riscv64"}})}});
    EXPECT_EQ(node.labels.at("kubernetes.io/arch"), "riscv64");
    EXPECT_EQ(node.arch, "arm64");
    EXPECT_FALSE(node.labels.contains("node.kubernetes.io/instance-type"))
        << "no type is configured";
}

TEST(SimulatedMachine, HasTheConfiguredResources) {
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

TEST(SimulatedMachine, HasTheLeastOfEachResourceOfSeveralTypes) {
    const Value machine =
        table({{"type", "c4.xlarge"},
               {"cpu", "4"},
               {"memory", "7.5Gi"},
               {"mix", list(table({{"type", "r4.large"}, {"cpu", "2"}, {"memory", "15.25Gi"}}))}});
    const GroupConfig group = configured({{{"id", "web"}, {"machine", machine}}}).groups.at(0);
    EXPECT_EQ(group.node.machine_type, "");
    EXPECT_FALSE(group.node.labels.contains("node.kubernetes.io/instance-type"));
    EXPECT_EQ(group.node.capacity.amount("cpu"), 2000);
    EXPECT_EQ(group.node.capacity.amount("memory"), (std::int64_t{15} << 30) / 2);
    EXPECT_EQ(group.node.capacity, group.node.free);
    EXPECT_THAT(group.types, ElementsAre("c4.xlarge", "r4.large"));
}

TEST(SimulatedMachine, SubtractsStaticPodsFromFreeResources) {
    const NodeTemplate node = node_of({{"static_pods", table({{"cpu", "100m"}})}});
    EXPECT_EQ(node.allocatable, node.capacity);
    EXPECT_EQ(node.free.amount("cpu"), 3900);
    EXPECT_NE(node.fingerprint, node_of({}).fingerprint);
}

TEST(SimulatedMachine, ReadsTaintsInKubectlForm) {
    const NodeTemplate node =
        node_of({{"taints", list("dedicated=gpu:NoSchedule", "slow:PreferNoSchedule")}});
    EXPECT_THAT(node.taints, ElementsAre(Taint{"dedicated", "gpu", Effect::no_schedule},
                                         Taint{"slow", "", Effect::prefer_no_schedule}));
}

TEST(SimulatedMachine, RejectsInvalidMachines) {
    const std::pair<Members, Rejection> cases[] = {
        {{{"ephemeral_storage", "-1Gi"}}, {"groups[0].machine.ephemeral_storage", "is negative"}},
        {{{"resources", table({{"a/b", "1"}, {"c/d", "-1"}})}},
         {"groups[0].machine.resources.c/d", "is negative"}},
        {{{"allocatable", table({{"cpu", "5"}})}},
         {"groups[0].machine.allocatable.cpu", "more than the machine's capacity, 4"}},
        {{{"allocatable", table({{"nvidia.com/gpu", "1"}})}},
         {"groups[0].machine.allocatable.nvidia.com/gpu", "more than the machine's capacity, 0"}},
        {{{"static_pods", table({{"cpu", "5"}})}},
         {"groups[0].machine.static_pods.cpu", "more than the machine's capacity, 4"}},
        {{{"mix", list(type("r4.large"))}},
         {"groups[0].machine.mix", "needs `type`, the name of the first type"}},
        {{{"type", "c4.xlarge"}, {"mix", list(type("r4.large"), type("c4.xlarge"))}},
         {"groups[0].machine.mix[1].type", "duplicate type"}},
        {{{"type", "c4.xlarge"}, {"mix", list(type("r4.large", "-1"))}},
         {"groups[0].machine.mix[0].cpu", "is negative"}},
        {{{"type", "c4.xlarge"},
          {"mix", list(type("r4.large"))},
          {"allocatable", table({{"cpu", "3"}})}},
         {"groups[0].machine.allocatable", "cannot be combined with mix"}},
        {{{"gpu_resource", ""}}, {"groups[0].machine.gpu_resource", "must not be empty"}},
        {{{"taints", list("a=b:NoSchedule", "a=b:Never")}},
         {"groups[0].machine.taints[1]",
          "\"a=b:Never\" is not a taint such as \"key=value:NoSchedule\""}},
        {{{"taints", list("=b:NoSchedule")}},
         {"groups[0].machine.taints[0]",
          "\"=b:NoSchedule\" is not a taint such as \"key=value:NoSchedule\""}}};
    for (const auto& [members, rejection] : cases)
        EXPECT_THAT(rejections(settings_with({group_of(members)})), ElementsAre(rejection));
}

TEST(SimulatedMachine, ChangesItsFingerprintWithTheMachine) {
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
