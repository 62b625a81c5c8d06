#include "templates/accelerators.hpp"

#include <gtest/gtest.h>

#include "known_types.hpp"

namespace capstan::aws {
namespace {

InstanceType with_gpu(const char* manufacturer, const char* name, int count) {
    return {.name = "x", .gpus = {{.manufacturer = manufacturer, .name = name, .count = count}}};
}

TEST(AwsAccelerators, HaveTheResourceNamesOfTheirDevicePlugins) {
    const std::pair<const char*, Resources> cases[] = {
        {"m5.large", {}},
        {"g4dn.xlarge", {{"nvidia.com/gpu", 1}}},
        {"p5.48xlarge", {{"nvidia.com/gpu", 8}}},
        {"g6f.large", {{"nvidia.com/gpu", 1}}},  // an eighth of a GPU, offered as one
        {"inf1.24xlarge",
         {{"aws.amazon.com/neuron", 16},
          {"aws.amazon.com/neuroncore", 64},
          {"aws.amazon.com/neurondevice", 16}}},
        {"trn1.32xlarge",
         {{"aws.amazon.com/neuron", 16},
          {"aws.amazon.com/neuroncore", 32},
          {"aws.amazon.com/neurondevice", 16}}}};
    for (const auto& [name, expected] : cases)
        EXPECT_EQ(accelerator_resources(type_named(name), 0), expected) << name;
    EXPECT_EQ(accelerator_resources(with_gpu("AMD", "Radeon Pro V520", 2), 0),
              (Resources{{"amd.com/gpu", 2}}));
    EXPECT_EQ(accelerator_resources(with_gpu("Habana", "Gaudi HL-205", 8), 0),
              (Resources{{"habana.ai/gaudi", 8}}));
    EXPECT_EQ(accelerator_resources(with_gpu("Acme", "One", 8), 0), Resources{});
    EXPECT_EQ(accelerator_resources(with_gpu("NVIDIA", "T4", 0), 0), Resources{});
}

TEST(AwsAccelerators, IncludeTheEfaInterfacesOfTheLaunchTemplate) {
    const auto efa = [](const char* name, int requested) {
        return accelerator_resources(type_named(name), requested).find("vpc.amazonaws.com/efa");
    };
    EXPECT_EQ(efa("trn1.32xlarge", 0), std::nullopt);
    EXPECT_EQ(efa("trn1.32xlarge", 4), 4);
    EXPECT_EQ(efa("trn1.32xlarge", 32), 8) << "the maximum of the type";
    EXPECT_EQ(efa("m5.large", 1), std::nullopt) << "the type has none";
}

}  // namespace
}  // namespace capstan::aws
