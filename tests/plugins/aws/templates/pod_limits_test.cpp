#include "templates/pod_limits.hpp"

#include <gtest/gtest.h>

#include "known_types.hpp"

namespace capstan::aws {
namespace {

TEST(PodLimits, FollowTheInterfacesLikeTheEksList) {
    const std::pair<const char*, std::int64_t> cases[] = {
        {"t3.nano", 4},    {"t3.small", 11},     {"t3.medium", 17},    {"m5.large", 29},
        {"m5.xlarge", 58}, {"c5.4xlarge", 234},  {"m5.24xlarge", 737}, {"c4.xlarge", 58},
        {"r4.large", 29},  {"p4d.24xlarge", 737}};
    for (const auto& [name, pods] : cases) {
        EXPECT_EQ(count_eni_pods(type_named(name)), pods) << name;
        EXPECT_EQ(count_pods(type_named(name), {.vpc_cni = true}), pods) << name;
    }
}

TEST(PodLimits, GrowWithPrefixesUpToTheCoreLimit) {
    const std::pair<const char*, std::int64_t> cases[] = {
        {"t3.nano", 34},       // two interfaces, one prefix each: below the cap
        {"m5.large", 110},     // 434
        {"c5.4xlarge", 110},   // 16 cores
        {"m5.8xlarge", 250},   // 32 cores
        {"m5.24xlarge", 250},  // 96 cores
        {"c4.xlarge", 58},     // Xen has no prefixes
    };
    for (const auto& [name, pods] : cases) {
        EXPECT_EQ(count_pods(type_named(name), {.vpc_cni = true, .prefix_delegation = true}), pods)
            << name;
    }
}

TEST(PodLimits, AreCappedInManagedGroupsWithoutPrefixes) {
    const PodLimitSources managed{.vpc_cni = true, .managed = true};
    EXPECT_EQ(count_pods(type_named("c5.4xlarge"), managed), 110);
    EXPECT_EQ(count_pods(type_named("m5.24xlarge"), managed), 250);
    EXPECT_EQ(count_pods(type_named("m5.large"), managed), 29);
}

TEST(PodLimits, AreCappedAt250AboveThirtyCores) {
    InstanceType type = type_named("m5.8xlarge");
    const PodLimitSources prefixes{.vpc_cni = true, .prefix_delegation = true};
    type.vcpus = 30;
    EXPECT_EQ(count_pods(type, prefixes), 110);
    type.vcpus = 31;
    EXPECT_EQ(count_pods(type, prefixes), 250);
}

TEST(PodLimits, UseTheKubeletDefaultIfInterfacesDoNotCount) {
    const InstanceType small = type_named("t3.medium");
    EXPECT_EQ(count_pods(small, {}), 110) << "not the VPC CNI";
    EXPECT_EQ(count_pods(small, {.vpc_cni = true, .windows = true}), 110);
    InstanceType untold = small;
    untold.network_interfaces = 0;
    EXPECT_EQ(count_eni_pods(untold), std::nullopt);
    EXPECT_EQ(count_pods(untold, {.vpc_cni = true}), 110);
    untold = small;
    untold.ipv4_per_interface = 0;
    EXPECT_EQ(count_pods(untold, {.vpc_cni = true}), 110);
}

TEST(PodLimits, UseTheAddressesOfOneInterfaceOnWindows) {
    EXPECT_EQ(count_windows_addresses(type_named("m5.large"), false), 9);
    EXPECT_EQ(count_windows_addresses(type_named("m5.large"), true), 144);
    EXPECT_EQ(count_windows_addresses(InstanceType{}, false), std::nullopt);
}

}  // namespace
}  // namespace capstan::aws
