#include "api/ec2.hpp"

#include <gmock/gmock.h>

#include "scripted_aws.hpp"

namespace capstan::aws {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;

struct Ec2Calls : ::testing::Test {
    ScriptedAws aws{};
    Ec2Api api{aws.client()};

    /// The requirements of the launch template in the recorded response.
    InstanceRequirements requirements() {
        aws.file("DescribeLaunchTemplateVersions", "launch_template_requirements.xml");
        return *aws.run(api.describe_launch_template_version({.name = "abis"}))->requirements;
    }
};

TEST_F(Ec2Calls, ReadALaunchTemplateVersion) {
    aws.file("DescribeLaunchTemplateVersions", "launch_template.xml");
    const auto data = aws.run(api.describe_launch_template_version({.id = "lt-1", .name = "gpu"}));
    ASSERT_TRUE(data) << data.error();
    EXPECT_EQ(data->instance_type, "p4d.24xlarge");
    EXPECT_EQ(data->image_id, "ami-0bbbbbbbbbbbbbbbb");
    EXPECT_EQ(data->version, "4");
    EXPECT_TRUE(data->spot);
    EXPECT_EQ(data->spot_max_price, "0.5");
    EXPECT_EQ(data->efa_interfaces, 2);
    EXPECT_FALSE(data->requirements);
    EXPECT_THAT(data->block_devices, ElementsAre(BlockDevice{"/dev/xvda", 100, "gp3", ""}));
    EXPECT_EQ(data->instance_tags,
              (Labels{{"Name", "worker"}, {"aws:reserved", "kept by AWS"}, {"plain", ""}}));
    // EC2 refuses an id together with a name.
    EXPECT_EQ(aws.parameters(),
              (Labels{{"LaunchTemplateId", "lt-1"}, {"LaunchTemplateVersion.1", "$Default"}}));
}

TEST_F(Ec2Calls, RequestAVersionByLaunchTemplateName) {
    aws.file("DescribeLaunchTemplateVersions", "launch_template.xml");
    ASSERT_TRUE(
        aws.run(api.describe_launch_template_version({.name = "gpu", .version = "$Latest"})));
    EXPECT_EQ(aws.parameters(),
              (Labels{{"LaunchTemplateName", "gpu"}, {"LaunchTemplateVersion.1", "$Latest"}}));
}

TEST_F(Ec2Calls, ResolveAnImageParameterWithASecondRequest) {
    aws.file("DescribeLaunchTemplateVersions", "launch_template_requirements.xml")
        .file("DescribeLaunchTemplateVersions", "launch_template_resolved.xml");
    const auto data = aws.run(api.describe_launch_template_version({.name = "abis"}));
    ASSERT_TRUE(data) << data.error();
    EXPECT_EQ(data->image_id, "ami-0cccccccccccccccc");
    EXPECT_EQ(data->requirements->vcpu_min, 2);
    ASSERT_THAT(aws.requests(), SizeIs(2));
    EXPECT_THAT(aws.requests()[0].parameters, Not(Contains(Key("ResolveAlias"))));
    EXPECT_EQ(aws.requests()[1].parameters.at("ResolveAlias"), "true");
}

TEST_F(Ec2Calls, KeepTheImageParameterIfResolvingIsNotAllowed) {
    aws.file("DescribeLaunchTemplateVersions", "launch_template_requirements.xml")
        .on("DescribeLaunchTemplateVersions",
            ec2_error("UnauthorizedOperation", "You are not authorized"), 403);
    const auto data = aws.run(api.describe_launch_template_version({.name = "abis"}));
    ASSERT_TRUE(data) << data.error();
    EXPECT_THAT(data->image_id, HasSubstr("resolve:ssm:"));
    EXPECT_EQ(data->image_parameter, data->image_id);
    EXPECT_THAT(data->image_error, HasSubstr("You are not authorized"));
}

TEST_F(Ec2Calls, FailIfAnImageParameterCannotBeResolvedNow) {
    aws.file("DescribeLaunchTemplateVersions", "launch_template_requirements.xml");
    for (int i = 0; i < 3; ++i)
        aws.on("DescribeLaunchTemplateVersions", ec2_error("RequestLimitExceeded", "slow down"),
               503);
    const auto data = aws.run(api.describe_launch_template_version({.name = "abis"}));
    ASSERT_FALSE(data) << "incomplete data would be cached";
    EXPECT_EQ(data.error().code, ErrorCode::throttled);
}

TEST_F(Ec2Calls, ReportAVersionThatDoesNotExist) {
    aws.on("DescribeLaunchTemplateVersions",
           "<DescribeLaunchTemplateVersionsResponse><launchTemplateVersionSet/>"
           "</DescribeLaunchTemplateVersionsResponse>");
    const auto data = aws.run(api.describe_launch_template_version({.name = "gone"}));
    ASSERT_FALSE(data);
    EXPECT_EQ(data.error().code, ErrorCode::not_found);
    EXPECT_THAT(data.error().message, HasSubstr("gone, version $Default"));
}

TEST_F(Ec2Calls, ReadImagesWithTheirDisks) {
    aws.file("DescribeImages", "images.xml");
    const auto images = aws.run(api.describe_images({"ami-2", "ami-1", "resolve:ssm:/a", ""}));
    ASSERT_TRUE(images) << images.error();
    EXPECT_EQ(aws.parameters(), (Labels{{"ImageId.1", "ami-1"}, {"ImageId.2", "ami-2"}}));
    ASSERT_THAT(*images, SizeIs(2));
    const Image& linux = images->at(0);
    EXPECT_EQ(linux.architecture, "x86_64");
    EXPECT_EQ(linux.virtualization_type, "hvm");
    EXPECT_EQ(linux.platform, "");
    EXPECT_EQ(linux.root_device_name, "/dev/xvda");
    EXPECT_THAT(linux.block_devices,
                ElementsAre(BlockDevice{"/dev/xvda", 20, "gp3", "snap-0aaaaaaaaaaaaaaaa"}));
    EXPECT_EQ(images->at(1).platform, "windows");
}

TEST_F(Ec2Calls, SendNoRequestWithoutImageIds) {
    EXPECT_THAT(*aws.run(api.describe_images({"resolve:ssm:/a"})), IsEmpty());
    EXPECT_THAT(aws.requests(), IsEmpty());
}

TEST_F(Ec2Calls, ReadTheExistingImagesIfOneDoesNotExist) {
    const std::string missing =
        ec2_error("InvalidAMIID.NotFound", "The image id '[ami-2]' does not exist");
    aws.on("DescribeImages", missing, 400)
        .file("DescribeImages", "images.xml")
        .on("DescribeImages", missing, 400);
    const auto images = aws.run(api.describe_images({"ami-1", "ami-2"}));
    ASSERT_TRUE(images) << images.error();
    EXPECT_THAT(*images, SizeIs(2));
    ASSERT_THAT(aws.requests(), SizeIs(3));
    EXPECT_EQ(aws.requests()[1].parameters, (Labels{{"ImageId.1", "ami-1"}}));
    EXPECT_EQ(aws.requests()[2].parameters, (Labels{{"ImageId.1", "ami-2"}}));
}

TEST_F(Ec2Calls, FailOnAnyOtherError) {
    aws.on("DescribeImages", ec2_error("UnauthorizedOperation", "no"), 403);
    const auto images = aws.run(api.describe_images({"ami-1", "ami-2"}));
    ASSERT_FALSE(images);
    EXPECT_EQ(images.error().code, ErrorCode::permission);
    EXPECT_THAT(aws.requests(), SizeIs(1));
}

TEST_F(Ec2Calls, ReadAllInstanceTypesInPagesOfOneHundred) {
    std::string first = response_file("instance_types.xml");
    first.replace(first.find("<nextToken/>"), 12, "<nextToken>more</nextToken>");
    aws.on("DescribeInstanceTypes", first).file("DescribeInstanceTypes", "instance_types.xml");
    const auto types = aws.run(api.describe_instance_types({}));
    ASSERT_TRUE(types) << types.error();
    EXPECT_THAT(*types, SizeIs(10));
    ASSERT_THAT(aws.requests(), SizeIs(2));
    EXPECT_EQ(aws.requests()[0].parameters, (Labels{{"MaxResults", "100"}}));
    EXPECT_EQ(aws.requests()[1].parameters, (Labels{{"MaxResults", "100"}, {"NextToken", "more"}}));
}

TEST_F(Ec2Calls, RequestNamedInstanceTypesWithoutAPageSize) {
    aws.file("DescribeInstanceTypes", "instance_types.xml");
    ASSERT_TRUE(aws.run(api.describe_instance_types({"m5.large"})));
    EXPECT_EQ(aws.parameters(), (Labels{{"InstanceType.1", "m5.large"}}));
}

TEST_F(Ec2Calls, SendInstanceRequirementsAsTheyWereRead) {
    const InstanceRequirements wanted = requirements();
    aws.file("GetInstanceTypesFromInstanceRequirements", "types_by_requirements.xml");
    const auto types = aws.run(api.find_types(wanted, "x86_64", "hvm"));
    ASSERT_TRUE(types) << types.error();
    EXPECT_THAT(*types, ElementsAre("m5.large", "m6i.large"));
    EXPECT_EQ(aws.requests().back().parameters,
              (Labels{{"ArchitectureType.1", "x86_64"},
                      {"VirtualizationType.1", "hvm"},
                      {"InstanceRequirements.VCpuCount.Min", "2"},
                      {"InstanceRequirements.VCpuCount.Max", "4"},
                      {"InstanceRequirements.MemoryMiB.Min", "4096"},
                      {"InstanceRequirements.CpuManufacturer.1", "intel"},
                      {"InstanceRequirements.CpuManufacturer.2", "amd"},
                      {"InstanceRequirements.AllowedInstanceType.1", "m5.*"},
                      {"InstanceRequirements.AllowedInstanceType.2", "m6i.*"},
                      {"InstanceRequirements.NetworkBandwidthGbps.Min", "1.5"},
                      {"InstanceRequirements.BaselinePerformanceFactors.Cpu.Reference.1."
                       "InstanceFamily",
                       "c6i"},
                      {"InstanceRequirements.RequireHibernateSupport", "false"}}));
}

TEST_F(Ec2Calls, SendTheRequiredMinima) {
    aws.file("GetInstanceTypesFromInstanceRequirements", "types_by_requirements.xml");
    ASSERT_TRUE(aws.run(api.find_types({.parameters = {{"VCpuCount.Max", "4"}}}, "arm64", "hvm")));
    EXPECT_THAT(aws.parameters(), AllOf(Contains(Pair("InstanceRequirements.VCpuCount.Min", "0")),
                                        Contains(Pair("InstanceRequirements.MemoryMiB.Min", "0"))));
}

TEST_F(Ec2Calls, FindSubnetsByAllTags) {
    aws.file("DescribeSubnets", "subnets.xml");
    const auto subnets =
        aws.run(api.find_subnets({{"kubernetes.io/cluster/prod", "*"}, {"a", ""}}));
    ASSERT_TRUE(subnets) << subnets.error();
    EXPECT_EQ(aws.parameters(), (Labels{{"Filter.1.Name", "tag:a"},
                                        {"Filter.1.Value.1", ""},
                                        {"Filter.2.Name", "tag:kubernetes.io/cluster/prod"},
                                        {"Filter.2.Value.1", "*"},
                                        {"MaxResults", "1000"}}));
    ASSERT_THAT(*subnets, SizeIs(2));
    EXPECT_EQ(subnets->at(0).zone_id, "euc1-az2");
    EXPECT_EQ(subnets->at(0).tags.at("kubernetes.io/role/internal-elb"), "");
    EXPECT_EQ(subnets->at(1).zone, "eu-central-1b");
}

TEST_F(Ec2Calls, ReadThePrivateAddressesOfInstances) {
    aws.file("DescribeInstances", "instances.xml");
    const auto read =
        aws.run(api.describe_addresses({"i-00000000000000001", "i-00000000000000002"}));
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(aws.parameters(), (Labels{{"Filter.1.Name", "instance-id"},
                                        {"Filter.1.Value.1", "i-00000000000000001"},
                                        {"Filter.1.Value.2", "i-00000000000000002"},
                                        {"MaxResults", "1000"}}));
    ASSERT_THAT(*read, SizeIs(3));
    EXPECT_EQ(read->at(0).id, "i-00000000000000001");
    EXPECT_THAT(read->at(0).addresses, ElementsAre("10.0.1.7", "2a05:d014::7",
                                                   "ip-10-0-1-7.eu-central-1.compute.internal"));
    EXPECT_THAT(read->at(1).addresses, IsEmpty()) << "a terminated instance has none";
    EXPECT_THAT(read->at(2).addresses, ElementsAre("10.0.1.9"));
}

TEST_F(Ec2Calls, NeverRequestAllInstancesOfTheAccount) {
    EXPECT_EQ(aws.run(api.describe_addresses({})).error().code, ErrorCode::invalid_argument);
    EXPECT_THAT(aws.requests(), IsEmpty());
}

TEST_F(Ec2Calls, NeverRequestAllSubnetsOfTheAccount) {
    EXPECT_EQ(aws.run(api.find_subnets({})).error().code, ErrorCode::invalid_argument);
    EXPECT_THAT(aws.requests(), IsEmpty());
}

TEST_F(Ec2Calls, ReadInstanceTypeOfferings) {
    aws.file("DescribeInstanceTypeOfferings", "type_offerings.xml");
    EXPECT_THAT(*aws.run(api.describe_type_offerings()),
                ElementsAre(Pair("m5.large", "eu-central-1a"), Pair("m5.large", "eu-central-1b"),
                            Pair("p4d.24xlarge", "eu-central-1b")));
    EXPECT_EQ(aws.parameters().at("LocationType"), "availability-zone");
}

TEST_F(Ec2Calls, CreateALaunchTemplateFromAnotherOne) {
    aws.file("DescribeLaunchTemplateVersions", "launch_template.xml")
        .file("CreateLaunchTemplate", "create_launch_template.xml");
    const auto made = aws.run(api.create_launch_template({.name = "capstan-m5.large",
                                                          .source = {.name = "gpu"},
                                                          .instance_type = "m5.large",
                                                          .user_data = "bmV3",
                                                          .tags = {{"owner", "capstan"}},
                                                          .instance_tags = {{"Name", "made"}}}));
    ASSERT_TRUE(made) << made.error();
    EXPECT_EQ(made->text(), "capstan-m5.large, version 1");
    const std::string data = "LaunchTemplateData.", tags = data + "TagSpecification.";
    const std::string network = data + "NetworkInterface.";
    EXPECT_EQ(aws.requests().back().parameters,
              (Labels{{"LaunchTemplateName", "capstan-m5.large"},
                      {data + "BlockDeviceMapping.1.DeviceName", "/dev/xvda"},
                      {data + "BlockDeviceMapping.1.Ebs.DeleteOnTermination", "true"},
                      {data + "BlockDeviceMapping.1.Ebs.Encrypted", "true"},
                      {data + "BlockDeviceMapping.1.Ebs.Iops", "3000"},
                      {data + "BlockDeviceMapping.1.Ebs.VolumeSize", "100"},
                      {data + "BlockDeviceMapping.1.Ebs.VolumeType", "gp3"},
                      {data + "BlockDeviceMapping.2.DeviceName", "/dev/xvdb"},
                      {data + "BlockDeviceMapping.2.NoDevice", ""},
                      {data + "IamInstanceProfile.Arn",
                       "arn:aws:iam::123456789012:instance-profile/worker"},
                      {data + "ImageId", "ami-0bbbbbbbbbbbbbbbb"},
                      {data + "InstanceType", "m5.large"},
                      {data + "LicenseSpecification.1.LicenseConfigurationArn",
                       "arn:aws:license-manager:eu-central-1:123456789012:license-configuration:"
                       "lic-1"},
                      {data + "MetadataOptions.HttpPutResponseHopLimit", "2"},
                      {data + "MetadataOptions.HttpTokens", "required"},
                      {network + "1.DeviceIndex", "0"},
                      {network + "1.InterfaceType", "efa"},
                      {network + "1.NetworkCardIndex", "0"},
                      {network + "1.PrivateIpAddresses.1.Primary", "true"},
                      {network + "1.PrivateIpAddresses.1.PrivateIpAddress", "10.0.0.7"},
                      {network + "1.SecurityGroupId.1", "sg-0aaaaaaaaaaaaaaaa"},
                      {network + "1.SecurityGroupId.2", "sg-0bbbbbbbbbbbbbbbb"},
                      {network + "2.DeviceIndex", "1"},
                      {network + "2.InterfaceType", "efa-only"},
                      {network + "2.NetworkCardIndex", "1"},
                      {network + "3.DeviceIndex", "2"},
                      {network + "3.InterfaceType", "interface"},
                      {tags + "1.ResourceType", "instance"},
                      {tags + "1.Tag.1.Key", "Name"},
                      {tags + "1.Tag.1.Value", "made"},
                      {tags + "1.Tag.2.Key", "plain"},
                      {tags + "1.Tag.2.Value", ""},
                      {tags + "2.ResourceType", "volume"},
                      {tags + "2.Tag.1.Key", "Name"},
                      {tags + "2.Tag.1.Value", "disk"},
                      {data + "UserData", "bmV3"},
                      {"TagSpecification.1.ResourceType", "launch-template"},
                      {"TagSpecification.1.Tag.1.Key", "owner"},
                      {"TagSpecification.1.Tag.1.Value", "capstan"}}));
}

TEST_F(Ec2Calls, ReplaceInstanceRequirementsWithAType) {
    aws.file("DescribeLaunchTemplateVersions", "launch_template_requirements.xml")
        .file("CreateLaunchTemplate", "create_launch_template.xml");
    ASSERT_TRUE(aws.run(api.create_launch_template(
        {.name = "made", .source = {.name = "abis"}, .instance_type = "m5.large"})));
    const Labels parameters = aws.requests().back().parameters;
    EXPECT_EQ(parameters.at("LaunchTemplateData.InstanceType"), "m5.large");
    // Unresolved, since the value of the parameter may change.
    EXPECT_THAT(parameters.at("LaunchTemplateData.ImageId"), HasSubstr("resolve:ssm:"));
    EXPECT_THAT(parameters, SizeIs(3));
}

TEST_F(Ec2Calls, CreateALaunchTemplateWithoutASource) {
    aws.file("CreateLaunchTemplate", "create_launch_template.xml");
    ASSERT_TRUE(aws.run(api.create_launch_template({.name = "made", .instance_type = "m5.large"})));
    EXPECT_EQ(aws.parameters(), (Labels{{"LaunchTemplateName", "made"},
                                        {"LaunchTemplateData.InstanceType", "m5.large"}}));
}

TEST_F(Ec2Calls, DeleteALaunchTemplateByName) {
    aws.file("DeleteLaunchTemplate", "delete_launch_template.xml");
    ASSERT_TRUE(aws.run(api.delete_launch_template("made")));
    EXPECT_EQ(aws.parameters(), (Labels{{"LaunchTemplateName", "made"}}));
}

TEST_F(Ec2Calls, CheckPermissionsWithADryRun) {
    aws.on("DescribeImages",
           ec2_error("DryRunOperation", "Request would have succeeded, but DryRun flag is set."),
           412)
        .on("DescribeSubnets",
            ec2_error("UnauthorizedOperation", "You are not authorized to perform this operation."),
            403);
    const auto allowed = aws.run(api.dry_run("DescribeImages"));
    ASSERT_TRUE(allowed);
    EXPECT_FALSE(*allowed);
    EXPECT_EQ(aws.parameters(), (Labels{{"DryRun", "true"}}));
    const auto refused = aws.run(api.dry_run("DescribeSubnets"));
    ASSERT_TRUE(refused && *refused);
    EXPECT_EQ((*refused)->code, ErrorCode::permission);
}

TEST_F(Ec2Calls, KeepUserDataOutOfLogsAndErrors) {
    const std::string secret = "IyEvYmluL3NoCmV4cG9ydCBUT0tFTj1odW50ZXIyCg==";
    const std::string body = response_file("launch_template.xml");
    aws.on("DescribeLaunchTemplateVersions", body)
        .on("CreateLaunchTemplate", ec2_error("InvalidUserData.Malformed", "Invalid"), 400)
        .on("CreateLaunchTemplate", "", 503);
    for (int i = 0; i < 2; ++i) {
        const auto made =
            aws.run(api.create_launch_template({.name = "made", .source = {.name = "gpu"}}));
        ASSERT_FALSE(made);
        EXPECT_THAT(made.error().message, Not(HasSubstr(secret.substr(0, 16))));
    }
    EXPECT_THAT(aws.requests().back().request.body, HasSubstr("UserData"));
    EXPECT_THAT(aws.log(), Not(HasSubstr(secret.substr(0, 16))));
}

}  // namespace
}  // namespace capstan::aws
