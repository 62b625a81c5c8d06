#include "templates/group_template.hpp"

#include <gmock/gmock.h>

#include "known_types.hpp"

namespace capstan::aws {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;

GroupTemplate made(const TemplateSources& sources,
                   const TemplateConfig& config = {.region = "us-east-1"}) {
    const auto out = make_template(sources, config);
    if (!out) throw Failure(out.error());
    return *out;
}
NodeTemplate node(const TemplateSources& sources,
                  const TemplateConfig& config = {.region = "us-east-1"}) {
    return made(sources, config).node;
}
std::string shown(const Resources& resources, std::string_view resource) {
    const auto amount = resources.find(resource);
    return amount ? format_amount(resource, *amount) : "none";
}

TEST(AwsGroupTemplate, UsesTheLeastOfEachResourceOfTwoTypes) {
    const NodeTemplate mixed = node(group_of({"c4.xlarge", "r4.large"}));
    EXPECT_EQ(shown(mixed.capacity, "cpu"), "2");
    EXPECT_EQ(shown(mixed.capacity, "memory"), "7680Mi");
    EXPECT_EQ(shown(mixed.allocatable, "cpu"), "2");
    EXPECT_EQ(shown(mixed.allocatable, "memory"), "7680Mi");
    EXPECT_EQ(mixed.variants, 2);
    EXPECT_EQ(mixed.machine_type, "");
    EXPECT_THAT(mixed.labels, Not(Contains(Key("node.kubernetes.io/instance-type"))));
    const NodeTemplate turned = node(group_of({"r4.large", "c4.xlarge"}));
    EXPECT_EQ(turned, mixed);
}

TEST(AwsGroupTemplate, UsesOnlyTheFirstTypeIfConfigured) {
    const TemplateConfig config{.region = "us-east-1", .mixed = MixedTemplate::first};
    const NodeTemplate first = node(group_of({"c4.xlarge", "r4.large"}), config);
    EXPECT_EQ(shown(first.capacity, "cpu"), "4");
    EXPECT_EQ(first.machine_type, "c4.xlarge");
    EXPECT_EQ(first.variants, 2) << "its instances are still of two types";
    EXPECT_EQ(shown(node(group_of({"r4.large", "c4.xlarge"}), config).capacity, "cpu"), "2");
}

TEST(AwsGroupTemplate, OmitsAGpuThatOnlySomeInstancesHave) {
    EXPECT_EQ(shown(node(group_of({"g4dn.xlarge", "m5.xlarge"})).capacity, "nvidia.com/gpu"),
              "none");
    const NodeTemplate gpus = node(group_of({"g4dn.12xlarge", "g4dn.xlarge"}));
    EXPECT_EQ(shown(gpus.capacity, "nvidia.com/gpu"), "1");
}

TEST(AwsGroupTemplate, HasAGpuLabelOnlyFromATag) {
    TemplateSources sources = group_of({"g4dn.xlarge"});
    EXPECT_THAT(node(sources).labels, Not(Contains(Key("k8s.amazonaws.com/accelerator"))))
        << "EKS sets no such label";
    sources.group
        .tags["k8s.io/cluster-autoscaler/node-template/label/k8s.amazonaws.com/accelerator"] =
        "nvidia-tesla-t4";
    EXPECT_THAT(node(sources).labels,
                Contains(Pair("k8s.amazonaws.com/accelerator", "nvidia-tesla-t4")));
}

TEST(AwsGroupTemplate, NamesTheMachineTypeIfThereIsOne) {
    TemplateSources sources = group_of({"m5.large"});
    sources.zone_ids = {{"us-east-1a", "use1-az4"}, {"us-east-1b", "use1-az6"}};
    const GroupTemplate out = made(sources);
    EXPECT_THAT(out.warnings, IsEmpty());
    EXPECT_EQ(out.node.machine_type, "m5.large");
    EXPECT_EQ(out.node.zone, "us-east-1a");
    EXPECT_EQ(out.node.arch, "amd64");
    EXPECT_EQ(out.node.os, "linux");
    EXPECT_EQ(out.node.variants, 1);
    EXPECT_EQ(out.node.labels, (Labels{{"kubernetes.io/arch", "amd64"},
                                       {"kubernetes.io/os", "linux"},
                                       {"node.kubernetes.io/instance-type", "m5.large"},
                                       {"topology.ebs.csi.aws.com/zone", "us-east-1a"},
                                       {"topology.k8s.aws/zone-id", "use1-az4"},
                                       {"topology.kubernetes.io/region", "us-east-1"},
                                       {"topology.kubernetes.io/zone", "us-east-1a"}}));
}

TEST(AwsGroupTemplate, TakesTheRegionFromTheSettings) {
    TemplateSources sources = group_of({"m5.large"});
    sources.group.zones = {"us-west-2-lax-1a"};
    EXPECT_THAT(node(sources, {.region = "us-west-2"}).labels,
                IsSupersetOf({std::pair<const std::string, std::string>(
                                  "topology.kubernetes.io/region", "us-west-2"),
                              {"topology.kubernetes.io/zone", "us-west-2-lax-1a"}}));
}

TEST(AwsGroupTemplate, UsesTheFirstOfSeveralZones) {
    TemplateSources sources = group_of({"m5.large"});
    sources.group.zones = {"us-east-1b", "us-east-1a"};
    const GroupTemplate out = made(sources);
    EXPECT_EQ(out.node.zone, "us-east-1a");
    EXPECT_THAT(out.warnings, ElementsAre(HasSubstr("its instances may be in any of")));
    sources.group.zones.clear();
    EXPECT_EQ(made(sources).node.zone, "");
    EXPECT_THAT(made(sources).node.labels, Not(Contains(Key("topology.kubernetes.io/zone"))));
}

TEST(AwsGroupTemplate, PrefersTheArchitectureOfTheImage) {
    TemplateSources sources = group_of({"t4g.medium"});
    EXPECT_EQ(node(sources).arch, "arm64");
    sources = group_of({"m5.large", "t4g.medium"});
    EXPECT_EQ(node(sources).arch, "");
    EXPECT_THAT(made(sources).warnings,
                ElementsAre(HasSubstr("the architecture of its instances")));
    sources.image = Image{.id = "ami-1", .architecture = "x86_64"};
    EXPECT_EQ(node(sources).arch, "amd64");
    EXPECT_THAT(made(sources).warnings, IsEmpty());
    EXPECT_EQ(node(group_of({"t2.small"})).arch, "amd64") << "the type also supports i386";
}

TEST(AwsGroupTemplate, ReservesNothingForAnUnknownImage) {
    const NodeTemplate out = node(group_of({"m5.large"}));
    EXPECT_EQ(out.capacity, (Resources{{"cpu", 2_cpu}, {"memory", 8_GiB}, {"pods", 110}}));
    EXPECT_EQ(out.allocatable, out.capacity) << "the host learns reserves from nodes";
    EXPECT_EQ(out.free, (Resources{{"cpu", 1900_mcpu}, {"memory", 8_GiB}, {"pods", 109}}));
}

TEST(AwsGroupTemplate, SubtractsTheKubeletReservesOfAnEksImage) {
    TemplateSources sources = group_of({"m5.large"});
    sources.image = amazon_linux_2023();
    const NodeTemplate out = node(sources);
    EXPECT_EQ(shown(out.capacity, "pods"), "29");
    EXPECT_EQ(shown(out.capacity, "ephemeral-storage"), "20Gi");
    EXPECT_EQ(shown(out.allocatable, "cpu"), "1930m");
    EXPECT_EQ(shown(out.allocatable, "memory"), "7518Mi");
    EXPECT_EQ(shown(out.allocatable, "ephemeral-storage"), "17Gi");
    EXPECT_EQ(out.free, out.allocatable) << "kube-proxy is a DaemonSet there";
}

TEST(AwsGroupTemplate, SubtractsTheReservesOfEachTypeBeforeTakingTheLeast) {
    TemplateSources sources = group_of({"c5.4xlarge", "r5.xlarge"});
    sources.image = amazon_linux_2023();
    const NodeTemplate out = node(sources);
    // c5.4xlarge: 32Gi less 2929Mi; r5.xlarge: 32Gi less 993Mi, and 4 cores less 80m.
    EXPECT_EQ(shown(out.allocatable, "memory"), "29839Mi");
    EXPECT_EQ(shown(out.allocatable, "cpu"), "3920m");
    EXPECT_EQ(shown(out.capacity, "pods"), "58");
}

TEST(AwsGroupTemplate, IsNeverNegative) {
    TemplateSources sources = group_of({"t3.nano"});
    sources.image = amazon_linux_2023();
    sources.types.front().memory_mib = 100;
    EXPECT_EQ(shown(node(sources).allocatable, "memory"), "0");
}

TEST(AwsGroupTemplate, CountsPodsByTagUserDataSettingAndInterfaces) {
    TemplateSources sources = group_of({"m5.large"});
    sources.image = amazon_linux_2023();
    TemplateConfig config{.prefix_delegation = true};
    EXPECT_EQ(shown(node(sources, config).capacity, "pods"), "110");
    config.max_pods = 60;
    EXPECT_EQ(shown(node(sources, config).capacity, "pods"), "60");
    sources.launch_template = with_user_data("maxPods: 50");
    EXPECT_EQ(shown(node(sources, config).capacity, "pods"), "50");
    sources.group.tags[tag("resources/pods")] = "40";
    EXPECT_EQ(shown(node(sources, config).capacity, "pods"), "40");
    EXPECT_EQ(shown(node(sources, config).allocatable, "pods"), "40");
}

TEST(AwsGroupTemplate, UsesTaggedResourcesForCapacityAndAllocatable) {
    TemplateSources sources = group_of({"m5.large"});
    sources.image = amazon_linux_2023();
    sources.group.tags = {{tag("resources/example.com/dongle"), "3"},
                          {tag("resources/memory"), "6Gi"},
                          {tag("resources/ephemeral-storage"), "100Gi"}};
    const NodeTemplate out = node(sources);
    for (const auto& [resource, amount] : {std::pair("example.com/dongle", "3"),
                                           {"memory", "6Gi"},
                                           {"ephemeral-storage", "100Gi"}}) {
        EXPECT_EQ(shown(out.capacity, resource), amount);
        EXPECT_EQ(shown(out.allocatable, resource), amount);
        EXPECT_EQ(shown(out.free, resource), amount);
    }
    EXPECT_EQ(shown(out.allocatable, "cpu"), "1930m");
}

TEST(AwsGroupTemplate, PrefersNodeGroupToTagsToInstanceType) {
    TemplateSources sources = group_of({"m5.large"});
    sources.group.tags = {{"eks:cluster-name", "prod"},
                          {"eks:nodegroup-name", "workers"},
                          {tag("label/team"), "tagged"},
                          {tag("label/tier"), "tagged"},
                          {tag("label/kubernetes.io/arch"), "arm64"},
                          {tag("label/node.kubernetes.io/instance-type"), "acme"},
                          {tag("taint/dedicated"), "tagged:NoSchedule"},
                          {tag("taint/old"), "tagged:NoSchedule"},
                          {tag("resources/memory"), "6Gi"}};
    sources.nodegroup = EksNodegroup{.name = "workers",
                                     .cluster = "prod",
                                     .ami_type = "AL2023_x86_64_STANDARD",
                                     .capacity_type = "ON_DEMAND",
                                     .labels = {{"team", "eks"}},
                                     .tags = {{tag("resources/memory"), "5Gi"}},
                                     .taints = {{.key = "dedicated", .effect = "NO_SCHEDULE"},
                                                {.key = "dedicated", .effect = "NO_EXECUTE"}}};
    const NodeTemplate out = node(sources);
    EXPECT_THAT(out.labels, IsSupersetOf({std::pair<const std::string, std::string>("team", "eks"),
                                          {"tier", "tagged"},
                                          {"eks.amazonaws.com/nodegroup", "workers"},
                                          {"eks.amazonaws.com/capacityType", "ON_DEMAND"}}));
    EXPECT_EQ(out.arch, "arm64") << "fields equal labels";
    EXPECT_EQ(out.machine_type, "acme");
    EXPECT_EQ(shown(out.allocatable, "memory"), "5Gi");
    EXPECT_THAT(out.taints,
                ElementsAre(Taint{.key = "dedicated", .effect = Effect::no_schedule},
                            Taint{.key = "old", .value = "tagged", .effect = Effect::no_schedule},
                            Taint{.key = "dedicated", .effect = Effect::no_execute}));
}

TEST(AwsGroupTemplate, FindsTheNodeGroupByTagIfEksIsNotAccessible) {
    TemplateSources sources = group_of({"m5.large"});
    sources.group.tags = {{"eks:cluster-name", "prod"}, {"eks:nodegroup-name", "workers"}};
    const NodeTemplate out = node(sources);
    EXPECT_THAT(out.labels, Contains(Pair("eks.amazonaws.com/nodegroup", "workers")));
    EXPECT_EQ(shown(out.capacity, "pods"), "29") << "EKS uses the VPC CNI";
    EXPECT_EQ(out.free, out.allocatable);
}

TEST(AwsGroupTemplate, CapsPodsOfAManagedGroupUnlessItsImageIsCustom) {
    TemplateSources sources = group_of({"c5.4xlarge"});
    sources.nodegroup = EksNodegroup{.name = "workers", .ami_type = "AL2023_x86_64_STANDARD"};
    EXPECT_EQ(shown(node(sources).capacity, "pods"), "110");
    EXPECT_EQ(shown(node(sources).capacity, "ephemeral-storage"), "20Gi");
    sources.nodegroup->ami_type = "CUSTOM";
    EXPECT_EQ(shown(node(sources).capacity, "pods"), "234");
}

TEST(AwsGroupTemplate, HasTheBuildAndAddressesOfWindows) {
    TemplateSources sources = group_of({"m5.large"});
    sources.nodegroup = EksNodegroup{.name = "win", .ami_type = "WINDOWS_CORE_2022_x86_64"};
    const NodeTemplate out = node(sources);
    EXPECT_EQ(out.os, "windows");
    EXPECT_THAT(out.labels, Contains(Pair("node.kubernetes.io/windows-build", "10.0.20348")));
    EXPECT_EQ(shown(out.capacity, "vpc.amazonaws.com/PrivateIPv4Address"), "9");
    EXPECT_EQ(shown(out.capacity, "pods"), "110");
    EXPECT_EQ(shown(out.allocatable, "memory"), "8Gi");
    EXPECT_EQ(shown(out.capacity, "ephemeral-storage"), "50Gi");
}

TEST(AwsGroupTemplate, HasTheEfaInterfacesOfTheLaunchTemplate) {
    TemplateSources sources = group_of({"trn1.32xlarge"});
    sources.launch_template = LaunchTemplateData{.efa_interfaces = 8};
    const NodeTemplate out = node(sources);
    EXPECT_EQ(shown(out.allocatable, "vpc.amazonaws.com/efa"), "8");
    EXPECT_EQ(shown(out.allocatable, "aws.amazon.com/neuron"), "16");
}

TEST(AwsGroupTemplate, UsesRequiredMinimaIfTypesAreUnknown) {
    TemplateSources sources = group_of({});
    sources.requirements = InstanceRequirements{.vcpu_min = 4,
                                                .memory_mib_min = 4096,
                                                .accelerator_count_min = 2,
                                                .accelerator_manufacturers = {"nvidia"},
                                                .accelerator_types = {"gpu"}};
    sources.image = Image{.id = "ami-1", .architecture = "x86_64"};
    const GroupTemplate out = made(sources);
    EXPECT_EQ(shown(out.node.capacity, "cpu"), "4");
    EXPECT_EQ(shown(out.node.capacity, "memory"), "4Gi") << "the bytes need more than 32 bits";
    EXPECT_EQ(shown(out.node.capacity, "nvidia.com/gpu"), "2");
    EXPECT_EQ(out.node.machine_type, "");
    EXPECT_GT(out.node.variants, 1);
    EXPECT_THAT(out.warnings, ElementsAre(HasSubstr("the instance types that match")));
    sources.requirements->accelerator_manufacturers = {"amd", "nvidia"};
    EXPECT_EQ(shown(node(sources).capacity, "nvidia.com/gpu"), "none")
        << "the manufacturer may be another";
}

TEST(AwsGroupTemplate, PrefersKnownTypesToRequirements) {
    TemplateSources sources = group_of({"m5.xlarge", "m5.2xlarge"});
    sources.requirements = InstanceRequirements{.vcpu_min = 1, .memory_mib_min = 0};
    EXPECT_EQ(shown(node(sources).capacity, "cpu"), "4");
    EXPECT_EQ(shown(node(sources).capacity, "memory"), "16Gi");
}

TEST(AwsGroupTemplate, FailsIfNoTypeIsKnown) {
    const auto out = make_template(group_of({}), {});
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().code, ErrorCode::unavailable);
    EXPECT_EQ(out.error().message, "none of its instance types are known");
}

