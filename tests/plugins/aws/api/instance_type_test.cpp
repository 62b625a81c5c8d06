#include "api/instance_type.hpp"

#include <gmock/gmock.h>

#include "api/ec2_xml.hpp"
#include "scripted_aws.hpp"

namespace capstan::aws {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<InstanceType> types_in(const std::string& body) {
    const auto reply = XmlReply::parse(body, "DescribeInstanceTypes");
    if (!reply) throw Failure(reply.error());
    return instance_types_of(reply->result());
}

std::vector<InstanceType> types_of_items(const std::string& items) {
    return types_in("<DescribeInstanceTypesResponse><instanceTypeSet>" + items +
                    "</instanceTypeSet></DescribeInstanceTypesResponse>");
}

InstanceType type_with(const std::string& more) {
    const auto types = types_of_items(
        "<item><instanceType>x.large</instanceType><vCpuInfo><defaultVCpus>2</defaultVCpus>"
        "</vCpuInfo><memoryInfo><sizeInMiB>1024</sizeInMiB></memoryInfo>" +
        more + "</item>");
    return types.empty() ? InstanceType{.name = "left out"} : types.front();
}

TEST(InstanceTypeXml, ReadAllFields) {
    const auto types = types_in(response_file("instance_types.xml"));
    ASSERT_THAT(types, SizeIs(5));
    EXPECT_EQ(types[0], (InstanceType{.name = "c4.xlarge",
                                      .vcpus = 4,
                                      .memory_mib = 7680,
                                      .architectures = {"x86_64"},
                                      .network_interfaces = 4,
                                      .ipv4_per_interface = 15,
                                      .usage_classes = {"on-demand", "spot"}}));
    EXPECT_EQ(types[1], (InstanceType{.name = "p4d.24xlarge",
                                      .vcpus = 96,
                                      .memory_mib = 1179648,
                                      .architectures = {"x86_64"},
                                      .gpus = {{"NVIDIA", "A100", 8, 40960}},
                                      .instance_storage_gib = 7450,
                                      .efa_interfaces = 4,
                                      .network_interfaces = 15,
                                      .ipv4_per_interface = 50,
                                      .has_prefix_delegation = true,
                                      .usage_classes = {"on-demand", "spot", "capacity-block"}}));
}

TEST(InstanceTypeXml, ReadNeuronDevicesInBothForms) {
    const auto types = types_in(response_file("instance_types.xml"));
    EXPECT_THAT(types[2].neuron_devices, ElementsAre(Accelerators{"AWS", "Trainium", 16, 32768}));
    EXPECT_EQ(types[2].neuron_cores, 32);
    EXPECT_EQ(types[2].efa_interfaces, 8);
    EXPECT_THAT(types[3].neuron_devices, ElementsAre(Accelerators{"AWS", "Inferentia", 1, 8192}));
    EXPECT_THAT(type_with("<inferenceAcceleratorInfo><accelerators><member><count>1</count>"
                          "<name>Gaudi</name><manufacturer>Habana</manufacturer></member>"
                          "</accelerators></inferenceAcceleratorInfo>")
                    .neuron_devices,
                IsEmpty());
}

TEST(InstanceTypeXml, CountAPartOfAGpuAsOne) {
    const auto gpus = [](const std::string& counts) {
        return type_with("<gpuInfo><gpus><item>" + counts +
                         "<manufacturer>NVIDIA</manufacturer><name>L4</name><memoryInfo>"
                         "<sizeInMiB>2861</sizeInMiB></memoryInfo></item></gpus></gpuInfo>")
            .gpus;
    };
    EXPECT_THAT(gpus("<count>0</count><logicalGpuCount>1</logicalGpuCount>"
                     "<gpuPartitionSize>0.125</gpuPartitionSize>"),
                ElementsAre(Accelerators{"NVIDIA", "L4", 1, 2861}));
    EXPECT_THAT(gpus("<count>4</count><logicalGpuCount>4</logicalGpuCount>"),
                ElementsAre(Accelerators{"NVIDIA", "L4", 4, 2861}));
}

TEST(InstanceTypeXml, SupportPrefixDelegationOnNitroAndBareMetal) {
    const auto types = types_in(response_file("instance_types.xml"));
    EXPECT_FALSE(types[0].has_prefix_delegation);
    EXPECT_TRUE(types[1].has_prefix_delegation);
    EXPECT_TRUE(types[4].bare_metal);
    EXPECT_TRUE(types[4].has_prefix_delegation);
    EXPECT_THAT(types[4].architectures, ElementsAre("arm64"));
}

TEST(InstanceTypeXml, CountTheInterfacesOfTheDefaultNetworkCard) {
    const std::string cards =
        "<networkCards><item><networkCardIndex>0</networkCardIndex><maximumNetworkInterfaces>5"
        "</maximumNetworkInterfaces></item><item><networkCardIndex>1</networkCardIndex>"
        "<maximumNetworkInterfaces>7</maximumNetworkInterfaces></item></networkCards>";
    const std::string all = "<maximumNetworkInterfaces>12</maximumNetworkInterfaces>";
    EXPECT_EQ(type_with("<networkInfo>" + all + cards + "</networkInfo>").network_interfaces, 5);
    EXPECT_EQ(type_with("<networkInfo>" + all +
                        "<defaultNetworkCardIndex>1"
                        "</defaultNetworkCardIndex>" +
                        cards + "</networkInfo>")
                  .network_interfaces,
              7);
    EXPECT_EQ(type_with("<networkInfo>" + all + "</networkInfo>").network_interfaces, 12);
}

TEST(InstanceTypeXml, AssumeOneEfaInterfaceIfTheNumberIsMissing) {
    EXPECT_EQ(
        type_with("<networkInfo><efaSupported>true</efaSupported></networkInfo>").efa_interfaces,
        1);
    EXPECT_EQ(
        type_with("<networkInfo><efaSupported>false</efaSupported></networkInfo>").efa_interfaces,
        0);
}

TEST(InstanceTypeXml, SkipOnlyTheTypesThatCannotBeRead) {
    const std::string good =
        "<item><instanceType>a.large</instanceType><vCpuInfo><defaultVCpus>1"
        "</defaultVCpus></vCpuInfo><memoryInfo><sizeInMiB>1</sizeInMiB>"
        "</memoryInfo></item>";
    EXPECT_THAT(types_of_items("<item/>" + good), SizeIs(1));
    EXPECT_THAT(types_of_items("<item><instanceType>b</instanceType></item>" + good), SizeIs(1));
    EXPECT_EQ(type_with("<gpuInfo><gpus><item><count>some</count></item></gpus></gpuInfo>").name,
              "left out");
    EXPECT_EQ(type_with("").name, "x.large");
    EXPECT_THAT(types_of_items("<item><instanceType>b</instanceType><vCpuInfo><defaultVCpus>0"
                               "</defaultVCpus></vCpuInfo><memoryInfo><sizeInMiB>1</sizeInMiB>"
                               "</memoryInfo></item>"),
                IsEmpty());
    EXPECT_EQ(type_with("<neuronInfo><neuronDevices><item><count>2147483647</count><coreInfo>"
                        "<count>2147483647</count></coreInfo></item></neuronDevices></neuronInfo>")
                  .neuron_cores,
              2147483647);
    EXPECT_EQ(type_with("<instanceStorageInfo><totalSizeInGB>-5</totalSizeInGB>"
                        "</instanceStorageInfo>")
                  .instance_storage_gib,
              0);
}

}  // namespace
}  // namespace capstan::aws
