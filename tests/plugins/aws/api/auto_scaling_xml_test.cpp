#include <gmock/gmock.h>

#include <capstan/time_text.hpp>

#include "api/auto_scaling_xml.hpp"
#include "scripted_aws.hpp"

namespace capstan::aws {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

AutoScalingGroups read_all(const std::string& body) {
    const Result<XmlReply> reply = XmlReply::parse(body, "DescribeAutoScalingGroups");
    if (!reply) throw Failure(reply.error());
    std::vector<Result<AutoScalingGroup>> out;
    for (const XmlElement& member : reply->result().items("AutoScalingGroups"))
        out.push_back(read_group(member));
    return sorted_groups(std::move(out));
}

AutoScalingGroup read_one(const std::string& more) {
    const AutoScalingGroups all = read_all(groups_response(group_member("web", more)));
    if (all.groups.size() != 1) throw Failure(all.unreadable.at(0));
    return all.groups.front();
}

/// The error of the group, or nothing.
std::string error_of(const std::string& member) {
    const AutoScalingGroups all = read_all(groups_response(member));
    return all.unreadable.empty() ? std::string() : all.unreadable.front().message;
}

TEST(AutoScalingXml, ReadAllFields) {
    const AutoScalingGroups all = read_all(response_file("groups_page_1.xml"));
    ASSERT_THAT(all.groups, SizeIs(2));
    const AutoScalingGroup& web = all.groups[1];
    EXPECT_EQ(web.name, "spot-web");
    EXPECT_THAT(web.arn, HasSubstr(":autoScalingGroupName/spot-web"));
    EXPECT_EQ(std::tuple(web.min, web.max, web.desired), std::tuple(0, 40, 3));
    EXPECT_THAT(web.zones, ElementsAre("eu-central-1a", "eu-central-1b"));
    EXPECT_THAT(web.subnets, ElementsAre("subnet-0a", "subnet-0b"));
    EXPECT_THAT(web.suspended_processes, ElementsAre("AZRebalance", "Launch"));
    EXPECT_EQ(web.status, "");
    EXPECT_EQ(web.desired_capacity_type, "");
    EXPECT_FALSE(web.has_warm_pool);
    EXPECT_FALSE(web.launch_template);
    EXPECT_EQ(format_rfc3339(*web.created), "2026-03-14T09:26:53.589Z");
    EXPECT_EQ(web.tags,
              (Labels{{"k8s.io/cluster-autoscaler/enabled", ""},
                      {"k8s.io/cluster-autoscaler/node-template/label/team", "web & shop"},
                      {"owner", ""}}));
}

TEST(AutoScalingXml, ReadAMixedInstancesPolicyWithOverrides) {
    const AutoScalingGroup web = read_all(response_file("groups_page_1.xml")).groups[1];
    ASSERT_TRUE(web.mixed);
    EXPECT_EQ(web.mixed->launch_template.text(), "spot-web, version $Latest");
    EXPECT_EQ(web.mixed->on_demand_base, 1);
    EXPECT_EQ(web.mixed->on_demand_percentage, 25);
    EXPECT_EQ(web.mixed->spot_allocation_strategy, "price-capacity-optimized");
    EXPECT_EQ(web.mixed->spot_max_price, "0.25");
    ASSERT_THAT(web.mixed->overrides, SizeIs(2));
    EXPECT_EQ(web.mixed->overrides[0].instance_type, "m5.xlarge");
    EXPECT_FALSE(web.mixed->overrides[0].launch_template);
    EXPECT_EQ(web.mixed->overrides[1].weighted_capacity, "1");
    EXPECT_EQ(web.mixed->overrides[1].launch_template->text(), "spot-web-arm, version 7");
}

TEST(AutoScalingXml, ReadInstancesInSeveralLifecycleStates) {
    const AutoScalingGroup web = read_all(response_file("groups_page_1.xml")).groups[1];
    ASSERT_THAT(web.instances, SizeIs(3));
    const AsgInstance& first = web.instances[0];
    EXPECT_EQ(first.id, "i-00000000000000001");
    EXPECT_EQ(first.zone, "eu-central-1a");
    EXPECT_EQ(first.instance_type, "m5.xlarge");
    EXPECT_EQ(first.health_status, "Healthy");
    EXPECT_TRUE(first.is_protected);
    EXPECT_EQ(first.launch_template->version, "12");
    EXPECT_EQ(web.instances[1].lifecycle_state, "Pending:Wait");
    EXPECT_EQ(web.instances[2].lifecycle_state, "Terminating:Proceed");
    EXPECT_FALSE(web.instances[2].launch_template);
}

TEST(AutoScalingXml, ReadRequirementsWarmPoolsAndCapacityUnits) {
    const AutoScalingGroup abis = read_all(response_file("groups_page_1.xml")).groups[0];
    EXPECT_TRUE(abis.has_warm_pool);
    EXPECT_EQ(abis.desired_capacity_type, "vcpu");
    EXPECT_THAT(abis.instances, IsEmpty());
    EXPECT_THAT(abis.tags, IsEmpty());
    const InstanceRequirements& requirements = abis.mixed->overrides.at(0).requirements.value();
    EXPECT_EQ(requirements.vcpu_min, 4);
    EXPECT_EQ(requirements.vcpu_max, 8);
    EXPECT_EQ(requirements.memory_mib_min, 16384);
    EXPECT_FALSE(requirements.memory_mib_max);
    EXPECT_EQ(requirements.accelerator_count_min, 1);
    EXPECT_THAT(requirements.accelerator_types, ElementsAre("gpu"));
    EXPECT_THAT(requirements.accelerator_manufacturers, ElementsAre("nvidia"));
}

TEST(AutoScalingXml, AcceptMissingOptionalElements) {
    const AutoScalingGroup web = read_one("");
    EXPECT_EQ(web.max, 9);
    EXPECT_FALSE(web.mixed);
    EXPECT_FALSE(web.created);
    EXPECT_FALSE(web.launch_template);
    EXPECT_THAT(web.instances, IsEmpty());
}

struct ReadCase {
    const char* what;
    std::string more;
};

TEST(AutoScalingXml, AcceptUnknownEmptyAndRepeatedElements) {
    const std::vector<ReadCase> cases{
        {"an unknown member", "<Brand><New>1</New></Brand>"},
        {"empty lists", "<Instances/><Tags></Tags><SuspendedProcesses/>"},
        {"an empty launch template", "<LaunchTemplate/>"},
        {"an empty time", "<CreatedTime/>"},
        {"blanks between elements", "\n   <Instances>\n   </Instances>\n"},
        {"a comment", "<!-- none --><Status></Status>"},
        {"a tag without a key", "<Tags><member><Value>x</Value></member></Tags>"},
        {"commas in the place of subnets", "<VPCZoneIdentifier>, ,</VPCZoneIdentifier>"},
        {"another list's items", "<Instances><InstanceId>i-1</InstanceId></Instances>"},
        {"the same member twice", "<MaxSize>8</MaxSize>"},
    };
    for (const ReadCase& one : cases) {
        SCOPED_TRACE(one.what);
        AutoScalingGroup read = read_one(one.more);
        AutoScalingGroup plain = read_one("");
        EXPECT_EQ(read.max, plain.max);
        EXPECT_EQ(read.instances.size(), 0U);
        EXPECT_THAT(read.tags, IsEmpty());
        EXPECT_THAT(read.subnets, IsEmpty());
        EXPECT_FALSE(read.launch_template);
    }
}

struct BrokenCase {
    const char* what;
    std::string member;
    const char* message;
};

TEST(AutoScalingXml, ReportWhatCannotBeRead) {
    const std::string name = "<AutoScalingGroupName>web</AutoScalingGroupName>";
    const std::string instance = "<Instances><member><InstanceId>i-1</InstanceId>";
    const std::vector<BrokenCase> cases{
        {"no minimum",
         "<member>" + name + "<MaxSize>1</MaxSize><DesiredCapacity>1</DesiredCapacity></member>",
         "MinSize"},
        {"a maximum that is no number",
         "<member>" + name +
             "<MinSize>0</MinSize><MaxSize>many</MaxSize><DesiredCapacity>1</DesiredCapacity></"
             "member>",
         "many"},
        {"a size that is too large",
         group_member("web", "").replace(group_member("web").find("<MaxSize>9"), 10,
                                         "<MaxSize>4294967296"),
         "out of range"},
        {"no desired capacity",
         "<member>" + name + "<MinSize>0</MinSize><MaxSize>1</MaxSize></member>",
         "DesiredCapacity"},
        {"a fraction",
         group_member("web").replace(group_member("web").find("<MaxSize>9"), 10, "<MaxSize>1.5"),
         "1.5"},
        {"a size below zero",
         group_member("web").replace(group_member("web").find("<MaxSize>9"), 10, "<MaxSize>-9"),
         "is negative"},
        {"a date that is no date", group_member("web", "<CreatedTime>yesterday</CreatedTime>"),
         "yesterday"},
        {"an instance without a state", group_member("web", instance + "</member></Instances>"),
         "LifecycleState"},
        {"an instance without an id",
         group_member("web",
                      "<Instances><member><LifecycleState>InService</LifecycleState>"
                      "</member></Instances>"),
         "InstanceId"},
        {"protection that is neither true nor false",
         group_member("web",
                      instance +
                          "<LifecycleState>InService</LifecycleState><ProtectedFromScaleIn>maybe"
                          "</ProtectedFromScaleIn></member></Instances>"),
         "maybe"},
        {"requirements that are no number",
         group_member("web",
                      "<MixedInstancesPolicy><LaunchTemplate><Overrides><member>"
                      "<InstanceRequirements><VCpuCount><Min>four</Min></VCpuCount>"
                      "</InstanceRequirements></member></Overrides></LaunchTemplate>"
                      "</MixedInstancesPolicy>"),
         "four"},
    };
    for (const BrokenCase& one : cases) {
        SCOPED_TRACE(one.what);
        EXPECT_THAT(error_of(one.member), HasSubstr(one.message));
        EXPECT_THAT(error_of(one.member), HasSubstr("group web: "));
    }
}

TEST(AutoScalingXml, ReportTheIndexOfAGroupWithoutAName) {
    EXPECT_THAT(error_of("<member><MinSize>0</MinSize></member>"), HasSubstr("member[1]"));
}

}  // namespace
}  // namespace capstan::aws
