#include "api/flatten.hpp"

#include <gmock/gmock.h>

namespace capstan::aws {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// "VCpuCount.Min=2", in order.
std::vector<std::string> flattened(const std::string& inner) {
    const auto reply =
        XmlReply::parse("<AResponse><AResult>" + inner + "</AResult></AResponse>", "A");
    if (!reply) throw Failure(reply.error());
    std::vector<std::string> out;
    for (const auto& [name, value] : flatten(reply->result())) out.push_back(name + "=" + value);
    return out;
}

struct FlattenCase {
    const char* what;
    std::string xml;
    std::vector<std::string> parameters;
};

TEST(Flatten, NamesMembersAsEc2RequestsDo) {
    const std::vector<FlattenCase> cases{
        {"a structure of ec2",
         "<vCpuCount><min>2</min><max>4</max></vCpuCount>",
         {"VCpuCount.Min=2", "VCpuCount.Max=4"}},
        {"a structure of the query protocol",
         "<VCpuCount><Min>2</Min></VCpuCount>",
         {"VCpuCount.Min=2"}},
        {"a list of ec2",
         "<cpuManufacturerSet><item>intel</item><item>amd</item></cpuManufacturerSet>",
         {"CpuManufacturer.1=intel", "CpuManufacturer.2=amd"}},
        {"a list of the query protocol",
         "<AllowedInstanceTypes><member>m5.*</member></AllowedInstanceTypes>",
         {"AllowedInstanceType.1=m5.*"}},
        {"a member that is not known yet",
         "<quantumBits><min>9</min></quantumBits>",
         {"QuantumBits.Min=9"}},
        {"a list that is not known yet",
         "<colourSet><item>red</item></colourSet>",
         {"Colour.1=red"}},
        {"a plural in -ies",
         "<InstanceFamilies><member>m5</member></InstanceFamilies>",
         {"InstanceFamily.1=m5"}},
        {"structures in a list",
         "<baselinePerformanceFactors><cpu><referenceSet><item><instanceFamily>c6i</instanceFamily>"
         "</item></referenceSet></cpu></baselinePerformanceFactors>",
         {"BaselinePerformanceFactors.Cpu.Reference.1.InstanceFamily=c6i"}},
        {"the same of the query protocol",
         "<BaselinePerformanceFactors><Cpu><Reference><item><InstanceFamily>c6i</InstanceFamily>"
         "</item></Reference></Cpu></BaselinePerformanceFactors>",
         {"BaselinePerformanceFactors.Cpu.Reference.1.InstanceFamily=c6i"}},
        {"a list by the name of its items",
         "<groupSet><groupId>sg-1</groupId></groupSet>",
         {"SecurityGroupId.1=sg-1"}},
        {"a licence",
         "<licenseSet><item><licenseConfigurationArn>a</licenseConfigurationArn></item>"
         "</licenseSet>",
         {"LicenseSpecification.1.LicenseConfigurationArn=a"}},
        {"members that only responses have",
         "<metadataOptions><state>applied</state><httpTokens>required</httpTokens></"
         "metadataOptions>"
         "<operator><managed>true</managed></operator>",
         {"MetadataOptions.HttpTokens=required"}},
        {"an empty list", "<excludedInstanceTypeSet/><Names></Names>", {}},
        {"an empty element", "<bareMetal/>", {}},
        {"a device of the image that is left out",
         "<blockDeviceMappingSet><item><deviceName>a</deviceName><noDevice/></item>"
         "</blockDeviceMappingSet>",
         {"BlockDeviceMapping.1.DeviceName=a", "BlockDeviceMapping.1.NoDevice="}},
        {"an empty item is not counted", "<aSet><item/><item>x</item></aSet>", {"A.1=x"}},
        {"text between elements", "noise<min>1</min>", {"Min=1"}},
    };
    for (const FlattenCase& one : cases) {
        SCOPED_TRACE(one.what);
        EXPECT_EQ(flattened(one.xml), one.parameters);
    }
}

TEST(Flatten, StopsAtTheMaximumDepth) {
    std::string open, close;
    for (int i = 0; i < 100; ++i) {
        open += "<a>";
        close += "</a>";
    }
    EXPECT_THAT(flattened(open + "x" + close), IsEmpty());
}

TEST(Flatten, FindsParametersAndLists) {
    const Ec2Parameters parameters{{"A.1", "x"}, {"A.2", "y"}, {"A.1.B", "no"}, {"AB.1", "no"}};
    EXPECT_THAT(list_of_parameters(parameters, "A"), ElementsAre("x", "y"));
    EXPECT_THAT(list_of_parameters(parameters, "B"), IsEmpty());
    EXPECT_EQ(*find_parameter(parameters, "A.2"), "y");
    EXPECT_EQ(find_parameter(parameters, "A"), nullptr);
}

}  // namespace
}  // namespace capstan::aws