TEST(AwsGroupTemplate, FailsOnAnUnknownEksTaintEffect) {
    TemplateSources sources = group_of({"m5.large"});
    sources.nodegroup = EksNodegroup{.name = "w", .taints = {{.key = "a", .effect = "NEVER"}}};
    EXPECT_EQ(make_template(sources, {}).error().code, ErrorCode::unsupported);
}

TEST(AwsGroupTemplate, SkipsInvalidTagsWithAWarning) {
    TemplateSources sources = group_of({"m5.large"});
    sources.group.tags = {{tag("label/team"), "not a value"},
                          {tag("taint/dedicated"), "gpu"},
                          {tag("resources/cpu"), "many"},
                          {tag("label/tier"), "front"}};
    const GroupTemplate out = made(sources);
    EXPECT_EQ(out.warnings.size(), 3u);
    EXPECT_THAT(out.node.labels, Contains(Pair("tier", "front")));
    EXPECT_EQ(shown(out.node.capacity, "cpu"), "2");
}

TEST(AwsGroupTemplate, HasAFingerprint) {
    const TemplateSources sources = group_of({"m5.large"});
    EXPECT_EQ(node(sources).fingerprint, fingerprint_of(sources, {.region = "us-east-1"}));
}

}  // namespace
}  // namespace capstan::aws
